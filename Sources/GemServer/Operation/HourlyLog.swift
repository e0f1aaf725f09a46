#if Server
internal import GemLedger
internal import Synchronization

/// Limits log lines about one reason to one an hour.
final class HourlyLog: Sendable {
  /// The hour in which a reason was last logged, counted from 1970.
  private let hours = Mutex<[String: Int64]>([:])

  /// Whether a line about the reason is due; the next one is due in the next hour.
  func isDue(_ reason: String, at now: Timestamp) -> Bool {
    let hour = now.milliseconds / 3_600_000
    return hours.withLock { $0.updateValue(hour, forKey: reason) != hour }
  }
}
#endif
