internal import GemLedger

/// Checks that owned items are the sums of their transactions, and that each item has a source.
struct ItemCheck {
  private let context: VerifyContext
  private let merges: MergedCustomers
  /// For each item, the number promised by the terms of purchases minus the number granted by their transactions.
  private var due: [ItemID: Int128]
  /// For each item, the number received from other customers minus the number given to them.
  private var moved: [ItemID: Int128] = [:]

  /// - Parameter promised: The number of each item in the terms of purchases.
  init(_ context: VerifyContext, _ merges: MergedCustomers, promised: [ItemID: Int128]) {
    self.context = context
    self.merges = merges
    due = promised
  }

  mutating func run() throws(LedgerError) {
    var owned: [CustomerNumber: [ItemID: Int128]] = [:]
    try context.pages { (page: [ItemEntryRow]) throws(LedgerError) in
      for row in page {
        owned[row.customer, default: [:]][row.item, default: 0] += Int128(row.quantity)
        if owned[row.customer]?[row.item] != Int128(row.owned) {
          context.report(
            "items_replay",
            "transaction \(row.transaction) leaves customer number \(row.customer) with \(row.owned) of "
              + "\"\(row.item)\"; the replay gives \(owned[row.customer]?[row.item] ?? 0)")
        }
      }
      try count(page)
    }
    checkSums()
    try compareOwned(&owned)
  }

  private func compareOwned(_ owned: inout [CustomerNumber: [ItemID: Int128]]) throws(LedgerError) {
    try context.pages { (page: [OwnedItemRow]) throws(LedgerError) in
      for row in page {
        let replayed = owned[row.customer]?.removeValue(forKey: row.item) ?? 0
        if replayed != Int128(row.quantity) {
          context.report(
            "items_replay",
            "customer number \(row.customer) owns \(row.quantity) of \"\(row.item)\"; the replay gives \(replayed)")
        }
      }
    }
    for (customer, items) in owned.inKeyOrder {
      for (item, quantity) in items.inKeyOrder where quantity != 0 {
        context.report(
          "items_replay", "customer number \(customer) should own \(quantity) of \"\(item)\" but has no row of it")
      }
    }
  }

  /// Subtracts the items granted by purchases' transactions, and adds up items moved between customers.
  private mutating func count(_ page: [ItemEntryRow]) throws(LedgerError) {
    // A merge's rows belong to two customers; the transaction may not be found under the merged customer.
    let transactions = try context.snapshot.transactions(page.map { RowAddress($0.transaction, of: $0.customer) })
    for row in page {
      switch merges.survivorsOfMerges[row.transaction] == nil ? transactions[row.transaction]?.kind : .merge {
      case .purchase: due[row.item, default: 0] -= Int128(row.quantity)
      // In a basket, bought or granted parts have only currency.
      case .transfer, .mixed, .merge: moved[row.item, default: 0] += Int128(row.quantity)
      default: break
      }
    }
  }

  private func checkSums() {
    for (item, rest) in due.inKeyOrder where rest != 0 {
      context.report(
        "purchases_credit_their_terms", "purchases added \(-rest) more of \"\(item)\" than their terms give")
    }
    for (item, sum) in moved.inKeyOrder where sum != 0 {
      context.report("items_cancel_out", "transfers of \"\(item)\" between customers add up to \(sum), not to 0")
    }
  }
}
