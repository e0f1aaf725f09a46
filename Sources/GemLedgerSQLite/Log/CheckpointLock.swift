internal import CSQLite

/// Holds the log's write lock during a checkpoint.
///
/// SQLite lets other connections commit during a checkpoint. Before version 3.51.3 that can lose commits: if a
/// checkpoint reads the length of a log that is completely copied, and a commit then begins the log again, the
/// checkpoint states the old length as copied, and frames up to there are never copied
/// ([WAL-reset bug](https://www.sqlite.org/wal.html#walresetbug)). With the write lock, no commit comes between. A
/// checkpoint that does not get the lock at once is busy; the next commit of a long log tries again. It nearly always
/// gets it, since waiting connections look for the lock only now and then (``waitForLock(_:_:)``).
final class CheckpointLock {
  static let isNeeded = sqlite3_libversion_number() < 3_051_003

  /// Locks or unlocks with SQLite's file access: the offset of the first lock, the number of locks and SQLite's flags.
  typealias Base = (_ offset: Int32, _ count: Int32, _ flags: Int32) -> Int32

  // The places of two locks in the log's index, by SQLite's file format.
  private static let write: Int32 = 0
  private static let checkpoint: Int32 = 1

  /// Whether a checkpoint holds the write lock, perhaps without SQLite's knowledge.
  private var holdsWriteLock = false

  /// - Returns: A result code of SQLite.
  func lock(_ offset: Int32, _ count: Int32, _ flags: Int32, _ base: Base) -> Int32 {
    guard count == 1, flags & SQLITE_SHM_EXCLUSIVE != 0 else { return base(offset, count, flags) }
    let locks = flags & SQLITE_SHM_LOCK != 0
    switch offset {
    case Self.checkpoint where locks: return begin(base)
    case Self.checkpoint: return end(base)
    // A checkpoint that waits for other connections, or that rebuilds the index, asks for the write lock itself.
    case Self.write where holdsWriteLock: return SQLITE_OK
    default: return base(offset, count, flags)
    }
  }

  private func begin(_ base: Base) -> Int32 {
    let code = base(Self.checkpoint, 1, SQLITE_SHM_LOCK | SQLITE_SHM_EXCLUSIVE)
    guard code == SQLITE_OK else { return code }
    let writing = base(Self.write, 1, SQLITE_SHM_LOCK | SQLITE_SHM_EXCLUSIVE)
    holdsWriteLock = writing == SQLITE_OK
    if !holdsWriteLock { _ = base(Self.checkpoint, 1, SQLITE_SHM_UNLOCK | SQLITE_SHM_EXCLUSIVE) }
    return writing
  }

  private func end(_ base: Base) -> Int32 {
    if holdsWriteLock { _ = base(Self.write, 1, SQLITE_SHM_UNLOCK | SQLITE_SHM_EXCLUSIVE) }
    holdsWriteLock = false
    return base(Self.checkpoint, 1, SQLITE_SHM_UNLOCK | SQLITE_SHM_EXCLUSIVE)
  }
}
