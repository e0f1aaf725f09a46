internal import GemLedger

extension Verifier {
  /// Replays the merges, and returns the final surviving customer of each merged customer.
  mutating func replayMerges() throws(LedgerError) -> [CustomerNumber: CustomerNumber] {
    var survivingCustomers: [CustomerNumber: CustomerNumber] = [:]
    var parts: [CustomerNumber: [CustomerNumber]] = [:]
    var last: TransactionNumber = 0
    while true {
      let page = try scan.merges(after: last, limit: ScanPage.size)
      guard let end = page.last?.transaction else { return survivingCustomers }
      let transactions = try snapshot.transactions(page.map { RowAddress($0.transaction, of: $0.into) })
      for row in page {
        let transaction = transactions[row.transaction]
        survivors[row.transaction] = row.into
        if transaction?.kind != .merge || transaction?.customer != row.into || survivingCustomers[row.from] != nil {
          report(
            "merges_have_transactions",
            "the merge of customer number \(row.from) into \(row.into) names transaction \(row.transaction), which is "
              + "missing or not that merge")
        }
        freezeEvents.append(FreezeEvent(transaction: row.transaction, customer: row.into, kind: .merge(row.from)))
        let moved = [row.from] + (parts.removeValue(forKey: row.from) ?? [])
        for customer in moved { survivingCustomers[customer] = row.into }
        parts[row.into, default: []] += moved
      }
      try checkSums(of: page)
      last = end
    }
  }

  /// Compares every customer's row with the journal, and counts the customers that are not merged.
  mutating func checkCustomers(survivingCustomers: [CustomerNumber: CustomerNumber]) throws(LedgerError) -> Int64 {
    let frozen = replayFreezes()
    var merged: [CustomerNumber: Int64] = [:]
    for survivingCustomer in survivingCustomers.values { merged[survivingCustomer, default: 0] += 1 }
    var count: Int64 = 0
    var idCount: Int64 = 0
    var last: CustomerNumber = 0
    while true {
      let page = try snapshot.customers(after: last, limit: ScanPage.size)
      guard let end = page.last?.number else { break }
      let named = try snapshot.customers(named: page.map(\.id))
      let added = try snapshot.addedIDs(of: page.map(\.number))
      for row in page {
        if named[row.id] == nil {
          report("customers_are_known", "customer number \(row.number) is not found by its id \"\(row.id)\"")
        }
        if row.mergedInto != survivingCustomers[row.number] ?? 0 || row.merged != merged[row.number] ?? 0 {
          report(
            "merges_replay",
            "customer number \(row.number) became part of \(row.mergedInto) and has \(row.merged) parts; the journal "
              + "says \(survivingCustomers[row.number] ?? 0) and \(merged[row.number] ?? 0)")
        }
        if row.frozen != frozen[row.number] ?? 0 {
          report(
            "freezes_replay",
            "customer number \(row.number) is frozen \(row.frozen); the journal says \(frozen[row.number] ?? 0)")
        }
        if row.mergedInto == 0 { count += 1 }
        // The replacement id of an erased customer tells the number, and need not be listed.
        idCount += (row.isErased(salt: definitions.transactionIDs.salt) ? 0 : 1) + Int64(added[row.number]?.count ?? 0)
        checkErasure(of: row, survivor: survivingCustomers[row.number] ?? row.number)
      }
      last = end
    }
    try checkIDs(count: idCount)
    return count
  }

  /// Checks that an erased customer's replacement id tells the customer's own number.
  ///
  /// Without an erasure such an id is a caller's, from before callers' ids were checked for that form.
  private mutating func checkErasure(of row: CustomerRow, survivor: CustomerNumber) {
    guard !row.isErased(salt: definitions.transactionIDs.salt) else { return }
    if erasedCustomers.contains(row.number) || row.id.isOfErased && erasedCustomers.contains(survivor) {
      report("ids_name_customers", "the erased customer number \(row.number) has the id \"\(row.id)\", not its own")
    }
  }

  /// Checks that every id names the customer that has it.
  private mutating func checkIDs(count: Int64) throws(LedgerError) {
    var found: Int64 = 0
    var last: CustomerID?
    while true {
      let page = try scan.customerIDs(after: last, limit: ScanPage.size)
      if page.isEmpty { break }
      let customers = try snapshot.customers(Self.distinct(page.map(\.customer)))
      let others = page.filter { customers[$0.customer]?.id != $0.id }
      let added = try snapshot.addedIDs(of: Self.distinct(others.map(\.customer)))
      for row in others {
        if customers[row.customer] == nil || added[row.customer]?.contains(row.id) != true {
          report(
            "ids_name_customers", "the id \"\(row.id)\" names customer number \(row.customer), whose it is not")
        }
      }
      let salt = definitions.transactionIDs.salt
      found += Int64(page.count { !$0.id.isOfErased || $0.id.numberOfErased(salt: salt) != $0.customer })
      last = page.last?.id
    }
    if found != count { report("ids_name_customers", "there are \(found) ids; the customers have \(count)") }
  }

  /// Replays the freezes, and returns the frozen customers by the journal.
  private func replayFreezes() -> [CustomerNumber: Int64] {
    var frozen: [CustomerNumber: Int64] = [:]
    for event in freezeEvents.sorted(by: { $0.transaction < $1.transaction }) {
      let before = frozen[event.customer] ?? 0
      switch event.kind {
      case .byPerson(let isFrozen): frozen[event.customer] = FreezeRules.frozen(before, byPerson: isFrozen)
      case .byRefund(let change): frozen[event.customer] = FreezeRules.frozen(before, byRefunds: change)
      case .merge(let from):
        frozen[event.customer] = FreezeRules.frozen(before, and: frozen.removeValue(forKey: from) ?? 0)
      }
    }
    return frozen
  }
}

/// A transaction that decides whether a customer may spend.
struct FreezeEvent {
  enum Kind {
    case byPerson(Bool)
    case byRefund(Int64)
    case merge(CustomerNumber)
  }

  let transaction: TransactionNumber
  let customer: CustomerNumber
  let kind: Kind
}
