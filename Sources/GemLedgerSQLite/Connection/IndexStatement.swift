internal import GemLedger

/// The statement that reads rows by an index, built from the index's shape.
///
/// The parameters are the key's numbers and text, in column order. For a page the position and the limit follow, and
/// the columns of the page's order follow those of the row.
struct IndexStatement {
  private let index: IndexName
  private let table: String
  private let columns: String
  private let isPage: Bool

  init<Row: StoredRow>(_ index: RowIndex<Row>, isPage: Bool) {
    self.index = index.name
    self.isPage = isPage
    table = "\(Row.table)"
    columns = ColumnNames(of: Row.self, splitsAccounts: false).list
  }

  var sql: String {
    let shape = index.shape
    let order = shape.order.map { "\($0)" }
    guard isPage else {
      let sorting = order.isEmpty ? "" : " ORDER BY \(order.joined(separator: ", "))"
      return "SELECT \(columns) FROM \(source) WHERE \(condition)\(sorting)"
    }
    let place = order.indices.map { "?\(shape.key.count + 1 + $0)" }
    let behind = Self.list(order) + (shape.isDescending ? " < " : " > ") + Self.list(place)
    let sorting = order.map { shape.isDescending ? "\($0) DESC" : $0 }.joined(separator: ", ")
    return """
      SELECT \(columns), \(order.joined(separator: ", ")) FROM \(source)
      WHERE \(condition.isEmpty ? "" : "\(condition) AND ")\(behind) ORDER BY \(sorting)
      LIMIT ?\(shape.key.count + order.count + 1)
      """
  }

  /// A single value has no parentheses: SQLite does not use an index for a row value of one column.
  private static func list(_ values: [String]) -> String {
    values.count == 1 ? values[0] : "(\(values.joined(separator: ", ")))"
  }

  private var condition: String {
    let shape = index.shape
    let key = shape.key.enumerated().map { Self.equation($1, "?\($0 + 1)") }
    switch index {
    // The index over open lots has a separate column for the class.
    case .openFreeLots: return "account = ?1 AND paid = 0 AND remaining > 0"
    case .openPaidLots: return "account = ?1 AND paid = 1 AND remaining > 0"
    default: return (key + shape.conditions.map(Self.text)).joined(separator: " AND ")
    }
  }

  private static func equation(_ column: IndexShape.Column, _ parameter: String) -> String {
    switch column {
    case .number(let name), .text(let name): "\(name) = \(parameter)"
    case .account: "account = \(parameter)"
    }
  }

  private static func text(_ condition: IndexShape.Condition) -> String {
    switch condition {
    case .equal(let column, let value): "\(column) = \(value)"
    case .unequal(let column, let value): "\(column) <> \(value)"
    case .positive(let column): "\(column) > 0"
    case .within(let column, let range): "\(column) BETWEEN \(range.lowerBound) AND \(range.upperBound)"
    case .null(let column): "\(column) IS NULL"
    case .never(let column): "\(column) = \(StoredExpiry.never)"
    }
  }

  /// The source of the rows.
  private var source: String {
    switch index {
    // A separate table has the customers' ids other than the first.
    case .addedIDs: "added_ids"
    case .mergedCustomers: "(SELECT merged_into AS customer, customer AS merged FROM customers WHERE merged_into <> 0)"
    case .customerByID: "aliases"
    case .purchaseByIdentity, .purchaseByNumber, .purchasesOfCustomer, .purchaseCreditedBy: PurchaseTable.source
    case .partsOfRefund: RefundTable.parts
    default: table
    }
  }
}
