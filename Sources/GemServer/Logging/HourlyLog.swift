#if Server
internal import GemLedger
internal import Synchronization

/// Limits log lines per reason to one per hour.
final class HourlyLog: Sendable {
  /// The hour of the last line by reason, counted from 1970.
  private let hours = Mutex<[String: Int64]>([:])

  /// Returns whether a line about the reason is due; the following line is due in the next hour.
  func isDue(_ reason: String, at now: Timestamp) -> Bool {
    let hour = now.milliseconds / 3_600_000
    return hours.withLock { $0.updateValue(hour, forKey: reason) != hour }
  }
}
#endif
