#if PostgreSQL
internal import GemLedger
internal import Synchronization

/// Reads that only some groups need: where one command of a group asks, the rows of all customers are fetched.
struct GroupReads: SessionPart {
  let session: PostgresSession

  /// Those of the group's customers that have rows of their own and are not among the given.
  private func others(than asked: some Collection<CustomerNumber>) -> [CustomerNumber] {
    guard let prefetched else { return [] }
    return prefetched.fetched.subtracting(prefetched.made).subtracting(asked).sorted()
  }

  private func isOfGroup(_ customer: CustomerNumber) -> Bool { prefetched?.fetched.contains(customer) == true }

  /// Returns the customers merged into the customer; nil outside of groups.
  func mergedInGroup(into customer: CustomerNumber) throws(LedgerError) -> [CustomerNumber]? {
    guard let prefetched, isOfGroup(customer) else { return nil }
    guard let row = prefetched.customers[customer], row.merged > 0 else { return [] }
    if let known = prefetched.booked.merged[customer] { return known }
    let several = prefetched.customers.values.filter { $0.merged > 0 }.map(\.number)
    let missing = several.filter { prefetched.booked.merged[$0] == nil }
    let rows = try rows("SELECT customer, merged FROM merged_customers WHERE customer = ANY($1) ORDER BY merged") {
      $0.add(missing) { $0 }
    }
    for number in missing { self.prefetched?.booked.merged[number] = [] }
    for row in 0..<rows.count {
      self.prefetched?.booked.merged[rows.integer(row, 0), default: []].append(rows.integer(row, 1))
    }
    return self.prefetched?.booked.merged[customer] ?? []
  }

  /// The ids that the customer was given beside the first one; nil outside of groups.
  func addedIDsInGroup(of customer: CustomerNumber) throws(LedgerError) -> [CustomerID]? {
    if let known = prefetched?.addedIDs[customer] { return known }
    guard let prefetched, isOfGroup(customer) else { return nil }
    if prefetched.made.contains(customer) { return [] }
    let missing = others(than: prefetched.addedIDs.keys)
    let found = try session.addedIDs(of: missing)
    for number in missing { self.prefetched?.addedIDs[number] = found[number] ?? [] }
    return self.prefetched?.addedIDs[customer]
  }

  /// Few commands ask for one; where one does, others of the group will too, so that all are fetched at once.
  func fetchPooledLots() throws(LedgerError) {
    guard let prefetched else { return }
    let missing = prefetched.fetched.subtracting(prefetched.pooled)
    self.prefetched?.pooled.formUnion(missing)
    let asked = missing.subtracting(prefetched.made).sorted()
    guard !asked.isEmpty else { return }
    let lots = try all(
      """
      SELECT \(LotRow.columns) FROM lots WHERE customer = ANY($1) AND purchase IS NULL
        AND expires_at = 9223372036854775807 AND price IS NULL
      """, { $0.add(asked) { $0 } }, LotRow.read)
    for lot in lots {
      self.prefetched?.pooledLots[lot.account, default: []].append(lot)
      self.prefetched?.lotOwners[lot.number] = lot.account.customer
    }
  }

  // MARK: Holds

  /// The open holds of the customer; nil outside of groups.
  func heldInGroup(by customer: CustomerNumber) throws(LedgerError) -> [HoldRow]? {
    guard let prefetched, isOfGroup(customer) else { return nil }
    if prefetched.made.contains(customer) { return [] }
    if let known = prefetched.heldBy[customer] { return known }
    let due = prefetched.accounts.values.filter { $0.nextDue != .max }.map(\.number.customer)
    let asked = Set(due + [customer]).filter { prefetched.heldBy[$0] == nil }.sorted()
    let holds = try all(
      "SELECT \(HoldRow.columns) FROM open_holds WHERE customer = ANY($1) ORDER BY deadline, hold",
      { $0.add(asked) { $0 } }, HoldRow.read)
    for number in asked { self.prefetched?.heldBy[number] = [] }
    for hold in holds {
      self.prefetched?.heldBy[hold.customer, default: []].append(hold)
      self.prefetched?.holdOwners[hold.number] = hold.customer
    }
    return self.prefetched?.heldBy[customer]
  }

  /// Fetches the rows of all open holds that were looked at, if the hold is one of them.
  func fetchOpenHold(_ number: TransactionNumber) throws(LedgerError) {
    guard let prefetched, prefetched.holdOwners[number] != nil, prefetched.booked.addresses[number] == nil else {
      return
    }
    try fetchOpenHolds()
  }

