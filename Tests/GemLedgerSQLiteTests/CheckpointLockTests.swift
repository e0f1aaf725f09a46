import CSQLite
import GemTestSupport
import XCTest

@testable import GemLedgerSQLite

/// No commit comes into a checkpoint, where SQLite before 3.51.3 can lose it and the next ones.
final class CheckpointLockTests: XCTestCase {
  func testNoCommitBeginsTheLogAgainDuringACheckpoint() throws {
    for access in [SQLiteVFS.name, PausedCheckpoints.name] {
      let directory = try TemporaryDirectory()
      let pause = try PausedCheckpoints()
      let path = directory.path("it.sqlite")
      let (one, other) = (try Database(path, access), try Database(path, access))
      try one.run("PRAGMA journal_mode = WAL; CREATE TABLE t (k INTEGER PRIMARY KEY, v INTEGER, b BLOB)")
      try one.run(
        """
        WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 300)
        INSERT INTO t SELECT i, 0, randomblob(3000) FROM n
        """)
      try one.run("PRAGMA wal_checkpoint(TRUNCATE)")
      XCTAssertEqual(try other.integer("SELECT count(*) FROM t"), 300)
      for key in 1...40 { try one.run("UPDATE t SET v = 1 WHERE k = \(key)") }
      try one.run("PRAGMA wal_checkpoint(PASSIVE)")
      // The log is completely copied; the next commit begins it again.
      var answer: Int32?
      pause.set { answer = one.code("UPDATE t SET v = 2 WHERE k = 41") }
      try other.run("PRAGMA wal_checkpoint(PASSIVE)")
      let isPrevented = access == SQLiteVFS.name
      XCTAssertEqual(answer, isPrevented && CheckpointLock.isNeeded ? SQLITE_BUSY : SQLITE_OK)
      try one.run("PRAGMA wal_autocheckpoint = 10")
      for key in 42...200 { try one.run("UPDATE t SET v = 1 WHERE k = \(key)") }
      let count = try withExtendedLifetime(pause) {
        try Database(path, access).integer("SELECT count(*) FROM t WHERE v = 1 AND k >= 42")
      }
      if isPrevented {
        XCTAssertEqual(count, 159)
      } else if sqlite3_libversion_number() < 3_044_006 {
        // Some later versions got the correction too.
        XCTAssertLessThan(count, 159, "the control: SQLite's own file access")
      }
    }
  }

  /// Checkpoints of all kinds work, and release their locks.
  func testAfterACheckpointOthersCommit() throws {
    let directory = try TemporaryDirectory()
    let path = directory.path("it.sqlite")
    let (one, other) = (try Database(path, SQLiteVFS.name), try Database(path, SQLiteVFS.name))
    try one.run("PRAGMA journal_mode = WAL; CREATE TABLE t (v INTEGER)")
    var count: Int64 = 0
    for kind in ["PASSIVE", "FULL", "RESTART", "TRUNCATE", "PASSIVE"] {
      for connection in [one, other] {
        try connection.run("INSERT INTO t VALUES (1)")
        count += 1
        XCTAssertEqual(try connection.integer("PRAGMA wal_checkpoint(\(kind))"), 0, kind)
      }
      XCTAssertEqual(try other.integer("SELECT count(*) FROM t"), count, kind)
      try one.run("BEGIN IMMEDIATE; INSERT INTO t VALUES (1)")
      let isBusy = try other.integer("PRAGMA wal_checkpoint(\(kind))") == 1
      XCTAssertTrue(isBusy || !CheckpointLock.isNeeded, "\(kind) beside a writer")
      try one.run("COMMIT")
      count += 1
    }
    XCTAssertEqual(try one.integer("SELECT count(*) FROM t"), count)
  }
}

/// A connection that waits for no lock.
private final class Database {
  private var database: OpaquePointer?

  init(_ path: String, _ access: String?) throws {
    let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX
    guard sqlite3_open_v2(path, &database, flags, access) == SQLITE_OK else { throw Failure(code: SQLITE_CANTOPEN) }
  }

  deinit { sqlite3_close_v2(database) }

  struct Failure: Error {
    let code: Int32
  }

  func code(_ sql: String) -> Int32 { sqlite3_exec(database, sql, nil, nil, nil) }

  func run(_ sql: String) throws {
    let code = code(sql)
    guard code == SQLITE_OK else { throw Failure(code: code) }
  }

  /// Returns the first column of the first row.
  func integer(_ sql: String) throws -> Int64 {
    var statement: OpaquePointer?
    defer { sqlite3_finalize(statement) }
    let code = sqlite3_prepare_v2(database, sql, -1, &statement, nil)
    guard code == SQLITE_OK, sqlite3_step(statement) == SQLITE_ROW else { throw Failure(code: code) }
    return sqlite3_column_int64(statement, 0)
  }
}

/// The system's file access as SQLite's default, which runs work in the middle of a checkpoint.
///
/// SQLite calls `xUnfetch` just after a checkpoint has read the length of the log.
private final class PausedCheckpoints {
  static let name = "paused"
  // Tests of one process run one after the other.
  nonisolated(unsafe) fileprivate static var work: (() -> Void)?
  nonisolated(unsafe) fileprivate static var methods: UnsafeMutablePointer<sqlite3_io_methods>?

  private let vfs: UnsafeMutablePointer<sqlite3_vfs>

  init() throws {
    let base = try XCTUnwrap(sqlite3_vfs_find("unix"))
    vfs = .allocate(capacity: 1)
    vfs.initialize(to: base.pointee)
    vfs.pointee.zName = UnsafePointer(strdup(Self.name))
    vfs.pointee.pNext = nil
    vfs.pointee.xOpen = { _, name, file, flags, outFlags in
      guard let base = sqlite3_vfs_find("unix"), let open = base.pointee.xOpen, let file else { return SQLITE_CANTOPEN }
      let code = open(base, name, file, flags, outFlags)
      guard code == SQLITE_OK, flags & SQLITE_OPEN_MAIN_DB != 0, let original = file.pointee.pMethods else {
        return code
      }
      if PausedCheckpoints.methods == nil {
        let made = UnsafeMutablePointer<sqlite3_io_methods>.allocate(capacity: 1)
        made.initialize(to: original.pointee)
        made.pointee.xUnfetch = { _, _, _ in
          let work = PausedCheckpoints.work
          PausedCheckpoints.work = nil
          work?()
          return SQLITE_OK
        }
        PausedCheckpoints.methods = made
      }
      file.pointee.pMethods = PausedCheckpoints.methods.map { UnsafePointer($0) }
      return code
    }
    sqlite3_vfs_register(vfs, 1)
  }

  deinit {
    Self.work = nil
    // Files that are still open know the structure, so that it stays.
    sqlite3_vfs_unregister(vfs)
    sqlite3_vfs_register(sqlite3_vfs_find("unix"), 1)
  }

  func set(_ work: @escaping () -> Void) { Self.work = work }
}
