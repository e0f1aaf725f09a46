internal import CSQLite

/// The rows of a table as text, for comparing two files.
package enum TableDump {
  package struct Failure: Error {}

  package static func rows(of table: String, in path: String) throws -> [String] {
    var database: OpaquePointer?
    defer { sqlite3_close_v2(database) }
    var statement: OpaquePointer?
    guard sqlite3_open_v2(path, &database, SQLITE_OPEN_READONLY, nil) == SQLITE_OK,
      sqlite3_prepare_v2(database, "SELECT * FROM \(table) ORDER BY 1, 2", -1, &statement, nil) == SQLITE_OK
    else { throw Failure() }
    defer { sqlite3_finalize(statement) }
    var rows: [String] = []
    while sqlite3_step(statement) == SQLITE_ROW {
      let columns = (0..<sqlite3_column_count(statement)).map { column in
        sqlite3_column_text(statement, column).map { String(cString: $0) } ?? "NULL"
      }
      rows.append(columns.joined(separator: "|"))
    }
    return rows
  }
}
