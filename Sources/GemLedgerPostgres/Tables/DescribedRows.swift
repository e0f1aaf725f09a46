#if PostgreSQL
internal import GemLedger

/// Reads one row of an answer; a statement's bounds are checked with the whole answer (see ``ColumnBounds``).
private struct ColumnReader: ColumnVisitor {
  let rows: PostgresRows
  let row: Int
  var column: Int

  private mutating func next() -> Int {
    defer { column += 1 }
    return column
  }

  mutating func integer(_ name: StaticString, _ bound: ColumnBound, _ value: inout Int64) {
    value = rows.integer(row, next())
  }

  mutating func integer(_ name: StaticString, _ bound: ColumnBound, optional value: inout Int64?) {
    value = rows.optionalInteger(row, next())
  }

  mutating func text(_ name: StaticString, _ value: inout String) { value = rows.text(row, next()) }
  mutating func text(_ name: StaticString, optional value: inout String?) { value = rows.optionalText(row, next()) }
}

/// Takes the values of many rows apart, into one list for each column.
private struct ColumnLists: ColumnVisitor {
  private(set) var lists: [PostgresList] = []
  private var column = 0
  private let rowCount: Int

  init<Row: StoredRow>(_ rows: [Row]) {
    rowCount = rows.count
    for var row in rows {
      column = 0
      row.visit(&self)
    }
  }

  private mutating func list(of type: PostgresList.Element) -> Int {
    defer { column += 1 }
    if column == lists.count { lists.append(PostgresList(of: type, count: rowCount)) }
    return column
  }

  mutating func integer(_ name: StaticString, _ bound: ColumnBound, _ value: inout Int64) {
    lists[list(of: .integer)].append(value)
  }

  mutating func integer(_ name: StaticString, _ bound: ColumnBound, optional value: inout Int64?) {
    lists[list(of: .integer)].append(value)
  }

  mutating func text(_ name: StaticString, _ value: inout String) { lists[list(of: .text)].append(value) }
  mutating func text(_ name: StaticString, optional value: inout String?) { lists[list(of: .text)].append(value) }
}

extension StoredRow {
  /// The names of all columns, in the order in which ``read(_:_:)`` expects them.
  static var columns: String { ColumnNames(of: self, splitsAccounts: true).names.joined(separator: ", ") }

  /// - Parameter first: Where the row's first column stands.
  static func read(_ rows: PostgresRows, _ row: Int, at first: Int = 0) -> Self {
    var (found, reader) = (blank, ColumnReader(rows: rows, row: row, column: first))
    found.visit(&reader)
    return found
  }

  static func read(_ rows: PostgresRows, _ row: Int) -> Self { read(rows, row, at: 0) }

  /// - Parameters:
  ///   - owners: The customer with each row, where the rows do not name one themselves.
  ///   - conflict: The clause for a row that exists already.
  static func insert(_ rows: [Self], owners: [CustomerNumber]? = nil, conflict: String = "") -> PostgresRequest {
    let lists = ColumnLists(rows).lists
    let columns = (owners == nil ? "" : "customer, ") + columns
    let count = lists.count + (owners == nil ? 0 : 1)
    return PostgresRequest("INSERT INTO \(table) (\(columns)) SELECT \(BulkInsert.lists(count)) \(conflict)") {
      if let owners { $0.add(owners) { $0 } }
      for list in lists { $0.add(list) }
    }
  }
}
#endif
