internal import CSQLite
internal import GemLedger

/// The files that a connection has open, and whether their paths still lead to them.
///
/// A removed or replaced file accepts every write without an error, but its content is unreachable.
struct OpenFiles {
  /// The identity of the file that a path leads to.
  struct Identity: Equatable {
    let device: UInt64
    let inode: UInt64
  }

  /// A file next to the main file, with its identity when it was opened.
  private struct NeighbourFile {
    let path: String
    let identity: Identity
  }

  let main: Identity
  private let mainPath: String
  private let beside: [NeighbourFile]
  private var content: Content
  private var isOverwritten = false
  private var lookedAt: UInt64

  /// The attributes that change with a write into the file.
  private struct Content: Equatable {
    let byteCount: Int64
    let changedAt: Int64
    /// SQLite's change counter, which only increases.
    var counter: UInt32 = 0
  }

  /// - Parameter connection: A connection that has read from the file, so that all files are open.
  init(_ connection: SQLiteConnection) throws(LedgerError) {
    mainPath = SystemCalls.absolute(connection.path)
    guard let status = Self.status(of: mainPath), !connection.hasMoved else {
      throw Self.moved(connection.path).unavailable(connection.path)
    }
    main = status.identity
    content = status.content
    content.counter = try Self.counter(connection) ?? 0
    beside = [connection.logPath, connection.indexPath].compactMap { path in
      Self.identity(of: path).map { NeighbourFile(path: path, identity: $0) }
    }
    lookedAt = SystemCalls.monotonicNanoseconds()
  }

  /// Checks the open files now.
  ///
  /// - Returns: The problem, or nil.
  mutating func look(_ connection: SQLiteConnection) -> MovedFile? {
    let found = find(connection)
    // After a problem, each call checks again until the files are in order.
    lookedAt = found == nil ? SystemCalls.monotonicNanoseconds() : 0
    return found
  }

  private mutating func find(_ connection: SQLiteConnection) -> MovedFile? {
    guard let status = Self.status(of: mainPath), status.identity == main else { return Self.moved(connection.path) }
    for position in beside where Self.identity(of: position.path) != position.identity {
      return Self.moved(position.path)
    }
    if isOverwritten || status.content.byteCount != content.byteCount || status.content.changedAt != content.changedAt {
      lookInside(connection, status.content)
    }
    return isOverwritten ? MovedFile(what: "\(connection.path) was overwritten") : nil
  }

  /// Checks, unless the last check was within the interval.
  mutating func lookNowAndThen(_ connection: SQLiteConnection, every interval: UInt64) -> MovedFile? {
    SystemCalls.monotonicNanoseconds() &- lookedAt >= interval ? look(connection) : nil
  }

  /// Checks the file's content: a file copied over it has a lower change counter, or is not a database.
  private mutating func lookInside(_ connection: SQLiteConnection, _ found: Content) {
    guard !isOverwritten else { return }
    let read: UInt32?
    // The statement that needs the content reports the read error.
    do throws(LedgerError) { read = try Self.counter(connection) } catch { return }
    guard let counter = read, Int32(bitPattern: counter &- content.counter) >= 0 else {
      isOverwritten = true
      return
    }
    if counter == content.counter, found.byteCount < content.byteCount { isOverwritten = true }
    content = found
    content.counter = counter
  }

  /// - Returns: Nil if the file is not a ledger.
  private static func counter(_ connection: SQLiteConnection) throws(LedgerError) -> UInt32? {
    do throws(SQLiteFailure) {
      let head = try connection.head(100)
      guard head.count == 100, SQLiteFile.number(head, at: 68) == SQLiteFile.applicationID else { return nil }
      return UInt32(bitPattern: SQLiteFile.number(head, at: 24))
    } catch {
      throw error.ledgerError(path: connection.path)
    }
  }

  // MARK: The system

  /// Returns a file's identity without reading its times: every commit writes the log, and reading its times slows the
  /// next sync.
  private static func identity(of path: String) -> Identity? {
    var (device, inode) = (UInt64(0), UInt64(0))
    guard csqlite_file_identity(path, &device, &inode) == 0 else { return status(of: path)?.identity }
    return Identity(device: device, inode: inode)
  }

  private static func status(of path: String) -> (identity: Identity, content: Content)? {
    // Any error means that the file is no longer at its path.
    guard let status = try? FileStatus(of: path) else { return nil }
    return (
      Identity(device: status.device, inode: status.inode),
      Content(byteCount: status.byteCount, changedAt: status.changedAt)
    )
  }

  private static func moved(_ path: String) -> MovedFile {
    MovedFile(what: "\(path) was removed, renamed or replaced")
  }
}

/// The reason why writes to the open files would be lost.
struct MovedFile: Error {
  let what: String

  private static let remedy = "Stop this program, put the file back with its -wal and -shm, and start it again."

  /// Returns the error for work that was not started.
  func unavailable(_ path: String) -> LedgerError {
    LedgerError(
      .storageUnavailable, "\(what) while this process had it open. Nothing was changed. \(Self.remedy)",
      details: [.text("file", path)])
  }

  /// Returns the error for a commit into files that may be unreachable.
  func outcomeUnknown(_ path: String) -> LedgerError {
    LedgerError(
      .outcomeUnknown,
      "\(what) while a commit was written to it; the outcome is unknown. \(Self.remedy) Then try again with the same "
        + "key.", details: [.text("file", path)])
  }
}
