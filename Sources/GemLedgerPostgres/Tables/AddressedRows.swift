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
    var table = OwnedTable(columns, table, "0", isWanted: number.isWanted)
    table.isAny = number.isAny
    return table.requests(addresses, layout)
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
