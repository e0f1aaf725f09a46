#if PostgreSQL
internal import GemLedger
internal import Synchronization

/// The queries for a group's customers, with their accounts and the first of their lots.
struct CustomerQueries: SessionPart {
  let session: PostgresSession

  /// A question for customers with all that the common commands ask of them.
  struct CustomersQuery {
    let survivingCustomers: [CustomerNumber]
    /// Whether the first of their lots come with it: a question each, behind the customers' own.
    let hasLots: Bool
    let requests: [PostgresRequest]
  }

  func question(for survivingCustomers: [CustomerNumber], withLots: Bool = true) -> CustomersQuery {
    let hasLots = withLots && memory.lotDemand.load(ordering: .relaxed) > 0
    let requests = ofOneShard(survivingCustomers).flatMap { survivingCustomers in
      [
        PostgresRequest(Self.customersWithAccounts(isDistributed: layout.isDistributed)) {
          $0.add(survivingCustomers) { $0 }
        }
      ]
        + (hasLots ? [PostgresRequest(Self.firstLots) { $0.add(survivingCustomers) { $0 } }] : [])
    }
    return CustomersQuery(survivingCustomers: survivingCustomers, hasLots: hasLots, requests: requests)
  }

  /// A distributed engine joins tables row by row within a shard only.
  private func ofOneShard(_ customers: [CustomerNumber]) -> [[CustomerNumber]] {
    if customers.isEmpty { return [] }
    guard layout.isDistributed else { return [customers] }
    return Dictionary(grouping: customers, by: layout.lane(of:)).values.map { $0.sorted() }
  }

  /// Fetches first pages of lots that the group's beginning left out, as it does in ledgers without such lots.
  func fetchFirstLots() throws(LedgerError) {
    guard let missing = prefetched?.unfetchedLots, !missing.isEmpty else { return }
    prefetched?.unfetchedLots = []
    let requests = ofOneShard(missing.sorted()).map { owners in
      PostgresRequest(Self.firstLots) { $0.add(owners) { $0 } }
    }
    for lots in try ask(requests) { keep(lots: lots) }
  }

  /// A distributed engine needs the shard of each table in the query; a single server would look each row up in the
  /// list again.
  private static func customersWithAccounts(isDistributed: Bool) -> String {
    """
    SELECT c.customer, id, created_at, frozen, frozen_reason, merged_into, merged_count, erased_by, a.*
    FROM customers c LEFT JOIN (
      SELECT \(AccountRow.columns) FROM accounts\(isDistributed ? " WHERE customer = ANY($1)" : "")
    ) a ON a.customer = c.customer
    WHERE c.customer = ANY($1)
    """
  }

  // Of each account with open lots the first page of either class; an account without any costs a look at its row.
  private static let firstLots = """
    SELECT l.* FROM accounts a CROSS JOIN LATERAL (
      (SELECT \(LotRow.columns) FROM lots
        WHERE a.open_lots > 0 AND customer = a.customer AND customer = ANY($1) AND currency = a.currency
          AND (source = 1) = false AND remaining > 0
        ORDER BY expires_at, lot LIMIT \(Prefetched.lotsPerPage))
      UNION ALL
      (SELECT \(LotRow.columns) FROM lots
        WHERE a.open_lots > 0 AND customer = a.customer AND customer = ANY($1) AND currency = a.currency
          AND (source = 1) = true AND remaining > 0
        ORDER BY expires_at, lot LIMIT \(Prefetched.lotsPerPage))
    ) l WHERE a.customer = ANY($1)
    """

  func keep(_ question: CustomersQuery, _ answers: inout ArraySlice<PostgresRows>) {
    guard !question.requests.isEmpty else { return }
    prefetched?.fetched.formUnion(question.survivingCustomers)
    var holders: Set<CustomerNumber> = []
    var left = question.requests.count
    while left > 0 {
      keep(customers: answers.removeFirst(), &holders)
      if question.hasLots { keep(lots: answers.removeFirst()) }
      left -= question.hasLots ? 2 : 1
    }
    if !question.hasLots { prefetched?.unfetchedLots.formUnion(holders) }
    if !holders.isEmpty {
      memory.lotDemand.store(StorageCache.lotDemandMax, ordering: .relaxed)
    } else if question.hasLots {
      memory.lotDemand.subtract(1, ordering: .relaxed)
    }
  }

  /// - Parameter holders: Gets those with open lots.
  private func keep(customers: PostgresRows, _ holders: inout Set<CustomerNumber>) {
    for row in 0..<customers.count {
      let customer = CustomerRow.read(customers, row)
      prefetched?.customers[customer.number] = customer
      if customers.integer(row, 7) != 0 { prefetched?.erased.insert(customer.number) }
      // A customer without accounts has nulls in these columns.
      guard !customers.isNull(row, 8) else { continue }
      let account = AccountRow.read(customers, row, at: 8)
      prefetched?.accounts[account.number] = account
      if account.openLots > 0 { holders.insert(customer.number) }
    }
  }

  private func keep(lots: PostgresRows) {
    for row in 0..<lots.count {
      let lot = LotRow.read(lots, row)
      prefetched?.openLots[Prefetched.LotStream(account: lot.account, paid: lot.isPaid), default: []].append(lot)
      prefetched?.lotOwners[lot.number] = lot.account.customer
    }
  }
}
#endif
