internal import CSQLite
internal import Synchronization

/// A signal for a connection to stop reading.
final class ReadCancellation: Sendable {
  let isUp = Atomic(false)
}

extension SQLiteConnection {
  /// Stops statements soon after the signal; nil for no signal.
  func obey(_ sign: ReadCancellation?) {
    stopSign = sign
    guard let sign else {
      sqlite3_progress_handler(database, 0, nil, nil)
      return
    }
    // The connection keeps the signal as long as SQLite has a pointer to it.
    sqlite3_progress_handler(
      database, Self.operationsBetweenLooks,
      { context in
        guard let context else { return 0 }
        return Unmanaged<ReadCancellation>.fromOpaque(context).takeUnretainedValue().isUp.load(ordering: .relaxed)
          ? 1 : 0
      }, Unmanaged.passUnretained(sign).toOpaque())
  }

  /// The signal is checked every few hundred microseconds, which has no measurable cost.
  private static let operationsBetweenLooks: Int32 = 20_000
}
