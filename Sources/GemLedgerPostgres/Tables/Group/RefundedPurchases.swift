#if PostgreSQL
internal import GemLedger

/// Fetches the purchases that a group's refunds are about, of all of them at once.
struct RefundedPurchases: SessionPart {
  let session: PostgresSession

  /// Fetches the rows of the refunded purchases, and their customers.
  func fetch(
    _ commands: [LedgerCommand], _ footprints: [LedgerCommand.Footprint?]
  ) throws(LedgerError) {
    var addresses: Set<RowAddress> = []
    var keys: [Int64: Set<IdempotencyKey>] = [:]
    for (command, footprint) in zip(commands, footprints) {
      guard let footprint, footprint.subject == .owner else { continue }
      for held in footprint.purchases.compactMap(storeClaims.storeClaim) where held.purchase != 0 {
        addresses.insert(RowAddress(held.purchase, of: held.customer))
        if let key = command.key { keys[held.purchase, default: []].insert(key) }
      }
    }
    guard !addresses.isEmpty else { return }
    let missing = Set(addresses.compactMap(\.customer)).subtracting(prefetched?.fetched ?? []).sorted()
    // The lots of a purchase are found through its transaction; other lots are seldom needed.
    let customers = customerQueries.question(for: missing, withLots: false)
    let purchases = query(addresses)
    var answers = try ask(customers.requests + purchases.requests)[...]
    customerQueries.keep(customers, &answers)
    try earlierReads.keep([purchases], &answers)
    for address in addresses {
      guard let row = prefetched?.booked.purchases[address.number] else { continue }
      let mergedInto = prefetched?.customers[row.customer]?.mergedInto ?? 0
      let owner = CustomerDirectory.CustomerAddress(original: row.customer, mergedInto: mergedInto)
      for key in keys[row.number] ?? [] { prefetched?.booked.want(key: key, at: owner) }
      if row.refund != nil {
        // The currency may come back, into any of the lots that it was taken from.
        prefetched?.booked.want(.all, of: row.transaction, at: owner)
      } else if let grant = row.grant {
        prefetched?.booked.want(lot: grant.lot, at: owner)
      } else {
        prefetched?.booked.want([.row, .postings], of: row.transaction, at: owner)
      }
    }
    try earlierReads.completeEarlier()
  }

  /// Returns the question for purchases by the customers that they were credited to.
  ///
  /// - Parameter addresses: All name a customer.
  func query(_ addresses: Set<RowAddress>) -> RowsQuery {
    let requests =
      layout.isDistributed
      ? Dictionary(grouping: addresses) { layout.lane(of: $0.customer ?? 0) }.values.map(Self.ofShard)
      : [Self.oneStepEach(Array(addresses))]
    return RowsQuery(requests: requests) { $0.keep(purchase: PurchaseRow.read($1, $2)) }
  }

  /// Returns the question for the purchases of lots, by the lots' customers.
  func query(ofLots addresses: Set<RowAddress>) -> RowsQuery {
    let request = Self.oneStepEach(
      Array(addresses), "(SELECT l.purchase FROM lots l WHERE l.customer = owner AND l.lot = wanted)")
    return RowsQuery(requests: [request]) { $0.keep(purchase: PurchaseRow.read($1, $2)) }
  }

  /// - Parameter number: The purchase's, said with the `wanted` number and its `owner`.
  private static func oneStepEach(_ addresses: [RowAddress], _ number: String = "wanted") -> PostgresRequest {
    PostgresRequest(
      """
      SELECT found.* FROM (SELECT unnest($1) AS owner, unnest($2) AS wanted) places CROSS JOIN LATERAL (
        SELECT \(PurchaseRow.columns) FROM \(PurchaseRow.tables)
        WHERE p.customer = owner AND p.purchase = \(number) AND \(PurchaseRow.isNewestRefund) OFFSET 0
      ) found
      """
    ) {
      $0.add(addresses) { $0.customer ?? 0 }
      $0.add(addresses, \.number)
    }
  }

  private static func ofShard(_ addresses: [RowAddress]) -> PostgresRequest {
    PostgresRequest(
      """
      SELECT \(PurchaseRow.columns)
      FROM \(PurchaseRow.tables(of: { "\($0).customer = p.customer AND \($0).customer = ANY($1)" }))
      WHERE p.customer = ANY($1) AND p.purchase = ANY($2) AND \(PurchaseRow.isNewestRefund)
      """
    ) {
      $0.add(Array(Set(addresses.map { $0.customer ?? 0 }))) { $0 }
      $0.add(addresses, \.number)
    }
  }
}
#endif
