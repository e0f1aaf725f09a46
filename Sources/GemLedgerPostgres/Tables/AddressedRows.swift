#if PostgreSQL
internal import GemLedger

/// How rows are found by their customers and a number.
struct RowsByNumber: ExpressibleByStringLiteral {
  /// The condition for one row at a time; its number is `wanted`.
  let isWanted: String
  /// The condition for many rows at a time; their numbers are `$2`.
  let isAny: String

  init(isWanted: String, isAny: String) {
    self.isWanted = isWanted
    self.isAny = isAny
  }

  /// By this column.
  init(stringLiteral column: String) {
    self.init(isWanted: "\(column) = wanted", isAny: "\(column) = ANY($2)")
  }
}

extension SessionPart {
  /// Returns the rows at the addresses that name a customer, without duplicates.
  func rows<Row>(
    at addresses: [RowAddress], _ columns: String, from table: String, by number: RowsByNumber,
    _ read: (PostgresRows, Int) -> Row
  ) throws(LedgerError) -> [Row] {
    let known = Set(addresses).filter { $0.customer != nil }
    guard !known.isEmpty else { return [] }
    let answers = try ask(requests(at: Array(known), columns, from: table, by: number))
    var found: [Row] = []
    for rows in answers { for row in 0..<rows.count { found.append(read(rows, row)) } }
    return found
  }

  /// - Parameter addresses: Without duplicates; all name a customer.
  func requests(
    at addresses: [RowAddress], _ columns: String, from table: String, by number: RowsByNumber
  ) -> [PostgresRequest] {
    layout.isDistributed
      ? Self.questions(addresses, lanes: layout, columns, table, number)
      : [Self.question(addresses, columns, table, number)]
  }

  /// One step through the index for each address.
  ///
  /// Given two lists, the server would try each customer with each number, which takes seconds for a thousand of each.
  private static func question(
    _ addresses: [RowAddress], _ columns: String, _ table: String, _ number: RowsByNumber
  ) -> PostgresRequest {
    PostgresRequest(
      """
      SELECT found.* FROM (SELECT unnest($1) AS owner, unnest($2) AS wanted) places CROSS JOIN LATERAL (
        SELECT \(columns) FROM \(table) WHERE customer = owner AND \(number.isWanted) OFFSET 0
      ) found
      """
    ) {
      $0.add(addresses) { $0.customer ?? 0 }
      $0.add(addresses, \.number)
    }
  }

  /// A distributed engine joins no lists with its tables: a few addresses at a time, each time of one machine.
  private static func questions(
    _ addresses: [RowAddress], lanes: LaneLayout, _ columns: String, _ table: String, _ number: RowsByNumber
  ) -> [PostgresRequest] {
    Dictionary(grouping: addresses) { lanes.lane(of: $0.customer ?? 0) }.values.flatMap(pages).map { addresses in
      PostgresRequest("SELECT \(columns) FROM \(table) WHERE customer = ANY($1) AND \(number.isAny)") {
        $0.add(Array(Set(addresses.map { $0.customer ?? 0 }))) { $0 }
        $0.add(Array(Set(addresses.map(\.number)))) { $0 }
      }
    }
  }

  /// About so many addresses a page, all of a customer on one: no two pages give the same row.
  private static func pages(_ addresses: [RowAddress]) -> [[RowAddress]] {
    var pages: [[RowAddress]] = []
    var page: [RowAddress] = []
    for addresses in Dictionary(grouping: addresses, by: \.customer).values {
      page += addresses
      if page.count >= 32 {
        pages.append(page)
        page = []
      }
    }
    return page.isEmpty ? pages : pages + [page]
  }

  // MARK: Addresses without a customer

  /// Transactions of whomever, found by the lanes that drew their numbers.
  func transactions(ofAnybody numbers: [TransactionNumber]) throws(LedgerError) -> [TransactionRow] {
    guard !numbers.isEmpty else { return [] }
    let requests = Dictionary(grouping: Set(numbers), by: Numbering.lane).map { lane, numbers in
      PostgresRequest(
        "SELECT \(TransactionRow.columns) FROM transactions WHERE (number & 63) = $1 AND number = ANY($2)"
      ) {
        $0.add(lane)
        $0.add(numbers, \.self)
      }
    }
    var found: [TransactionRow] = []
    for rows in try ask(requests) { for row in 0..<rows.count { found.append(TransactionRow.read(rows, row)) } }
    return found
  }

  /// Returns the same addresses; those without a customer get all customers that may have rows of the transaction.
  func owned(
    _ addresses: [RowAddress], transaction: (Int64) -> TransactionNumber
  ) throws(LedgerError) -> [RowAddress] {
    let unknown = addresses.filter { $0.customer == nil }
    guard !unknown.isEmpty else { return addresses }
    let rows = try transactions(ofAnybody: unknown.map { transaction($0.number) })
    var owners = Dictionary(grouping: rows, by: \.number).mapValues { $0.map(\.customer) }
    // The balance of the other customer goes away by entries of the same transaction.
    let merges = try self.rows(
      at: rows.filter { $0.kind == .merge || $0.kind == .unmerge }.map { RowAddress($0.number, of: $0.customer) },
      "transaction_number, from_customer", from: "merges", by: "transaction_number"
    ) { ($0.integer($1, 0), $0.integer($1, 1)) }
    for (number, other) in merges { owners[number, default: []].append(other) }
    return addresses.filter { $0.customer != nil }
      + unknown.flatMap { address in
        (owners[transaction(address.number)] ?? []).map { RowAddress(address.number, of: $0) }
      }
  }
}
#endif
