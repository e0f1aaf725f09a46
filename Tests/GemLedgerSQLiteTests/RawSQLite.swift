import CSQLite
import XCTest

/// SQLite as a vandal uses it: past the ledger, its checks and its triggers.
final class RawSQLite {
  private let database: OpaquePointer

  init(_ path: String, file: StaticString = #filePath, line: UInt = #line) throws {
    var database: OpaquePointer?
    let code = sqlite3_open(path, &database)
    XCTAssertEqual(code, SQLITE_OK, file: file, line: line)
    self.database = try XCTUnwrap(database, file: file, line: line)
  }

  deinit { sqlite3_close_v2(database) }

  /// Runs the statements; gives SQLite's message where it refuses.
  @discardableResult
  func run(_ sql: String) -> String? {
    sqlite3_exec(database, sql, nil, nil, nil) == SQLITE_OK ? nil : String(cString: sqlite3_errmsg(database))
  }

  /// Copies the whole database as SQLite's shell does; gives its message where it fails.
  func backUp(to path: String) -> String? {
    var copy: OpaquePointer?
    guard sqlite3_open(path, &copy) == SQLITE_OK else { return "cannot open \(path)" }
    defer { sqlite3_close_v2(copy) }
    guard let backup = sqlite3_backup_init(copy, "main", database, "main") else { return "cannot begin" }
    sqlite3_backup_step(backup, -1)
    return sqlite3_backup_finish(backup) == SQLITE_OK ? nil : String(cString: sqlite3_errmsg(copy))
  }

  /// Every row, its columns joined by `|`.
  func rows(_ sql: String, file: StaticString = #filePath, line: UInt = #line) -> [String] {
    var statement: OpaquePointer?
    defer { sqlite3_finalize(statement) }
    XCTAssertEqual(sqlite3_prepare_v2(database, sql, -1, &statement, nil), SQLITE_OK, sql, file: file, line: line)
    var rows: [String] = []
    while sqlite3_step(statement) == SQLITE_ROW {
      let columns = (0..<sqlite3_column_count(statement)).map { column in
        sqlite3_column_text(statement, column).map { String(cString: $0) } ?? "NULL"
      }
      rows.append(columns.joined(separator: "|"))
    }
    return rows
  }

  /// Drops the triggers and switches the checks off.
  func disarm() {
    for name in rows("SELECT name FROM sqlite_schema WHERE type = 'trigger'") { run("DROP TRIGGER \(name)") }
    run("PRAGMA ignore_check_constraints = ON")
  }
}
