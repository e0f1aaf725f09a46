#if PostgreSQL
internal import GemLedger

/// A visitor of rows in which 0 and the empty text mean no counter.
private protocol CounterVisitor: ColumnVisitor {}

extension CounterVisitor {
  mutating func counter(_ value: inout CountKey?) {
    var (kind, subject) = (value?.kind.rawValue ?? 0, value?.subject ?? "")
    integer("counter_kind", .kind, &kind)
    text("subject", &subject)
    value = CountKey.Kind(rawValue: kind).map { CountKey($0, subject) }
  }
}

/// Reads one row of a result; the bounds are checked for the whole result (see ``AnswerBounds``).
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

/// Splits many rows into one list of values for each column.
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

  // Key columns are never empty.
  mutating func integer(_ name: StaticString, _ bound: ColumnBound, optional value: inout Int64?) {}
  mutating func text(_ name: StaticString, optional value: inout String?) {}
}

extension PostgresParameters {
  mutating func add<Row: StoredRow>(keyOf row: Row) { self = KeyParameters(of: row, in: self).parameters }
}

extension String {
  /// Returns a list of columns, each qualified with the table's name in a statement.
  func named(in table: String) -> String {
    split(separator: ", ").map { "\(table).\($0)" }.joined(separator: ", ")
  }
}

extension StoredRow {
  /// Returns the clause that makes an insertion update the row with the same key.
  ///
  /// - Parameter others: Columns that are also in the table's key, or that other statements write.
  static func changing(withKey key: [String]? = nil, except others: Set<String> = []) -> String {
    let names = ColumnNames(of: self, splitsAccounts: true)
    let key = key ?? Array(names.key)
    let changes = names.changing.filter { !key.contains($0) && !others.contains($0) }
    return "ON CONFLICT (\(key.joined(separator: ", "))) DO UPDATE SET "
      + changes.map { "\($0) = excluded.\($0)" }.joined(separator: ", ")
  }

  /// The names of all columns, in the order in which ``read(_:_:)`` expects them.
  static var columns: String { ColumnNames(of: self, splitsAccounts: true).list }
  /// - Parameter first: The position of the row's first column.
  static func read(_ rows: PostgresRows, _ row: Int, at first: Int = 0) -> Self {
    var (found, reader) = (blank, ColumnReader(rows: rows, row: row, column: first))
    found.visit(&reader)
    return found
  }

  static func read(_ rows: PostgresRows, _ row: Int) -> Self { read(rows, row, at: 0) }

  /// - Parameters:
  ///   - owners: The customer of each row, if the rows do not contain it.
  ///   - others: The columns that the table does not have.
  ///   - more: Columns that only the table has, with a number for each row.
  ///   - conflict: The clause for existing rows.
  static func insert(
    _ rows: [Self], owners: [CustomerNumber]? = nil, except others: Set<String> = [],
    with more: [(name: String, values: [Int64])] = [], conflict: String = ""
  ) -> PostgresRequest {
    let own = zip(ColumnNames(of: self, splitsAccounts: true).names, ColumnLists(rows).lists)
      .filter { !others.contains($0.0) }
    let more = (owners.map { [("customer", $0)] } ?? []) + more
    let columns = (more.map(\.0) + own.map(\.0)).joined(separator: ", ")
    return PostgresRequest(
      "INSERT INTO \(table) (\(columns)) SELECT \(BulkInsert.lists(more.count + own.count)) \(conflict)"
    ) {
      for (_, values) in more { $0.add(values) { $0 } }
      for (_, list) in own { $0.add(list) }
    }
  }
}
#endif
