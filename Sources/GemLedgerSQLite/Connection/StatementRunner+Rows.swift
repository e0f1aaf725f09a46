internal import GemLedger

/// Statements generated from a row's description.
extension StatementRunner {
  /// Reads the rows that match the clause.
  ///
  /// - Parameter clause: The part after the table's name, such as `WHERE entry = ?1 ORDER BY position`.
  func rows<Row: StoredRow>(
    _ clause: StaticString, _ bind: (SQLiteStatement) -> Void
  ) throws(LedgerError) -> [Row] {
    try all(try select(clause, of: Row.self), bind, ColumnReader.row)
  }

  func row<Row: StoredRow>(_ clause: StaticString, _ bind: (SQLiteStatement) -> Void) throws(LedgerError) -> Row? {
    let found: [Row] = try rows(clause, bind)
    return found.first
  }

  /// Reads the rows after a given row, in key order; from the first row if it is nil.
  ///
  /// - Parameter source: The source of the rows, if it is not the table itself.
  func page<Row: StoredRow>(
    after: Row?, _ limit: Int, from source: String = "\(Row.table)"
  ) throws(LedgerError) -> [Row] {
    let statement = try statement(after == nil ? "first page" : "page", of: Row.self) { names in
      let key = names.key.joined(separator: ", ")
      let parameters = names.key.indices.map { "?\($0 + 2)" }.joined(separator: ", ")
      let behind = after == nil ? "" : "WHERE (\(key)) > (\(parameters)) "
      return "SELECT \(names.list) FROM \(source) \(behind)ORDER BY \(key) LIMIT ?1"
    }
    var last = after.map(RowKey.init)
    return try all(
      statement,
      {
        $0.bind(1, Int64(limit))
        if let after { ColumnBinder.bindKey($0, after, from: 2) }
      },
      { (statement) throws(SQLiteFailure) in
        let row: Row = try ColumnReader.row(statement)
        let key = RowKey(of: row)
        // Pages of a damaged file could form a cycle, and would be read endlessly.
        if let last, key <= last { throw .notAscending }
        last = key
        return row
      })
  }

  private func select<Row: StoredRow>(
    _ clause: StaticString, of type: Row.Type
  ) throws(LedgerError) -> SQLiteStatement {
    try statement(clause, of: type) { "SELECT \($0.list) FROM \(Row.table) \(clause)" }
  }

  func insert<Row: StoredRow>(_ rows: [Row]) throws(LedgerError) {
    guard !rows.isEmpty else { return }
    if replacesOrphans, Self.tablesOfTransactions.contains("\(Row.table)") { return try replace(rows) }
    try translating { () throws(SQLiteFailure) in
      let rest = try insertMany(
        rows,
        { () throws(SQLiteFailure) in
          try cached("INSERT of many rows", of: Row.self) {
            SQL.inserting(manyRowsLike: Self.insertion($0, of: Row.self))
          }
        }, ColumnBinder.bind)
      guard !rest.isEmpty else { return }
      try run(try cached("INSERT", of: Row.self) { Self.insertion($0, of: Row.self) }, rest, ColumnBinder.bind)
    }
  }

  private static func insertion<Row: StoredRow>(_ names: ColumnNames, of type: Row.Type) -> String {
    let values = names.names.indices.map { "?\($0 + 1)" }.joined(separator: ", ")
    return "INSERT INTO \(Row.table) (\(names.list)) VALUES (\(values))"
  }

  /// The tables with keys that begin with the number of the rows' transaction or entry.
  private static let tablesOfTransactions = Set(
    [
      NoteRow.table, AllocationRow.table, ItemEntryRow.table, MergeRow.table, RefundWithPart.table, RefundPartRow.table,
      JournalEventRow.table,
    ].map(\.description))

  /// Runs the statement for each row, with all columns as its parameters, in order.
  func run<Row: StoredRow>(_ statement: SQLiteStatement, _ rows: [Row]) throws(LedgerError) {
    try translating { () throws(SQLiteFailure) in try run(statement, rows[...], ColumnBinder.bind) }
  }

  /// Writes the mutable columns.
  func update<Row: StoredRow>(_ rows: [Row]) throws(LedgerError) {
    guard !rows.isEmpty else { return }
    let statement = try statement("UPDATE", of: Row.self) { names in
      let parameters = Dictionary(uniqueKeysWithValues: zip(names.names, 1...))
      let pairs = { (columns: [String]) in columns.map { "\($0) = ?\(parameters[$0] ?? 0)" } }
      let values = pairs(names.changing).joined(separator: ", ")
      return "UPDATE \(Row.table) SET \(values) WHERE \(pairs(Array(names.key)).joined(separator: " AND "))"
    }
    try run(statement, rows)
  }

  /// Adds the rows, replacing rows with the same key.
  func replace<Row: StoredRow>(_ rows: [Row]) throws(LedgerError) {
    guard !rows.isEmpty else { return }
    let statement = try statement("INSERT OR REPLACE", of: Row.self) { names in
      Self.insertion(names, of: Row.self).replacing("INSERT INTO", with: "INSERT OR REPLACE INTO", maxReplacements: 1)
    }
    try run(statement, rows)
  }

  func statement<Row: StoredRow>(
    _ text: StaticString, of type: Row.Type, _ sql: (ColumnNames) -> String
  ) throws(LedgerError) -> SQLiteStatement {
    try translating { () throws(SQLiteFailure) in try cached(text, of: type, sql) }
  }

  private func cached<Row: StoredRow>(
    _ text: StaticString, of type: Row.Type, _ sql: (ColumnNames) -> String
  ) throws(SQLiteFailure) -> SQLiteStatement {
    try cache(text, of: ObjectIdentifier(type)) { sql(ColumnNames(of: type, splitsAccounts: false)) }
  }
}
