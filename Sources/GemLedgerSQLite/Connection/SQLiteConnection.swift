internal import CSQLite
internal import GemLedger

/// A connection to one SQLite file, used by one thread at a time.
final class SQLiteConnection {
  /// The maximum wait for another process to release the file.
  static let lockTimeoutSeconds = 20
  /// The page cache of one connection, in KiB; it bounds the memory for a history of any length.
  static let cacheKibibytes = 65_536

  let path: String
  let database: OpaquePointer
  /// Whether it reads without locks and without the log.
  let isUnchanging: Bool
  /// Makes running statements stop; nil for no signal.
  var stopSign: ReadCancellation?
  /// The open files, once the connection works on a ledger.
  var files: OpenFiles?

  /// The way to open a file.
  enum Access {
    /// For reading its first bytes.
    case read
    /// For writing if possible, otherwise for reading.
    case write
    case create
    /// For a file that does not change, without locks and log: on a medium that cannot have the log's index.
    case unchanging
  }

  init(path: String, _ access: Access = .write) throws(SQLiteFailure) {
    var database: OpaquePointer?
    var flags = SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE
    switch access {
    case .read: flags |= SQLITE_OPEN_READONLY
    case .write: flags |= SQLITE_OPEN_READWRITE
    case .create: flags |= SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
    case .unchanging: flags |= SQLITE_OPEN_READONLY | SQLITE_OPEN_URI
    }
    let name = access == .unchanging ? Self.unchangingURI(path) : path
    let code = sqlite3_open_v2(name, &database, flags, SQLiteVFS.name)
    guard code == SQLITE_OK, let database else {
      var failure = SQLiteFailure(
        extendedCode: code, message: database.map { String(cString: sqlite3_errmsg($0)) } ?? "no memory")
      failure.systemError = database.map { sqlite3_system_errno($0) } ?? 0
      sqlite3_close_v2(database)
      throw failure
    }
    self.path = path
    self.database = database
    isUnchanging = access == .unchanging
    sqlite3_busy_handler(database, waitForLock, nil)
  }

  private static func unchangingURI(_ path: String) -> String {
    // These three characters have a meaning in a URI.
    let escaped = path.replacing("%", with: "%25").replacing("?", with: "%3f").replacing("#", with: "%23")
    return "file:\(escaped)?immutable=1"
  }

  /// Whether the system forbids writing into the file through this connection.
  var isReadOnly: Bool { sqlite3_db_readonly(database, "main") == 1 }

  deinit {
    // Closing checkpoints the log and removes it by its path, which may lead to another file by now.
    if misplaced() != nil { setReadsOnly(true) }
    sqlite3_close_v2(database)
  }

  /// Returns the reason why reads or writes would not reach the ledger's files, or nil.
  func misplaced() -> MovedFile? { files?.look(self) }

  /// Returns the error, or its cause if the rows make no sense because the files were replaced.
  func explained(_ error: LedgerError) -> LedgerError {
    guard error.code == .storageDamaged || error.code == .inputOutput, let misplaced = misplaced() else {
      return error
    }
    return misplaced.unavailable(path)
  }

  /// The number of rows that the last statement changed.
  var changeCount: Int { Int(sqlite3_changes(database)) }

  func execute(_ sql: String) throws(SQLiteFailure) {
    let code = sqlite3_exec(database, sql, nil, nil, nil)
    guard code == SQLITE_OK else { throw Self.failure(code, database) }
  }

  /// Retries the statements while another process locks the file.
  ///
  /// SQLite itself does not wait if two waiting connections could deadlock, for example while changing the journal
  /// mode.
  func executeWaiting(_ sql: String) throws(SQLiteFailure) {
    var tries: Int32 = 0
    while true {
      do throws(SQLiteFailure) {
        return try execute(sql)
      } catch {
        guard error.code == SQLITE_BUSY, waitForLock(nil, tries) != 0 else { throw error }
        tries += 1
      }
    }
  }

  func prepare(_ sql: String) throws(SQLiteFailure) -> SQLiteStatement {
    try SQLiteStatement(sql, database: database)
  }

  /// Returns the single number that a statement gives.
  func integer(_ sql: String) throws(SQLiteFailure) -> Int64 {
    let statement = try prepare(sql)
    defer { statement.reset() }
    return try statement.step() ? statement.integer(0) : 0
  }

  func version() throws(SQLiteFailure) -> FileVersion {
    FileVersion(userVersion: Int32(truncatingIfNeeded: try integer("PRAGMA user_version")))
  }

  /// Prevents all writes to the file, including the checkpoint on closing.
  func setReadsOnly(_ on: Bool) { csqlite_set_no_checkpoint_on_close(database, on ? 1 : 0) }

  /// Applies the settings of every connection that works on a ledger.
  func configure() throws(SQLiteFailure) {
    try execute(SQL.settings)
  }

  /// Runs a commit, and writes its frames with few system calls.
  func gatheringFrames(_ commit: () throws(SQLiteFailure) -> Void) throws(SQLiteFailure) {
    let buffer = SQLiteVFS.logBuffer(of: database)
    buffer?.begin()
    defer { buffer?.finish() }
    try commit()
  }

  var isInTransaction: Bool { sqlite3_get_autocommit(database) == 0 }

  static func failure(_ code: Int32, _ database: OpaquePointer) -> SQLiteFailure {
    var failure = SQLiteFailure(extendedCode: code, message: String(cString: sqlite3_errmsg(database)))
    failure.systemError = sqlite3_system_errno(database)
    // SQLite may fail to understand a statement because the schema is newer than this program.
    if failure.code == SQLITE_ERROR { failure.newerSchema = newerSchema(database) }
    return failure
  }

  private static func newerSchema(_ database: OpaquePointer) -> Int32? {
    var statement: OpaquePointer?
    defer { sqlite3_finalize(statement) }
    guard sqlite3_prepare_v2(database, "PRAGMA user_version", -1, &statement, nil) == SQLITE_OK,
      sqlite3_step(statement) == SQLITE_ROW
    else { return nil }
    let schema = FileVersion(userVersion: sqlite3_column_int(statement, 0)).schema
    return schema > Int32(Migration.all.count) ? schema : nil
  }
}

/// Waits for a short random time, so that competing processes all make progress.
///
/// SQLite's busy handler sleeps up to 100 ms, which starves one process while others commit back to back.
func waitForLock(_: UnsafeMutableRawPointer?, _ tries: Int32) -> Int32 {
  let averageMicroseconds: Int32 = 1000
  guard tries < Int32(SQLiteConnection.lockTimeoutSeconds) * 1_000_000 / averageMicroseconds else { return 0 }
  SystemCalls.pause(microseconds: UInt32.random(in: 100...UInt32(2 * averageMicroseconds - 100)))
  return 1
}
