#if PostgreSQL
internal import GemLedger

/// Rows that lie with their customers, as they are looked up by customer and number.
struct OwnedTable {
  let columns: String
  let tables: String
  /// The tables on a distributed engine, which needs the customers of each of them in the query.
  var distributedTables: String?
  var customer = "customer"
  /// The number by which the rows are found; it need not be theirs alone.
  let number: String
  /// The condition for one number, `wanted`.
  var isWanted: String?
  /// The condition for many numbers, `$2`.
  var isAny: String?
  var condition = ""
  /// Of the rows of one number.
  var order: [String] = []

  private var sorting: String { order.isEmpty ? "" : " ORDER BY \(order.joined(separator: ", "))" }

  init(_ columns: String, _ tables: String, _ number: String, _ condition: String = "", isWanted: String? = nil) {
    (self.columns, self.tables, self.number) = (columns, tables, number)
    (self.condition, self.isWanted) = (condition, isWanted)
  }

  /// Rows of a transaction, by numbers that its number begins.
  static func ofTransaction(_ columns: String, _ table: String, _ number: String) -> OwnedTable {
    OwnedTable(
      columns, table, "\(number) >> 12", isWanted: "\(number) >= wanted << 12 AND \(number) < (wanted + 1) << 12")
  }

  /// As the index has it.
  init(_ index: IndexName, _ source: IndexSource) {
    self.init(source.columns, source.table, "0", isWanted: index.isWanted(source))
    isAny = index.isAny(source)
    order = source.order
  }

  static let purchases = {
    var table = OwnedTable(
      PurchaseRow.selection, PurchaseRow.tables, "p.purchase", " AND \(PurchaseRow.isNewestRefund)")
    table.customer = "p.customer"
    table.distributedTables = PurchaseRow.tables(of: { "\($0).customer = p.customer AND \($0).customer = ANY($1)" })
    return table
  }()

  /// The statements for the rows of all keys; the customer and the number are their last two columns.
  func requests(_ keys: [RowAddress], _ layout: LaneLayout) -> [PostgresRequest] {
    layout.isDistributed ? pages(keys, layout).map(request) : [oneStepEach(keys)]
  }

  /// One step through the index for each key.
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

  /// A distributed engine joins no lists with its tables.
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

  /// A few keys at a time, each time of one machine, and all of a customer together: no two pages give the same row.
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
