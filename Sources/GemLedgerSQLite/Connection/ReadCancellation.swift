internal import CSQLite
internal import Synchronization

/// Tells a connection to stop reading.
final class ReadCancellation: Sendable {
  let isUp = Atomic(false)
}

extension SQLiteConnection {
  /// Ends statements soon after the sign is up; nil for none.
  func obey(_ sign: ReadCancellation?) {
    stopSign = sign
    guard let sign else {
      sqlite3_progress_handler(database, 0, nil, nil)
      return
    }
    // The connection keeps the sign as long as SQLite knows of it.
    sqlite3_progress_handler(
      database, Self.operationsBetweenLooks,
      { context in
        guard let context else { return 0 }
        return Unmanaged<ReadCancellation>.fromOpaque(context).takeUnretainedValue().isUp.load(ordering: .relaxed)
          ? 1 : 0
      }, Unmanaged.passUnretained(sign).toOpaque())
  }

  /// A look at the sign every few hundred microseconds costs nothing that could be measured.
  private static let operationsBetweenLooks: Int32 = 20_000
}
