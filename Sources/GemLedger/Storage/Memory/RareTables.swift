/// What few commands touch, and the indexes that only rare questions need.
struct RareTables {
  var addedIDs: [CustomerID: CustomerNumber] = [:]
  /// The ids that were added, by customer.
  var idsOfCustomers: [CustomerNumber: [CustomerID]] = [:]
  var mergedInto: [CustomerNumber: [CustomerNumber]] = [:]
  var merges: [MergeRow] = []
  /// In the order of lots.
  var lotTerms: [LotTermsRow] = []
  var evidence: [PurchaseIdentity: [RefundEvidenceRow]] = [:]
  var refunds: [RefundRow] = []
  /// Places in ``refunds``, by purchase.
  var refundsOfPurchases: [Int64: [Int]] = [:]
  var refundParts: [TransactionNumber: [RefundPartRow]] = [:]
  /// Places among the purchases, by customer.
  var purchasesOfCustomers: [CustomerNumber: [Int]] = [:]
  /// What a customer ever owned.
  var itemsOfCustomers: [CustomerNumber: Set<ItemID>] = [:]
  var effects = MemoryEffects()
}

extension MemoryTables {
  // MARK: Reading

  /// The customer whom a number means, merges counted.
  @inline(__always)
  func found(_ origin: CustomerNumber) -> FoundCustomer {
    customers[Int(origin) - 1].isPlain ? FoundCustomer(number: origin, isFrozen: false) : foundAfterAll(origin)
  }

  private func foundAfterAll(_ origin: CustomerNumber) -> FoundCustomer {
    let row = customers[Int(origin) - 1]
    return FoundCustomer(row.mergedInto == 0 ? row : customers[Int(row.mergedInto) - 1], origin: origin)
  }

  func mergedCustomers(into number: CustomerNumber) -> [CustomerNumber] {
    (rare.mergedInto[number] ?? []).sorted()
  }

  func addedIDs(of number: CustomerNumber) -> [CustomerID] { rare.idsOfCustomers[number] ?? [] }

  func lotTerms(_ number: LotNumber) -> LotTermsRow? {
    // A lot's terms lie at its own place, or before it by as many numbers as refused commands drew in vain.
    let own = Int(number) - 1
    if rare.lotTerms.indices.contains(own), rare.lotTerms[own].lot == number { return rare.lotTerms[own] }
    let place = firstTerms(after: number - 1)
    guard place < rare.lotTerms.count, rare.lotTerms[place].lot == number else { return nil }
    return rare.lotTerms[place]
  }

  func withRefund(_ row: PurchaseRow) -> PurchaseRow {
    guard let newest = rare.refundsOfPurchases[row.number]?.last else { return row }
    var row = row
    row.refund = rare.refunds[newest].state
    return row
  }

  func purchases(of customer: CustomerNumber, below: Int64, limit: Int) -> [PurchaseRow] {
    let own = rare.purchasesOfCustomers[customer] ?? []
    let rows = own.reversed().lazy.map { self.purchases[$0] }.filter { $0.number < below }
    return rows.prefix(limit).map(withRefund)
  }

  func refundEvidence(_ identity: PurchaseIdentity) -> [RefundEvidenceRow] { rare.evidence[identity] ?? [] }

  func refunds(of purchase: Int64) -> [RefundRow] {
    (rare.refundsOfPurchases[purchase] ?? []).map { rare.refunds[$0] }
  }

  func refundParts(of transaction: TransactionNumber) -> [RefundPartRow] { rare.refundParts[transaction] ?? [] }

  func ownedItems(of customer: CustomerNumber) -> [OwnedItemRow] {
    (rare.itemsOfCustomers[customer] ?? []).sorted().map {
      OwnedItemRow(customer: customer, item: $0, quantity: owned($0, customer: customer))
    }
  }

  private func firstTerms(after number: LotNumber) -> Int {
    var (low, high) = (0, rare.lotTerms.count)
    while low < high {
      let middle = (low + high) / 2
      if rare.lotTerms[middle].lot <= number { low = middle + 1 } else { high = middle }
    }
    return low
  }

  // MARK: Writing

  func write(_ changes: RareChanges) {
    for row in changes.movedLots { set(row) }
    rare.lotTerms += changes.lotTerms
    for row in changes.changedCustomers { change(row) }
    for row in changes.addedIDs {
      rare.addedIDs[row.id] = row.customer
      rare.idsOfCustomers[row.customer, default: []].append(row.id)
    }
    rare.merges += changes.merges
    for row in changes.refunds {
      rare.refundsOfPurchases[row.purchase, default: []].append(rare.refunds.count)
      rare.refunds.append(row)
    }
    for row in changes.refundParts { rare.refundParts[row.transaction, default: []].append(row) }
    for row in changes.refundEvidence {
      rare.evidence[row.identity] = RefundRules.adding(row, to: rare.evidence[row.identity] ?? [])
    }
    rare.effects.write(changes)
    for row in changes.erasures { erase(row) }
    // An id and its customer are one row here, so that neither is ever without the other.
    for change in changes.idChanges.renamed { rename(change.row.number, change.id) }
  }

  private func change(_ row: CustomerRow) {
    let old = customers[Int(row.number) - 1]
    customers[Int(row.number) - 1] = row
    guard old.mergedInto != row.mergedInto else { return }
    rare.mergedInto[old.mergedInto]?.removeAll { $0 == row.number }
    rare.mergedInto[row.mergedInto, default: []].append(row.number)
  }

  /// Takes a lot out of its account's lists, before it is put into another's.
  func leave(_ old: LotRow) {
    if old.remaining > 0 { accountLots[old.account]?.setOpen(old, isOpen: false) }
    lots[old.number]?.remaining = 0
  }
}
