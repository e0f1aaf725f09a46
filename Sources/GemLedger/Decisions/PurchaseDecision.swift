/// Credits what a store transaction paid for.
enum PurchaseDecision {
  /// Credits a store transaction idempotently: its identity is the store's, never the call's or the key's.
  ///
  /// A credited store transaction is answered before its key is checked. The store may redeliver it under any key, and
  /// the answer must be that it is credited.
  ///
  /// - Throws: in order of precedence `invalid_request`, `amount_out_of_range` (quantity, price), `key_conflict`,
  ///   `product_not_found`, `amount_out_of_range` (the credit passes the hard limit).
  static func decide(
    _ decider: inout Decider, _ command: LedgerCommand.Body, _ purchase: StorePurchase, session: any StorageSnapshot
  ) throws(LedgerError) -> Receipt {
    try RequestRules.check(purchase)
    let identity = PurchaseIdentity(
      store: purchase.store, environment: try decider.set.number(of: purchase.environment, session: session),
      transactionID: purchase.transactionID)
    if let known = try JournalLookup.knownPurchase(&decider.set, identity, session: session) {
      let owner = try JournalLookup.owner(&decider.set, of: known, session: session)
      return try KeyReplay.replay(&decider, known.transaction, of: known.customer, customer: owner.id, session: session)
    }
    var customer = try decider.findCustomer(command.customer, session: session)
    let isNew = customer == nil
    if isNew {
      try decider.rehearse(command, session: session)
      customer = try decider.set.addCustomer(command.customer, session: session)
    }
    guard let customer else { throw .customerNotFound(command.customer) }
    let receipt: Receipt
    do throws(LedgerError) {
      receipt = try KeyReplay.once(&decider, command, customer: customer, isNew: isNew, session: session) {
        (decider: inout Decider) throws(LedgerError) -> Receipt in
        try credit(&decider, purchase, identity: identity, command: command, customer: customer, session: session)
      }
    } catch {
      if isNew { decider.set.removeNewestCustomer() }
      throw error
    }
    if !receipt.isReplayed {
      try RefundDecision.settleEarlyRefunds(&decider, of: identity, command: command, session: session)
    }
    return receipt
  }

  private static func credit(
    _ decider: inout Decider, _ purchase: StorePurchase, identity: PurchaseIdentity, command: LedgerCommand.Body,
    customer: FoundCustomer, session: any StorageSnapshot
  ) throws(LedgerError) -> Receipt {
    let (product, document) = try decider.catalog.product(purchase.product, in: session, terms: decider.terms)
    let number = try decider.set.next(.purchase, session: session)
    let credits = try PurchaseRules.credits(
      of: product, for: purchase, number: number, environment: identity.environment)
    decider.plans.removeAll(keepingCapacity: true)
    var isOverMaximum = false
    for (currency, lots) in credits {
      let amount = lots.reduce(0) { $0 + $1.amount }
      try AccountPlanning.plan(&decider, .purchase, currency, amount, customer: customer, session: session)
      let index = decider.plans.count - 1
      let after = try PurchaseRules.balance(
        after: decider.plans[index], account: decider.set.accounts[decider.plans[index].slot].row)
      if after > decider.plans[index].currency.maximumBalance { isOverMaximum = true }
      decider.plans[index].credits = lots
    }
    var receipt = try JournalPosting.book(&decider, .purchase, command: command, customer: customer, session: session)
    receipt.isOverMaximum = isOverMaximum
    let items = product.itemGrants.map { ($0.item, $0.quantity * purchase.quantity) }.sorted { $0.0 < $1.0 }
    try OwnedItems.add(&decider.set, items, to: &receipt, customer, session)
    decider.set.addPurchase(
      PurchaseRow(
        number: number, identity: identity, customer: customer.number, transaction: decider.set.sequences.transaction,
        product: purchase.product, quantity: purchase.quantity, price: purchase.price,
        purchasedAt: purchase.purchasedAt, terms: document, originalTransactionID: purchase.originalTransactionID,
        expiresAt: purchase.cycleEndsAt, grant: items.isEmpty ? soleGrant(&decider.set) : nil))
    if product.entitlement != nil, let row = decider.set.changes.purchases.last {
      try EntitlementDecision.add(&decider.set, of: row, session: session)
    }
    return receipt
  }

  /// The grant of the newest transaction, where it is one lot's currency.
  private static func soleGrant(_ set: inout WorkingSet) -> LotAmount? {
    let own = set.changes.entries.suffix(2).filter { $0.transaction == set.sequences.transaction }
    guard own.count == 1, let entry = own.first, entry.lot != 0 else { return nil }
    return LotAmount(currency: entry.account.currency, lot: entry.lot, amount: entry.amount)
  }
}
