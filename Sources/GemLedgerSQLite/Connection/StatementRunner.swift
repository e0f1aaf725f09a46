internal import GemLedger

/// A connection with its prepared statements, and the ways to run them.
///
/// Only one thread at a time may use it.
final class StatementRunner {
  let connection: SQLiteConnection
  let cache: StatementCache
  /// Whether rows of a new transaction replace existing rows with the same keys.
  ///
  /// Such rows are older than their transaction, so no journal row refers to them. Rows of the same transaction never
  /// replace each other.
  private(set) var replacesOrphans = false

  init(_ connection: SQLiteConnection) {
    self.connection = connection
    cache = StatementCache(connection)
  }

  var path: String { connection.path }

  /// Changes the setting, outside of transactions.
  func replaceOrphans(_ isOn: Bool) {
    replacesOrphans = isOn
    // The triggers that refuse deletions would also refuse a replacement. If this fails, the commit fails.
    try? connection.execute("PRAGMA recursive_triggers = \(isOn ? "OFF" : "ON")")
  }

  /// Returns a statement that nearly every command runs.
  @inline(__always)
  func hot(_ statement: StatementCache.Hot) throws(SQLiteFailure) -> SQLiteStatement { try cache(statement) }

  func statement(_ sql: StaticString) throws(LedgerError) -> SQLiteStatement {
    try translating { () throws(SQLiteFailure) in try cache(sql) }
  }

  /// Runs the body and translates SQLite's failures into the ledger's errors.
  @inline(__always)
  func translating<R>(_ body: () throws(SQLiteFailure) -> R) throws(LedgerError) -> R {
    do throws(SQLiteFailure) { return try body() } catch { throw error.ledgerError(path: connection.path) }
  }

  /// Returns the first row of the statement, or nil.
  func first<Row>(
    _ sql: StaticString, _ bind: (SQLiteStatement) -> Void, _ read: (SQLiteStatement) throws(SQLiteFailure) -> Row
  ) throws(LedgerError) -> Row? {
    let statement = try statement(sql)
    return try translating { () throws(SQLiteFailure) in
      bind(statement)
      guard try statement.step() else { return nil }
      defer { statement.reset() }
      return try read(statement)
    }
  }

  func first<Row>(
    _ sql: StaticString, _ read: (SQLiteStatement) throws(SQLiteFailure) -> Row
  ) throws(LedgerError) -> Row? {
    try first(sql, { _ in }, read)
  }

  /// Returns all rows of the statement.
  func all<Row>(
    _ sql: StaticString, _ bind: (SQLiteStatement) -> Void, _ read: (SQLiteStatement) throws(SQLiteFailure) -> Row
  ) throws(LedgerError) -> [Row] {
    try all(try statement(sql), bind, read)
  }

  func all<Row>(
    _ statement: SQLiteStatement, _ bind: (SQLiteStatement) -> Void,
    _ read: (SQLiteStatement) throws(SQLiteFailure) -> Row
  ) throws(LedgerError) -> [Row] {
    try translating { () throws(SQLiteFailure) in
      bind(statement)
      // An unreadable row leaves the statement before its end.
      defer { statement.reset() }
      var rows: [Row] = []
      while try statement.step() { rows.append(try read(statement)) }
      return rows
    }
  }

  func all<Row>(
    _ sql: StaticString, _ read: (SQLiteStatement) throws(SQLiteFailure) -> Row
  ) throws(LedgerError) -> [Row] {
    try all(sql, { _ in }, read)
  }

  /// Runs the statement for each row.
  @inline(__always)
  func run<Row>(
    _ kind: StatementCache.Hot, _ rows: [Row], _ bind: (SQLiteStatement, Row) -> Void
  ) throws(LedgerError) {
    guard !rows.isEmpty else { return }
    try translating { () throws(SQLiteFailure) in try run(try hot(kind), rows[...], bind) }
  }

  /// Inserts the rows, many with one statement.
  @inline(__always)
  func insert<Row>(
    _ kind: StatementCache.Hot, _ rows: [Row], _ bind: (SQLiteStatement, Row) -> Void
  ) throws(LedgerError) {
    guard !rows.isEmpty else { return }
    try translating { () throws(SQLiteFailure) in
      let rest = try insertMany(rows, { () throws(SQLiteFailure) in try cache.many(kind) }, bind)
      if !rest.isEmpty { try run(try hot(kind), rest, bind) }
    }
  }

  /// Inserts rows while there are enough for a statement.
  ///
  /// A statement costs nearly as much as its row: with 16 rows, each takes two thirds of the time.
  ///
  /// - Parameter statement: Returns the insertion of many rows.
  /// - Returns: The rows that were not inserted.
  @inline(__always)
  func insertMany<Row>(
    _ rows: [Row], _ statement: () throws(SQLiteFailure) -> SQLiteStatement, _ bind: (SQLiteStatement, Row) -> Void
  ) throws(SQLiteFailure) -> ArraySlice<Row> {
    var rest = rows[...]
    guard rest.count >= SQL.rowsPerInsertion else { return rest }
    let statement = try statement()
    while rest.count >= SQL.rowsPerInsertion {
      statement.bind(many: rest.prefix(SQL.rowsPerInsertion), bind)
      try statement.run()
      rest = rest.dropFirst(SQL.rowsPerInsertion)
    }
    return rest
  }

  @inline(__always)
  func run<Row>(
    _ statement: SQLiteStatement, _ rows: ArraySlice<Row>, _ bind: (SQLiteStatement, Row) -> Void
  ) throws(SQLiteFailure) {
    for row in rows {
      bind(statement, row)
      try statement.run()
    }
  }

  /// Runs the statement for each row.
  func run<Row>(
    _ sql: StaticString, _ rows: [Row], _ bind: (SQLiteStatement, Row) -> Void
  ) throws(LedgerError) {
    guard !rows.isEmpty else { return }
    let statement = try statement(sql)
    try translating { () throws(SQLiteFailure) in try run(statement, rows[...], bind) }
  }
}
