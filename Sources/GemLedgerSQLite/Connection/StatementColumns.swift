internal import CSQLite
internal import GemLedger

/// Reads a statement's current row; a number out of the bounds of any ledger is damage.
struct ColumnReader: ColumnVisitor {
  private let statement: SQLiteStatement
  private var column: Int32 = 0
  private var outOfBounds: Int32?

  /// - Throws: If a number is out of its column's bounds; the failure names the column and the row.
  static func row<Row: StoredRow>(_ statement: SQLiteStatement) throws(SQLiteFailure) -> Row {
    var reader = Self(statement)
    var row = Row.blank
    row.visit(&reader)
    if let column = reader.outOfBounds { throw statement.outOfBounds(column, of: Row.table) }
    return row
  }

  private init(_ statement: SQLiteStatement) { self.statement = statement }

  mutating func integer(_ name: StaticString, _ bound: ColumnBound, _ value: inout Int64) {
    value = statement.integer(column)
    if !bound.holds(value) { outOfBounds = outOfBounds ?? column }
    column += 1
  }

  mutating func integer(_ name: StaticString, _ bound: ColumnBound, optional value: inout Int64?) {
    value = statement.optionalInteger(column)
    if let value, !bound.holds(value) { outOfBounds = outOfBounds ?? column }
    column += 1
  }

  mutating func account(_ value: inout AccountNumber) {
    // Every number that is not negative is valid for an account.
    let number = statement.integer(column)
    if number < 0 { outOfBounds = outOfBounds ?? column }
    value = AccountNumber(rawValue: number)
    column += 1
  }

  mutating func expiry(_ name: StaticString, _ value: inout Int64) {
    integer(name, .value, &value)
    value = StoredExpiry.loaded(value)
  }

  mutating func text(_ name: StaticString, _ value: inout String) {
    value = statement.text(column)
    column += 1
  }

  mutating func text(_ name: StaticString, optional value: inout String?) {
    value = statement.optionalText(column)
    column += 1
  }
}

/// Binds a row to the parameters of a statement.
struct ColumnBinder: ColumnVisitor {
  private let statement: SQLiteStatement
  private var index: Int32
  /// The parameter after the last one to bind.
  private let end: Int32

  /// Binds all columns, from the first parameter on.
  static func bind<Row: StoredRow>(_ statement: SQLiteStatement, _ row: Row) {
    var (binder, row) = (Self(statement, from: 1, end: .max), row)
    row.visit(&binder)
  }

  /// Binds the columns of the key, from a parameter on.
  static func bindKey<Row: StoredRow>(_ statement: SQLiteStatement, _ row: Row, from index: Int32) {
    var (binder, row) = (Self(statement, from: index, end: index + Int32(Row.keyColumnCount)), row)
    row.visit(&binder)
  }

  private init(_ statement: SQLiteStatement, from index: Int32, end: Int32) {
    self.statement = statement
    self.index = index
    self.end = end
  }

  private mutating func next(_ bind: (SQLiteStatement, Int32) -> Void) {
    guard index < end else { return }
    bind(statement, index)
    index += 1
  }

  mutating func integer(_ name: StaticString, _ bound: ColumnBound, _ value: inout Int64) {
    next { [value] in $0.bind($1, value) }
  }

  mutating func integer(_ name: StaticString, _ bound: ColumnBound, optional value: inout Int64?) {
    next { [value] in $0.bind($1, value) }
  }

  mutating func account(_ value: inout AccountNumber) {
    next { [value] in $0.bind($1, value.rawValue) }
  }

  mutating func expiry(_ name: StaticString, _ value: inout Int64) {
    next { [value] in $0.bind($1, StoredExpiry.stored(value)) }
  }

  mutating func text(_ name: StaticString, _ value: inout String) {
    next { [value] in $0.bind($1, value) }
  }

  mutating func text(_ name: StaticString, optional value: inout String?) {
    next { [value] in $0.bind($1, value) }
  }
}
