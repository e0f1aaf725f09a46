extension Decider {
  /// Credits a store transaction once, whoever asks: its identity is the store's, never the call's or the key's.
  ///
  /// A store transaction that is credited is answered before its key is looked at: the store delivers it again under
  /// whatever key, and the answer must be that it is credited.
  ///
  /// - Throws: in order of precedence `invalid_request`, `amount_out_of_range` (quantity, price), `key_conflict`,
  ///   `product_not_found`, `amount_out_of_range` (the credit passes the hard limit).
  mutating func decide(
    _ command: LedgerCommand.Body, _ purchase: StorePurchase, session: any StorageSnapshot
  ) throws(LedgerError) -> Receipt {
    try RequestRules.check(purchase)
    let identity = PurchaseIdentity(
      store: purchase.store, environment: try set.number(of: purchase.environment, session: session),
      transactionID: purchase.transactionID)
    if let known = try knownPurchase(identity, session: session) {
      let owner = try owner(of: known, session: session)
      return try replay(known.transaction, of: known.customer, customer: owner.id, session: session)
    }
    var customer = try findCustomer(command.customer, session: session)
    let isNew = customer == nil
    if isNew {
      try rehearse(command, session: session)
      customer = try set.addCustomer(command.customer, session: session)
    }
    guard let customer else { throw .customerNotFound(command.customer) }
    let receipt: Receipt
    do throws(LedgerError) {
      receipt = try once(command, customer: customer, isNew: isNew, session: session) {
        (decider: inout Decider) throws(LedgerError) -> Receipt in
        try decider.credit(purchase, identity: identity, command: command, customer: customer, session: session)
      }
    } catch {
      if isNew { set.removeNewestCustomer() }
      throw error
    }
    if !receipt.isReplayed { try settleEarlyRefunds(of: identity, command: command, session: session) }
    return receipt
  }

  /// The customer to whom the purchase was credited, merges counted.
  func owner(of purchase: PurchaseRow, session: any StorageSnapshot) throws(LedgerError) -> CustomerRow {
    let row = try set.knownCustomer(purchase.customer, session: session)
    return row.mergedInto == 0 ? row : try set.knownCustomer(row.mergedInto, session: session)
  }

  func knownPurchase(
    _ identity: PurchaseIdentity, session: any StorageSnapshot
  ) throws(LedgerError) -> PurchaseRow? {
    if let new = set.newPurchase(identity) { return new }
    guard let row = try session.purchase(identity) else { return nil }
    return set.withRefund(row)
  }

  /// What the newest transaction gave, where that is one lot's currency.
  private func soleGrant() -> LotAmount? {
    let own = set.changes.entries.suffix(2).filter { $0.transaction == set.sequences.transaction }
    guard own.count == 1, let entry = own.first, entry.lot != 0 else { return nil }
    return LotAmount(currency: entry.account.currency, lot: entry.lot, amount: entry.amount)
  }

  private mutating func credit(
    _ purchase: StorePurchase, identity: PurchaseIdentity, command: LedgerCommand.Body, customer: FoundCustomer,
    session: any StorageSnapshot
  ) throws(LedgerError) -> Receipt {
    let (product, document) = try catalog.product(purchase.product, in: session, terms: terms)
    let number = try set.next(.purchase, session: session)
    let credits = try PurchaseRules.credits(
      of: product, for: purchase, number: number, environment: identity.environment)
    plans.removeAll(keepingCapacity: true)
    var isOverMaximum = false
    for (currency, lots) in credits {
      let amount = lots.reduce(0) { $0 + $1.amount }
      try plan(.purchase, currency, amount, customer: customer, session: session)
      let index = plans.count - 1
      let after = try PurchaseRules.balance(after: plans[index], account: set.accounts[plans[index].slot].row)
      if after > plans[index].currency.maximumBalance { isOverMaximum = true }
      plans[index].credits = lots
    }
    var receipt = try book(.purchase, command: command, customer: customer, session: session)
    receipt.isOverMaximum = isOverMaximum
    let items = product.itemGrants.map { ($0.item, $0.quantity * purchase.quantity) }.sorted { $0.0 < $1.0 }
    try addItems(items, to: &receipt, customer, session)
    set.addPurchase(
      PurchaseRow(
        number: number, identity: identity, customer: customer.number, transaction: set.sequences.transaction,
        product: purchase.product, quantity: purchase.quantity, price: purchase.price,
        purchasedAt: purchase.purchasedAt, terms: document, originalTransactionID: purchase.originalTransactionID,
        expiresAt: purchase.cycleEndsAt, grant: items.isEmpty ? soleGrant() : nil))
    if product.entitlement != nil, let row = set.changes.purchases.last {
      try addEntitlement(of: row, session: session)
    }
    return receipt
  }
}
