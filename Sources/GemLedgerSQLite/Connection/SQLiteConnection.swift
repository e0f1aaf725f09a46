internal import CSQLite
internal import GemLedger

/// A connection to one SQLite file, used by one thread at a time.
final class SQLiteConnection {
  /// How long a connection waits for another process to let go of the file.
  static let lockTimeoutSeconds = 20
  /// The page cache of one connection, in KiB; it bounds the memory for a history of any length.
  static let cacheKibibytes = 65_536
  /// After how many pages the write-ahead log is copied back; it bounds the log, and so the time to open after a kill.
  static let checkpointPages = 10_000

  let path: String
  let database: OpaquePointer
  /// Whether it reads without locks and without the log.
  let isUnchanging: Bool
  /// Tells running statements to end; nil for none.
  var stopSign: ReadCancellation?
  /// The files that it works on, once it works on a ledger.
  var files: OpenFiles?

  /// How a file is opened.
  enum Access {
    /// To look at its first bytes.
    case read
    /// Where it may be written, else to read it.
    case write
    case create
    /// A file that nobody writes meanwhile, without its locks and its log: on a medium that takes no log's index.
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
    // These three have a meaning in a URI.
    let escaped = path.replacing("%", with: "%25").replacing("?", with: "%3f").replacing("#", with: "%23")
    return "file:\(escaped)?immutable=1"
  }

  /// Whether the system lets nobody write into the file by this connection.
  var isReadOnly: Bool { sqlite3_db_readonly(database, "main") == 1 }

  deinit {
    // Closing copies the log back and removes it by its name, which may be that of another file by now.
    if misplaced() != nil { setReadsOnly(true) }
    sqlite3_close_v2(database)
  }

  /// The reason why reads or writes would not reach the ledger's files, or nil.
  func misplaced() -> MovedFile? { files?.look(self) }

  /// Returns the error, or its cause where rows make no sense because the files were replaced.
  func explained(_ error: LedgerError) -> LedgerError {
    guard error.code == .storageDamaged || error.code == .inputOutput, let misplaced = misplaced() else {
      return error
    }
    return misplaced.unavailable(path)
  }

  /// How many rows the last statement that changes any changed.
  var changeCount: Int { Int(sqlite3_changes(database)) }
  /// How many rows all statements changed so far.
  var totalChangeCount: Int { Int(sqlite3_total_changes(database)) }

  func execute(_ sql: String) throws(SQLiteFailure) {
    let code = sqlite3_exec(database, sql, nil, nil, nil)
    guard code == SQLITE_OK else { throw Self.failure(code, database) }
  }

  /// Runs the statements again while another process holds the file.
  ///
  /// SQLite itself does not wait where two that wait could wait for each other, as in changing the journal's mode.
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

  /// The one number that a statement gives.
  func integer(_ sql: String) throws(SQLiteFailure) -> Int64 {
    let statement = try prepare(sql)
    defer { statement.reset() }
    return try statement.step() ? statement.integer(0) : 0
  }

  func version() throws(SQLiteFailure) -> FileVersion {
    FileVersion(userVersion: Int32(truncatingIfNeeded: try integer("PRAGMA user_version")))
  }

  /// Looks at the file without ever writing to it, not even when it is closed.
  func setReadsOnly(_ on: Bool) { csqlite_set_no_checkpoint_on_close(database, on ? 1 : 0) }

  /// Applies the settings of every connection that works on a ledger.
  func configure() throws(SQLiteFailure) {
    try execute(SQL.settings)
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

/// Waits a little, and a different little each time, so that processes which take turns all get theirs.
///
/// SQLite's own handler waits up to 100 ms at a time, which starves one process while others commit back to back.
func waitForLock(_: UnsafeMutableRawPointer?, _ tries: Int32) -> Int32 {
  let averageMicroseconds: Int32 = 1000
  guard tries < Int32(SQLiteConnection.lockTimeoutSeconds) * 1_000_000 / averageMicroseconds else { return 0 }
  SystemCalls.pause(microseconds: UInt32.random(in: 100...UInt32(2 * averageMicroseconds - 100)))
  return 1
}
