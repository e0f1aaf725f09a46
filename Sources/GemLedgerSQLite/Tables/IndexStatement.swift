internal import GemLedger

/// The statement that reads rows by an index, built from the index's description.
///
/// The parameters are the key's numbers and text, in column order. For a page the position and the limit follow, and
/// the columns of the page's order follow those of the row.
struct IndexStatement<Row: StoredRow> {
  private let index: RowIndex<Row>
  private let isPage: Bool

  init(_ index: RowIndex<Row>, isPage: Bool) {
    self.index = index
    self.isPage = isPage
  }

  var sql: String {
    let columns = ColumnNames(of: Row.self, splitsAccounts: false).list
    let order = index.order
    guard isPage else {
      let sorting = order.isEmpty ? "" : " ORDER BY \(order.joined(separator: ", "))"
      return "SELECT \(columns) FROM \(source) WHERE \(condition)\(sorting)"
    }
    let place = order.indices.map { "?\(index.key.count + 1 + $0)" }
    let behind = Self.list(order) + (index.isDescending ? " < " : " > ") + Self.list(place)
    let sorting = order.map { index.isDescending ? "\($0) DESC" : $0 }.joined(separator: ", ")
    return """
      SELECT \(columns), \(order.joined(separator: ", ")) FROM \(source)
      WHERE \(condition.isEmpty ? "" : "\(condition) AND ")\(behind) ORDER BY \(sorting)
      LIMIT ?\(index.key.count + order.count + 1)
      """
  }

  /// A single value has no parentheses: SQLite does not use an index for a row value of one column.
  private static func list(_ values: [String]) -> String {
    values.count == 1 ? values[0] : "(\(values.joined(separator: ", ")))"
  }

  private var condition: String {
    let key = index.key.enumerated().map { Self.equation($1, "?\($0 + 1)") }
    let conditions = SQLiteIndex.openLots[index.id] ?? index.conditions.map { $0.sql(never: StoredExpiry.never) }
    return (key + conditions).joined(separator: " AND ")
  }

  private static func equation(_ column: IndexColumn, _ parameter: String) -> String {
    switch column {
    case .number(let name), .text(let name): "\(name) = \(parameter)"
    case .account: "account = \(parameter)"
    }
  }

  private var source: String { SQLiteIndex.sources[index.id] ?? "\(Row.table)" }
}

/// Where the tables of SQLite differ from the descriptions.
private enum SQLiteIndex {
  /// The index over open lots has a separate column for the class.
  static let openLots = [
    LotRow.openFree.id: ["paid = 0", "remaining > 0"], LotRow.openPaid.id: ["paid = 1", "remaining > 0"],
  ]

  static let sources = [
    // A separate table has the customers' ids other than the first.
    AddedIDRow.added.id: "added_ids",
    AddedIDRow.byID.id: "aliases",
    MergedCustomerRow.ofSurvivor.id:
      "(SELECT merged_into AS customer, customer AS merged FROM customers WHERE merged_into <> 0)",
    RefundPartRow.ofTransaction.id: RefundTable.parts,
  ].merging(PurchaseRow.indexes.map { ($0.id, PurchaseTable.source) }) { $1 }
}
