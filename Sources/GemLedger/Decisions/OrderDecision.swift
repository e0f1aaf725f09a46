/// Opens orders and takes them on, and registers account tokens.
enum OrderDecision {
  /// - Throws: in order of precedence `amount_out_of_range`, `key_conflict`, `already_exists` (the code is taken).
  static func open(
    _ decider: inout Decider, _ command: LedgerCommand.Body, _ opening: OrderOpening, session: any StorageSnapshot
  ) throws(LedgerError) -> Booking {
    try RequestRules.check(quantity: opening.quantity, of: opening.product.text)
    let known = try decider.findCustomer(command.customer, session: session)
    if let known, let key = opening.key,
      let order = try decider.work.orders.find(key: key, customer: known, session: session)
    {
      if let field = order.differingField(from: opening) {
        throw LedgerError(
          .keyConflict,
          "The key \"\(key)\" was used before for another order: it differs in \(field). Use a new key for a new "
            + "order.",
          details: [.text("field", field)])
      }
      return JournalPosting.answer(&decider.work, command.customer, isReplayed: true)
    }
    let purchase = try paidPurchase(&decider.work, opening, session: session)
    if let purchase, try decider.work.orders.find(purchase: purchase.number, session: session) != nil {
      return JournalPosting.answer(&decider.work, command.customer, isReplayed: true)
    }
    guard try decider.work.orders.find(opening.code, session: session) == nil else {
      throw LedgerError(.alreadyExists, "There is an order \(opening.code) already.")
    }
    let customer = if let known { known } else { try decider.work.addCustomer(command.customer, session: session) }
    var row = OrderRow(
      number: try decider.work.next(.order, session: session), code: opening.code, customer: customer.number,
      store: opening.store, product: opening.product, quantity: opening.quantity, request: opening.request,
      key: opening.key, createdAt: decider.work.now,
      deadline: decider.work.now.advanced(milliseconds: opening.lifetimeMilliseconds))
    if let purchase, row.fits(purchase) {
      row.complete(by: purchase, at: decider.work.now, retryAfterMilliseconds: opening.retryAfterMilliseconds)
    }
    decider.work.orders.add(row)
    return JournalPosting.answer(&decider.work, command.customer, isReplayed: false)
  }

  /// Credits the purchase first, in any state of the order: a paid purchase is always credited.
  ///
  /// A receipt for another product, store or quantity than announced pays for no order, and one order is paid for once.
  ///
  /// - Throws: `order_not_found`, then as the credit of a purchase.
  static func complete(
    _ decider: inout Decider, _ command: LedgerCommand.Body, _ completion: OrderCompletion,
    session: any StorageSnapshot
  ) throws(LedgerError) -> Booking {
    guard var order = try decider.work.orders.find(completion.code, session: session) else {
      throw .orderNotFound(completion.code)
    }
    var booking = try PurchaseDecision.decide(&decider, command, completion.purchase, session: session)
    let environment = try decider.work.number(of: completion.purchase.environment, session: session)
    let identity = PurchaseIdentity(
      store: completion.purchase.store, environment: environment, transactionID: completion.purchase.transactionID)
    guard order.purchase == nil,
      let purchase = try JournalLookup.knownPurchase(&decider.work, identity, session: session), order.fits(purchase),
      try decider.work.orders.find(purchase: purchase.number, session: session) == nil
    else { return booking }
    order.complete(by: purchase, at: decider.work.now, retryAfterMilliseconds: completion.retryAfterMilliseconds)
    decider.work.orders.replace(order)
    booking.completesOrder = true
    return booking
  }

  /// - Throws: `order_not_found`.
  static func advance(
    _ work: inout UnitOfWork, _ command: LedgerCommand.Body, _ code: PurchaseCode, _ step: OrderStep,
    session: any StorageSnapshot
  ) throws(LedgerError) -> Booking {
    guard var order = try work.orders.find(code, session: session) else { throw .orderNotFound(code) }
    let isTaken = order.take(step, at: work.now)
    if isTaken { work.orders.replace(order) }
    return JournalPosting.answer(&work, command.customer, isReplayed: !isTaken)
  }

  static func registerToken(
    _ decider: inout Decider, _ command: LedgerCommand.Body, token: TokenNumber, session: any StorageSnapshot
  ) throws(LedgerError) -> Booking {
    let known = try decider.findCustomer(command.customer, session: session)
    let customer = if let known { known } else { try decider.work.addCustomer(command.customer, session: session) }
    if try decider.work.orders.customer(token: token, session: session) == nil {
      decider.work.orders.add(AccountTokenRow(token: token, customer: customer.number))
    }
    return JournalPosting.answer(&decider.work, command.customer, isReplayed: known != nil)
  }

  private static func paidPurchase(
    _ work: inout UnitOfWork, _ opening: OrderOpening, session: any StorageSnapshot
  ) throws(LedgerError) -> PurchaseRow? {
    guard let paid = opening.paidBy else { return nil }
    // A read does not give a number to an environment that no purchase has used yet.
    guard let environment = try work.knownNumber(of: paid.environment, session: session) else { return nil }
    let identity = PurchaseIdentity(store: opening.store, environment: environment, transactionID: paid.id)
    return try JournalLookup.knownPurchase(&work, identity, session: session)
  }
}
