#if PostgreSQL
internal import GemLedger

/// A visitor of rows in which 0 and the empty text stand for no counter.
private protocol CounterVisitor: ColumnVisitor {}

extension CounterVisitor {
  mutating func counter(_ value: inout CountKey?) {
    var (kind, subject) = (value?.kind.rawValue ?? 0, value?.subject ?? "")
    integer("counter_kind", .any, &kind)
    text("subject", &subject)
    value = CountKey.Kind(rawValue: kind).map { CountKey($0, subject) }
  }
}

/// Reads one row of an answer; a statement's bounds are checked with the whole answer (see ``ColumnBounds``).
private struct ColumnReader: CounterVisitor {
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
private struct ColumnLists: CounterVisitor {
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

/// Adds the columns of a row's key as parameters.
private struct KeyParameters: ColumnVisitor {
  var parameters: PostgresParameters
  private var columnsLeft: Int

  init<Row: StoredRow>(of row: Row, in parameters: PostgresParameters) {
    self.parameters = parameters
    columnsLeft = Row.keyColumnCount
    var row = row
    row.visit(&self)
  }

  mutating func account(_ value: inout AccountNumber) {
    guard columnsLeft > 0 else { return }
    columnsLeft -= 1
    parameters.add(value.customer)
    parameters.add(value.currency)
  }

  mutating func integer(_ name: StaticString, _ bound: ColumnBound, _ value: inout Int64) {
    guard columnsLeft > 0 else { return }
    columnsLeft -= 1
    parameters.add(value)
  }

  mutating func text(_ name: StaticString, _ value: inout String) {
    guard columnsLeft > 0 else { return }
    columnsLeft -= 1
    parameters.add(value)
  }

  // No column of a key is ever empty.
  mutating func integer(_ name: StaticString, _ bound: ColumnBound, optional value: inout Int64?) {}
  mutating func text(_ name: StaticString, optional value: inout String?) {}
}

extension PostgresParameters {
  mutating func add<Row: StoredRow>(keyOf row: Row) { self = KeyParameters(of: row, in: self).parameters }
}

extension StoredRow {
  /// The clause of an insertion that writes over the row with the same key.
  static var replacing: String {
    let names = ColumnNames(of: self, splitsAccounts: true)
    let others = names.names.dropFirst(names.key.count).map { "\($0) = excluded.\($0)" }.joined(separator: ", ")
    return "ON CONFLICT (\(names.key.joined(separator: ", "))) DO UPDATE SET \(others)"
  }

  /// The names of all columns, in the order in which ``read(_:_:)`` expects them.
  static var columns: String { ColumnNames(of: self, splitsAccounts: true).list }

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