  /// Fetches the rows of all open holds that were looked at.
  func fetchOpenHolds() throws(LedgerError) {
    guard let prefetched else { return }
    let holds = prefetched.heldBy.values.joined().filter { prefetched.booked.addresses[$0.number] == nil }
    if holds.isEmpty { return }
    for hold in holds {
      prefetched.booked.add(hold)
      let address = CustomerDirectory.CustomerAddress(original: hold.customer, survivingCustomer: hold.customer)
      prefetched.booked.want([.row, .attributes], of: hold.number, at: address)
    }
    try earlierReads.completeEarlier()
  }

  // MARK: Counts

  /// Returns the customer's counts; nil outside of groups.
  func countsInGroup(of customer: CustomerNumber) throws(LedgerError) -> [CountKey: CountRow]? {
    guard prefetched != nil else { return nil }
    memory.countDemand.store(StorageCache.countDemandMax, ordering: .relaxed)
    if let known = prefetched?.counts[customer] { return known }
    guard let prefetched, isOfGroup(customer) else { return nil }
    if prefetched.made.contains(customer) { return [:] }
    let question = countQuestion(of: others(than: prefetched.counts.keys))
    var answers = try ask(question.requests)[...]
    try earlierReads.keep([question], &answers)
    return self.prefetched?.counts[customer] ?? [:]
  }

  private func countQuestion(of customers: [CustomerNumber]) -> RowsQuery {
    for customer in customers { prefetched?.counts[customer] = [:] }
    let request = PostgresRequest("SELECT \(CountRow.columns) FROM counters WHERE customer = ANY($1)") {
      $0.add(customers) { $0 }
    }
    return RowsQuery(requests: [request]) {
      let count = CountRow.read($1, $2)
      $0.counts[count.customer, default: [:]][count.key] = count
    }
  }

  /// Returns the question for the customers' counts, if a command needs them or a recent one did.
  ///
  /// The catalog decides whether anything is counted, and then most commands read the counts.
  func countQuestions(
    _ footprints: [LedgerCommand.Footprint?], of customers: [CustomerNumber]
  ) -> [RowsQuery] {
    let demand = memory.countDemand.load(ordering: .relaxed)
    if demand > 0 { memory.countDemand.store(demand - 1, ordering: .relaxed) }
    guard !customers.isEmpty, demand > 0 || footprints.contains(where: { $0?.wantsCounts ?? false }) else {
      return []
    }
    return [countQuestion(of: customers)]
  }

  // MARK: Items

  /// How many of the item the customer owns; nil outside of groups.
  func ownedInGroup(_ item: ItemID, by customer: CustomerNumber) throws(LedgerError) -> Int64? {
    if let known = prefetched?.owned[item]?[customer] { return known }
    guard let prefetched, isOfGroup(customer) else { return nil }
    if prefetched.made.contains(customer) { return 0 }
    let customers = others(than: (prefetched.owned[item] ?? [:]).keys)
    let rows = try rows("SELECT customer, quantity FROM owned_items WHERE customer = ANY($1) AND item = $2") {
      $0.add(customers) { $0 }
      $0.add(item.text)
    }
    for number in customers { self.prefetched?.owned[item, default: [:]][number] = 0 }
    for row in 0..<rows.count { self.prefetched?.owned[item]?[rows.integer(row, 0)] = rows.integer(row, 1) }
    return self.prefetched?.owned[item]?[customer] ?? 0
  }

  // MARK: Refunds of purchases that currency comes back to

  /// The refunds of a purchase that the group fetched with the lots it paid for; nil for another.
  func refundsInGroup(of purchase: Int64) throws(LedgerError) -> [RefundRow]? {
    guard let prefetched, prefetched.booked.purchases[purchase] != nil else { return nil }
    if let known = prefetched.refunds[purchase] { return known }
    let purchases = prefetched.booked.purchases.values.filter { $0.refund != nil || $0.number == purchase }
    let missing = purchases.filter { prefetched.refunds[$0.number] == nil }
    let refunds = try session.refunds(of: missing.map { RowAddress($0.number, of: $0.customer) })
    var addresses: [RowAddress] = []
    for row in missing {
      self.prefetched?.refunds[row.number] = refunds[row.number] ?? []
      addresses += (refunds[row.number] ?? []).map { RowAddress($0.transaction, of: row.customer) }
      // The purchase's grant tells which of the refunds' parts are about which currency.
      let address =
        prefetched.booked.addresses[row.transaction]
        ?? CustomerDirectory.CustomerAddress(original: row.customer, survivingCustomer: row.customer)
      if row.grant == nil, !prefetched.booked.knows([.row, .postings], of: row.transaction) {
        self.prefetched?.booked.want([.row, .postings], of: row.transaction, at: address)
      }
    }
    let parts = try session.refundParts(of: addresses)
    for address in addresses { self.prefetched?.refundParts[address.number] = parts[address.number] ?? [] }
    try earlierReads.completeEarlier()
    return self.prefetched?.refunds[purchase]
  }
}
#endif
