internal import GemLedger

/// The rows of a ledger in a SQLite file, read and written over one connection.
///
/// Every statement is prepared when it is first needed and kept.
final class SQLiteTables {
  let connection: SQLiteConnection
  private var statements = StatementTable()

  let hot: HotStatements

  /// What says how a copied journal is numbered, once it is read: a complete copy's never changes.
  private var knownCopiedJournal: CopiedJournal??
  /// Whether another connection may be writing what says so.
  private let isCopy: Bool
  /// Documents of purchases' terms by their numbers; forgotten where a commit that may have made some is undone.
  var knownTerms: [Int64: String] = [:]
  var newlyListed = NewlyListed()

  init(_ connection: SQLiteConnection, isCopy: Bool = false) {
    self.connection = connection
    self.isCopy = isCopy
    hot = HotStatements(connection)
  }

  func copiedJournal() throws(LedgerError) -> CopiedJournal? {
    if let knownCopiedJournal { return knownCopiedJournal }
    let copied = try loadCopiedJournal()
    if isCopy { return copied }
    knownCopiedJournal = .some(copied)
    return copied
  }

  func forgetCopiedJournal() { knownCopiedJournal = nil }

  /// The statement for the text, which is prepared once.
  func statement(_ sql: StaticString) throws(LedgerError) -> SQLiteStatement {
    if let known = statements[sql] { return known }
    let made = try translating { () throws(SQLiteFailure) in try connection.prepare(sql.description) }
    statements[sql] = made
    return made
  }

  /// Runs the body and turns SQLite's failures into the ledger's errors.
  @inline(__always)
  func translating<R>(_ body: () throws(SQLiteFailure) -> R) throws(LedgerError) -> R {
    do throws(SQLiteFailure) { return try body() } catch { throw error.ledgerError(path: connection.path) }
  }

  /// The first row that the statement gives, or nil.
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

  /// All rows that the statement gives.
  func all<Row>(
    _ sql: StaticString, _ bind: (SQLiteStatement) -> Void, _ read: (SQLiteStatement) throws(SQLiteFailure) -> Row
  ) throws(LedgerError) -> [Row] {
    let statement = try statement(sql)
    return try translating { () throws(SQLiteFailure) in
      bind(statement)
      // A row that cannot be read leaves the statement before its end.
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
}
