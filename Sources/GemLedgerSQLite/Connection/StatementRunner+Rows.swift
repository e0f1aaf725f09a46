internal import GemLedger

/// Statements that are made from a row's description.
extension StatementRunner {
  /// Reads the rows that the clause leaves.
  ///
  /// - Parameter clause: What follows the table's name, such as `WHERE entry = ?1 ORDER BY position`.
  func rows<Row: StoredRow>(
    _ clause: StaticString, _ bind: (SQLiteStatement) -> Void
  ) throws(LedgerError) -> [Row] {
    try all(try select(clause, of: Row.self), bind, ColumnReader.row)
  }

  func row<Row: StoredRow>(_ clause: StaticString, _ bind: (SQLiteStatement) -> Void) throws(LedgerError) -> Row? {
    let found: [Row] = try rows(clause, bind)
    return found.first
  }

  /// A page of rows by the number in their first column, which ascends: pages of a damaged file could lead back, and be
  /// read without end.
  func page<Row: StoredRow>(_ clause: StaticString, after: Int64, _ limit: Int) throws(LedgerError) -> [Row] {
    try page(try select(clause, of: Row.self), after: after, limit, ColumnReader.row)
  }

  /// A page of rows that several columns name, in their order.
  func page<Row: StoredRow>(
    _ clause: StaticString, after: Row?, _ precedes: (Row, Row) -> Bool, _ bind: (SQLiteStatement) -> Void
  ) throws(LedgerError) -> [Row] {
    try page(clause, after: after, { $0 }, precedes, bind)
  }

  /// Reads a page of rows, and checks that their positions ascend from the position before the page.
  ///
  /// - Parameter precedes: Must be false for a position and itself: otherwise a page that ends where it began is read
  ///   without end.
  func page<Row: StoredRow, Position>(
    _ clause: StaticString, after: Position?, _ position: (Row) -> Position, _ precedes: (Position, Position) -> Bool,
    _ bind: (SQLiteStatement) -> Void
  ) throws(LedgerError) -> [Row] {
    var last = after
    return try all(try select(clause, of: Row.self), bind) { (statement) throws(SQLiteFailure) in
      let row: Row = try ColumnReader.row(statement)
      let next = position(row)
      if let last, !precedes(last, next) { throw .notAscending }
      last = next
      return row
    }
  }

  /// Reads the rows of the numbers in their first column; the clause starts at a given number.
  func batch<Row: StoredRow>(_ clause: StaticString, _ wanted: [Int64]) throws(LedgerError) -> [Int64: Row] {
    var found = [Int64: Row](minimumCapacity: wanted.count)
    try batch(wanted, try select(clause, of: Row.self)) { (number, statement) throws(SQLiteFailure) in
      found[number] = try ColumnReader.row(statement)
    }
    return found
  }

  private func select<Row: StoredRow>(
    _ clause: StaticString, of type: Row.Type
  ) throws(LedgerError) -> SQLiteStatement {
    try statement(clause, of: type) { "SELECT \($0.joined(separator: ", ")) FROM \(Row.table) \(clause)" }
  }

  func insert<Row: StoredRow>(_ rows: [Row], _ verb: StaticString = "INSERT") throws(LedgerError) {
    guard !rows.isEmpty else { return }
    let statement = try statement(verb, of: Row.self) { names in
      "\(verb) INTO \(Row.table) (\(names.joined(separator: ", "))) VALUES (\(names.indices.map { "?\($0 + 1)" }.joined(separator: ", ")))"
    }
    try translating { () throws(SQLiteFailure) in
      for row in rows {
        ColumnBinder.bind(statement, row)
        try statement.run()
      }
    }
  }

  /// Adds the rows, in place of those with the same key.
  func replace<Row: StoredRow>(_ rows: [Row]) throws(LedgerError) { try insert(rows, "INSERT OR REPLACE") }

  private func statement<Row: StoredRow>(
    _ text: StaticString, of type: Row.Type, _ sql: ([String]) -> String
  ) throws(LedgerError) -> SQLiteStatement {
    try translating { () throws(SQLiteFailure) in
      try cache(text, of: ObjectIdentifier(type)) { sql(ColumnNames(of: type, splitsAccounts: false).names) }
    }
  }
}
