/// Opens orders and takes them on, and registers account tokens.
enum OrderDecision {
  /// - Throws: in order of precedence `amount_out_of_range`, `key_conflict`, `already_exists` (the code is taken).
  static func open(
    _ decider: inout Decider, _ command: LedgerCommand.Body, _ opening: OrderOpening, session: any StorageSnapshot
  ) throws(LedgerError) -> Receipt {
    try RequestRules.check(quantity: opening.quantity, of: opening.product.text)
    let known = try decider.findCustomer(command.customer, session: session)
    if let known, let key = opening.key,
      let order = try decider.set.orders.find(key: key, customer: known, session: session)
    {
      if let field = order.differingField(from: opening) {
        throw LedgerError(
          .keyConflict,
          "The key \"\(key)\" was used before for another order: it differs in \(field). Use a new key for a new "
            + "order.",
          details: [.text("field", field)])
      }
      return JournalPosting.answer(&decider.set, command.customer, isReplayed: true)
    }
    let purchase = try paidPurchase(&decider.set, opening, session: session)
    if let purchase, try decider.set.orders.find(purchase: purchase.number, session: session) != nil {
      return JournalPosting.answer(&decider.set, command.customer, isReplayed: true)
    }
    guard try decider.set.orders.find(opening.code, session: session) == nil else {
      throw LedgerError(.alreadyExists, "There is an order \(opening.code) already.")
    }
    let customer = if let known { known } else { try decider.set.addCustomer(command.customer, session: session) }
    var row = OrderRow(
      number: try decider.set.next(.order, session: session), code: opening.code, customer: customer.number,
      store: opening.store, product: opening.product, quantity: opening.quantity, request: opening.request,
      key: opening.key, createdAt: decider.set.now,
      deadline: decider.set.now.advanced(milliseconds: opening.lifetimeMilliseconds))
    if let purchase, row.fits(purchase) {
      row.complete(by: purchase, at: decider.set.now, retryAfterMilliseconds: opening.retryAfterMilliseconds)
    }
    decider.set.orders.add(row)
    return JournalPosting.answer(&decider.set, command.customer, isReplayed: false)
  }

  /// Credits the purchase first, whatever the order's state: a paid purchase is always credited.
  ///
  /// A receipt for another product, store or quantity than announced pays for no order, and one order is paid for once.
  ///
  /// - Throws: `order_not_found`, then as the credit of a purchase.
  static func complete(
    _ decider: inout Decider, _ command: LedgerCommand.Body, _ completion: OrderCompletion,
    session: any StorageSnapshot
  ) throws(LedgerError) -> Receipt {
    guard var order = try decider.set.orders.find(completion.code, session: session) else {
      throw .orderNotFound(completion.code)
    }
    var receipt = try PurchaseDecision.decide(&decider, command, completion.purchase, session: session)
    let environment = try decider.set.number(of: completion.purchase.environment, session: session)
    let identity = PurchaseIdentity(
      store: completion.purchase.store, environment: environment, transactionID: completion.purchase.transactionID)
    guard order.purchase == nil,
      let purchase = try JournalLookup.knownPurchase(&decider.set, identity, session: session), order.fits(purchase),
      try decider.set.orders.find(purchase: purchase.number, session: session) == nil
    else { return receipt }
    order.complete(by: purchase, at: decider.set.now, retryAfterMilliseconds: completion.retryAfterMilliseconds)
    decider.set.orders.replace(order)
    receipt.completesOrder = true
    return receipt
  }

  /// - Throws: `order_not_found`.
  static func advance(
    _ set: inout WorkingSet, _ command: LedgerCommand.Body, _ code: PurchaseCode, _ step: OrderStep,
    session: any StorageSnapshot
  ) throws(LedgerError) -> Receipt {
    guard var order = try set.orders.find(code, session: session) else { throw .orderNotFound(code) }
    let isTaken = order.take(step, at: set.now)
    if isTaken { set.orders.replace(order) }
    return JournalPosting.answer(&set, command.customer, isReplayed: !isTaken)
  }

  static func registerToken(
    _ decider: inout Decider, _ command: LedgerCommand.Body, token: TokenNumber, session: any StorageSnapshot
  ) throws(LedgerError) -> Receipt {
    let known = try decider.findCustomer(command.customer, session: session)
    let customer = if let known { known } else { try decider.set.addCustomer(command.customer, session: session) }
    if try decider.set.orders.customer(token: token, session: session) == nil {
      decider.set.orders.add(AccountTokenRow(token: token, customer: customer.number))
    }
    return JournalPosting.answer(&decider.set, command.customer, isReplayed: known != nil)
  }

  private static func paidPurchase(
    _ set: inout WorkingSet, _ opening: OrderOpening, session: any StorageSnapshot
  ) throws(LedgerError) -> PurchaseRow? {
    guard let paid = opening.paidBy else { return nil }
    // A read does not give a number to an environment that no purchase has used yet.
    guard let environment = try set.knownNumber(of: paid.environment, session: session) else { return nil }
    let identity = PurchaseIdentity(store: opening.store, environment: environment, transactionID: paid.id)
    return try JournalLookup.knownPurchase(&set, identity, session: session)
  }
}
