import CSQLite

/// A ledger's file, past the ledger: no checks, no triggers.
final class RawFile {
  private let database: OpaquePointer

  struct Failure: Error {
    let message: String
  }

  init(_ path: String) throws {
    var database: OpaquePointer?
    guard sqlite3_open(path, &database) == SQLITE_OK, let database else {
      throw Failure(message: "cannot open \(path)")
    }
    self.database = database
  }

  deinit { sqlite3_close_v2(database) }

  /// Drops the triggers and switches the checks off.
  func disarm() throws {
    for row in try rows("SELECT name FROM sqlite_schema WHERE type = 'trigger'") { _ = run("DROP TRIGGER \(row[0])") }
    _ = run("PRAGMA ignore_check_constraints = ON; PRAGMA synchronous = OFF")
  }

  /// Runs the statements; false where SQLite refuses.
  func run(_ sql: String) -> Bool { sqlite3_exec(database, sql, nil, nil, nil) == SQLITE_OK }

  /// How many rows the last statement changed.
  var changeCount: Int { Int(sqlite3_changes(database)) }

  func rows(_ sql: String) throws -> [[String]] {
    var statement: OpaquePointer?
    defer { sqlite3_finalize(statement) }
    guard sqlite3_prepare_v2(database, sql, -1, &statement, nil) == SQLITE_OK else { throw Failure(message: sql) }
    var rows: [[String]] = []
    while sqlite3_step(statement) == SQLITE_ROW {
      rows.append(
        (0..<sqlite3_column_count(statement)).map { column in
          sqlite3_column_text(statement, column).map { String(cString: $0) } ?? ""
        })
    }
    return rows
  }
}

/// A column that can be damaged.
struct Column {
  let table: String
  let name: String
  let isText: Bool
  /// The columns that name a row.
  let key: [String]
}

extension RawFile {
  /// Every column of every table with rows; the catalog's versions of the schema apart.
  func columns() throws -> [Column] {
    var columns: [Column] = []
    for table in try rows("SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'") {
      guard table[0] != "migrations", try rows("SELECT count(*) FROM \(table[0])")[0][0] != "0" else { continue }
      let info = try rows("SELECT name, type, pk FROM pragma_table_info('\(table[0])') ORDER BY cid")
      let key = info.filter { $0[2] != "0" }.map { $0[0] }
      for row in info {
        columns.append(Column(table: table[0], name: row[0], isText: row[1] == "TEXT", key: key))
      }
    }
    return columns
  }

  /// - Returns: The statement, or nil where no row could be changed so.
  func damage(_ column: Column, to value: String, row: Int) throws -> String? {
    let key = column.key.joined(separator: ", ")
    let sql =
      "UPDATE \(column.table) SET \(column.name) = \(value) WHERE (\(key)) = "
      + "(SELECT \(key) FROM \(column.table) ORDER BY \(key) LIMIT 1 OFFSET \(row))"
    return run(sql) && changeCount > 0 ? sql : nil
  }

  func count(_ table: String) throws -> Int { Int(try rows("SELECT count(*) FROM \(table)")[0][0]) ?? 0 }
}
