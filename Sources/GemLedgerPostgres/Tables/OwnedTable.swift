#if PostgreSQL
internal import GemLedger

/// A table of rows that are stored with their customers, for look-ups by customer and number.
struct OwnedTable {
  let columns: String
  let tables: String
  /// The tables on a distributed engine, which needs the customers of each table in the query.
  var distributedTables: String?
  var customer = "customer"
  /// The number for finding the rows; it need not be unique.
  let number: String
  /// The condition for one number, `wanted`.
  var isWanted: String?
  /// The condition for many numbers, `$2`.
  var isAny: String?
  var condition = ""
  /// The order of the rows of one number.
  var order: [String] = []

  private var sorting: String { order.isEmpty ? "" : " ORDER BY \(order.joined(separator: ", "))" }

  init(_ columns: String, _ tables: String, _ number: String, _ condition: String = "", isWanted: String? = nil) {
    (self.columns, self.tables, self.number) = (columns, tables, number)
    (self.condition, self.isWanted) = (condition, isWanted)
  }

  /// Rows of a transaction, with numbers that begin with the transaction's number.
  static func ofTransaction(_ columns: String, _ table: String, _ number: String) -> OwnedTable {
    OwnedTable(
      columns, table, "\(number) >> 12", isWanted: "\(number) >= wanted << 12 AND \(number) < (wanted + 1) << 12")
  }

  /// Makes the table of an index.
  init(_ source: IndexSource) {
    self.init(source.columns, source.table, "0", isWanted: source.isWanted)
    isAny = source.isAny
    order = source.order
  }

  static let purchases = {
    var table = OwnedTable(
      PurchaseRow.selection, PurchaseRow.tables, "p.purchase", " AND \(PurchaseRow.isNewestRefund)")
    table.customer = "p.customer"
    table.distributedTables = PurchaseRow.tables(of: { "\($0).customer = p.customer AND \($0).customer = ANY($1)" })
    return table
  }()

  /// Returns the statements for the rows of all keys; their last two columns are the customer and the number.
  func requests(_ keys: [RowAddress], _ layout: LaneLayout) -> [PostgresRequest] {
    layout.isDistributed ? pages(keys, layout).map(request) : [oneStepEach(keys)]
  }

  /// Returns a request with one index step for each key.
  ///
  /// Given two lists, the server would try each customer with each number, which takes seconds for a thousand of each.
  private func oneStepEach(_ keys: [RowAddress]) -> PostgresRequest {
    PostgresRequest(
      """
      SELECT found.*, owner, wanted
      FROM (SELECT unnest($1) AS owner, unnest($2) AS wanted) places CROSS JOIN LATERAL (
        SELECT \(columns) FROM \(tables)
        WHERE \(customer) = owner AND \(isWanted ?? "\(number) = wanted")\(condition)\(sorting) OFFSET 0
      ) found
      """
    ) {
      $0.add(keys) { $0.customer ?? 0 }
      $0.add(keys, \.number)
    }
  }

  /// Returns a request without joins: a distributed engine does not join lists with its tables.
  private func request(_ keys: [RowAddress]) -> PostgresRequest {
    PostgresRequest(
      """
      SELECT \(columns), \(customer), \(number) FROM \(distributedTables ?? tables)
      WHERE \(customer) = ANY($1) AND \(isAny ?? "\(number) = ANY($2)")\(condition)\(sorting)
      """
    ) {
      $0.add(Array(Set(keys.map { $0.customer ?? 0 }))) { $0 }
      $0.add(Array(Set(keys.map(\.number)))) { $0 }
    }
  }

  /// Splits the keys into pages of one node each, with all keys of a customer together: no two pages give the same row.
  private func pages(_ keys: [RowAddress], _ layout: LaneLayout) -> [[RowAddress]] {
    var pages: [[RowAddress]] = []
    for keys in Dictionary(grouping: keys, by: { layout.lane(of: $0.customer ?? 0) }).values {
      var page: [RowAddress] = []
      for keys in Dictionary(grouping: keys, by: \.customer).values {
        page += keys
        guard page.count >= 32 else { continue }
        pages.append(page)
        page = []
      }
      if !page.isEmpty { pages.append(page) }
    }
    return pages
  }
}
#endif
