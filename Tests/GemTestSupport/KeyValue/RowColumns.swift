internal import GemLedger

/// The columns of a row: its bytes, its key, and its places in indexes.
struct RowColumns: ColumnVisitor {
  private var names: [String] = []
  private var values: [StoredValue] = []
  private var keyColumnCount = 0
  /// The column that a row gets next; nil while the columns are taken from a row.
  private var next: Int?

  init<Row: StoredRow>(of row: Row) {
    keyColumnCount = Row.keyColumnCount
    var row = row
    row.visit(&self)
  }

  init(bytes: [UInt8]) {
    values = Array(ValueReader(bytes))
    next = 0
  }

  func row<Row: StoredRow>() -> Row {
    var (row, columns) = (Row.blank, self)
    row.visit(&columns)
    return row
  }

  var bytes: [UInt8] { values.coded }
  var key: [UInt8] { values.prefix(keyColumnCount).coded }

  /// The row's place in an index; nil where the index leaves it out.
  func place<Row>(in index: RowIndex<Row>) -> [UInt8]? {
    let columns = index.key.map(\.name) + index.order
    let place = columns.map(value)
    guard !place.contains(.nothing), index.conditions.allSatisfy(holds) else { return nil }
    return place.coded + key
  }

  private func value(_ name: String) -> StoredValue {
    guard let index = names.firstIndex(of: name) ?? names.firstIndex(of: "account") else { return .nothing }
    guard names[index] != name, let number = values[index].number else { return values[index] }
    let account = AccountNumber(rawValue: number)
    return .integer(name == "customer" ? account.customer : account.currency)
  }

  private func holds(_ condition: IndexCondition) -> Bool {
    func number(_ column: String) -> Int64 { value(column).number ?? 0 }
    return switch condition {
    case .equal(let column, let value): number(column) == value
    case .unequal(let column, let value): number(column) != value
    case .positive(let column): number(column) > 0
    case .within(let column, let range): range.contains(number(column))
    case .null(let column): value(column) == .nothing
    case .never(let column): number(column) == .max
    }
  }

  // MARK: Visits

  private mutating func visited(_ name: StaticString, _ value: StoredValue) -> StoredValue {
    if let next {
      self.next = next + 1
      return values[next]
    }
    names.append("\(name)")
    values.append(value)
    return value
  }

  mutating func account(_ value: inout AccountNumber) {
    var number = value.rawValue
    integer("account", .any, &number)
    value = AccountNumber(rawValue: number)
  }

  mutating func integer(_ name: StaticString, _ bound: ColumnBound, _ value: inout Int64) {
    var known: Int64? = value
    integer(name, bound, optional: &known)
    value = known ?? 0
  }

  mutating func integer(_ name: StaticString, _ bound: ColumnBound, optional value: inout Int64?) {
    value = visited(name, value.map(StoredValue.integer) ?? .nothing).number
  }

  mutating func text(_ name: StaticString, _ value: inout String) {
    var known: String? = value
    text(name, optional: &known)
    value = known ?? ""
  }

  mutating func text(_ name: StaticString, optional value: inout String?) {
    value = visited(name, value.map(StoredValue.text) ?? .nothing).text
  }
}

extension IndexColumn {
  fileprivate var name: String {
    switch self {
    case .number(let name), .text(let name): name
    case .account: "account"
    }
  }
}
