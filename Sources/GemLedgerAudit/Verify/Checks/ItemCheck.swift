internal import GemLedger

/// Checks that the items that customers own are the sums of their transactions, and that none came from nowhere.
struct ItemCheck {
  private let context: VerifyContext
  private let merges: MergedCustomers
  /// How many of each item the terms of purchases give, less how many their transactions brought.
  private var due: [ItemID: Int128]
  /// How many of each item came to customers from others, less how many went.
  private var moved: [ItemID: Int128] = [:]

  /// - Parameter promised: How many of each item the terms of purchases give.
  init(_ context: VerifyContext, _ merges: MergedCustomers, promised: [ItemID: Int128]) {
    self.context = context
    self.merges = merges
    due = promised
  }

  mutating func run() throws(LedgerError) {
    var owned: [CustomerNumber: [ItemID: Int128]] = [:]
    var last: ItemEntryRow?
    while true {
      let page = try context.scan.itemEntries(after: last, limit: ScanPage.size)
      if page.isEmpty { break }
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
      last = page.last
    }
    checkSums()
    try compareOwned(&owned)
  }

  private func compareOwned(_ owned: inout [CustomerNumber: [ItemID: Int128]]) throws(LedgerError) {
    var last: OwnedItemRow?
    while true {
      let page = try context.scan.ownedItems(after: last, limit: ScanPage.size)
      if page.isEmpty { break }
      for row in page {
        let replayed = owned[row.customer]?.removeValue(forKey: row.item) ?? 0
        if replayed != Int128(row.quantity) {
          context.report(
            "items_replay",
            "customer number \(row.customer) owns \(row.quantity) of \"\(row.item)\"; the replay gives \(replayed)")
        }
      }
      last = page.last
    }
    for (customer, items) in owned.inKeyOrder {
      for (item, quantity) in items.inKeyOrder where quantity != 0 {
        context.report(
          "items_replay", "customer number \(customer) should own \(quantity) of \"\(item)\" and has no row of it")
      }
    }
  }

  /// Subtracts the items that purchases' transactions brought from the promised ones, and adds up items that customers
  /// gave others.
  private mutating func count(_ page: [ItemEntryRow]) throws(LedgerError) {
    // A merge's rows belong to two customers, and its transaction need not be found by the giving one.
    let transactions = try context.snapshot.transactions(page.map { RowAddress($0.transaction, of: $0.customer) })
    for row in page {
      switch merges.survivorsOfMerges[row.transaction] == nil ? transactions[row.transaction]?.kind : .merge {
      case .purchase: due[row.item, default: 0] -= Int128(row.quantity)
      // In a basket, bought or granted parts are currency alone.
      case .transfer, .mixed, .merge: moved[row.item, default: 0] += Int128(row.quantity)
      default: break
      }
    }
  }

  private func checkSums() {
    for (item, rest) in due.inKeyOrder where rest != 0 {
      context.report(
        "purchases_credit_their_terms", "purchases brought \(-rest) more of \"\(item)\" than their terms give")
    }
    for (item, sum) in moved.inKeyOrder where sum != 0 {
      context.report("items_cancel_out", "what customers gave each other of \"\(item)\" comes to \(sum), not to 0")
    }
  }
}
