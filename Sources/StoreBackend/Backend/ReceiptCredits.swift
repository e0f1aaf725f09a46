internal import GemLedger

/// Credits verified store transactions, exactly once.
struct ReceiptCredits: Sendable {
  let context: BackendContext
  let records: CustomerRecords
  let orders: OrderReading
  let holds: OrderHolds
  let deliveries: OrderDeliveries
  let search: OrderSearch
  let refunds: StoreRefunds

  /// Verifies the posted receipt, and credits it.
  func answer(_ post: ReceiptPost, order: PurchaseCode?) async throws(LedgerError) -> ReceiptAnswer {
    let requestID = context.newRequestID()
    do throws(LedgerError) {
      try post.customer.checkNotReserved()
      let transaction = try context.verifier.verify(post.receipt)
      return try await credit(
        transaction, customer: post.customer, order: order, search: post.orderSearch, requestID: requestID)
    } catch {
      throw error.adding(.text("request_id", requestID))
    }
  }

  /// Credits a verified transaction, or finds its credit, and applies the store's refunds.
  ///
  /// - Parameters:
  ///   - named: The order that it pays for, where the client says.
  ///   - mode: Whether its order is looked for, where the client does not say.
  ///   - waitsForBuyer: Whether to wait for a buyer that no device has registered yet.
  func credit(
    _ transaction: StoreTransaction, customer: CustomerID, order named: PurchaseCode?,
    search mode: ReceiptPost.OrderSearch, requestID: String, waitsForBuyer: Bool = true
  ) async throws(LedgerError) -> ReceiptAnswer {
    let (now, policy) = (context.clock.now(), context.policy)
    try ReceiptRules.check(datesOf: transaction, now: now, skewMilliseconds: policy.futureSkewMilliseconds)
    let lookup = try context.reading { (view, productIndex) throws(LedgerError) in
      try TransactionLookup(of: transaction, customer: customer, order: named, in: view, productIndex)
    }
    let rules = ReceiptRules(policy: policy, settings: lookup.productIndex.catalog.settings)
    try rules.check(bundleID: transaction.bundleID)
    let product = lookup.known == nil ? try await checkedProduct(of: transaction, lookup: lookup, rules: rules) : nil
    if product != nil, waitsForBuyer, !lookup.isBuyerKnown {
      try rules.check(waitFor: transaction, now: context.clock.now())
    }
    guard let sold = lookup.known?.product ?? product?.code else { throw .defect("A receipt has no product") }
    var code = try await search.order(named, for: transaction, as: sold, lookup: lookup, mode)
    var booking = try await book(transaction, as: sold, lookup: lookup, order: code)
    var (taken, isOrderNew): ([PurchaseCode], Bool) = ([], false)
    while let lost = code, !booking.completesOrder, !taken.contains(lost) {
      // Another receipt has paid for the order since it was found, or since it was announced.
      taken.append(lost)
      let (lookup, isTaken) = try context.reading { (view, productIndex) throws(LedgerError) in
        let order = try view.orders.find(lost)
        let lookup = try TransactionLookup(of: transaction, customer: customer, order: nil, in: view, productIndex)
        return (lookup, order.map { $0.isPaid && OrderMatch.isAnnouncement($0, of: transaction, as: sold) } ?? false)
      }
      guard mode != .none || isTaken,
        let other = try await search.order(
          nil, for: transaction, as: sold, lookup: lookup, mode == .none ? .findOrOpen : mode)
      else { break }
      (code, isOrderNew) = (other, !booking.isReplayed)
      booking.completesOrder = try await book(transaction, as: sold, lookup: lookup, order: other).completesOrder
    }
    // The common case needs no second look at the ledger: all that the answer says was booked just now.
    if let product, !booking.isReplayed, transaction.revocation == nil, code == nil, product.entitlement == nil,
      let id = booking.transactionID
    {
      return ReceiptAnswer(
        booking: booking, purchase: PurchaseRecord(transaction, product, transactionID: id), requestID: requestID)
    }
    return try await answer(
      booked: booking, transaction, known: lookup.known, customer: customer, order: code, isOrderNew: isOrderNew,
      requestID: requestID)
  }

  /// The product that the transaction pays for, where everything about the transaction is as it should be.
  ///
  /// - Throws: in order of precedence `environment_not_allowed`, `product_not_found`, `amount_mismatch`,
  ///   `receipt_revoked`.
  private func checkedProduct(
    of transaction: StoreTransaction, lookup: TransactionLookup, rules: ReceiptRules
  ) async throws(LedgerError) -> Product {
    try rules.check(environment: transaction.environment, customer: lookup.buyer)
    guard let product = try product(of: transaction, lookup: lookup) else {
      throw LedgerError(
        .productNotFound,
        "No product of the catalog has the id \"\(transaction.storeProductID.prefix(100))\" at \(transaction.store).",
        details: [.text("store_product_id", transaction.storeProductID)])
    }
    try rules.check(quantityOf: transaction, product: product)
    do throws(LedgerError) { try rules.check(priceOf: transaction, product: product) } catch {
      // A payment at a former price of the catalog is credited, even after the price has changed.
      let former = try formerProducts(sinceOrderOf: transaction, lookup: lookup)?.filter { $0.code == product.code }
      if let former, !rules.isPrice(of: transaction, amongThoseOf: former) { throw error }
    }
    if let revocation = transaction.revocation, revocation.extent == .full {
      // Kept, so that older evidence of the same purchase, should it still come, is not credited for good.
      _ = try await refunds.refund(transaction, revocation)
      throw LedgerError(
        .receiptRevoked, "The store took the purchase back on \(revocation.revokedAt), before it was credited.",
        details: [.integer("revoked_at", revocation.revokedAt.milliseconds)])
    }
    return product
  }

  /// The product with the transaction's id at the store: as the catalog says, or as it said when the purchase was made.
  private func product(of transaction: StoreTransaction, lookup: TransactionLookup) throws(LedgerError) -> Product? {
    let (productIndex, id) = (lookup.productIndex, transaction.storeProductID)
    if let product = productIndex.product(storeID: id, at: transaction.store) { return product }
    let former = try formerProducts(sinceOrderOf: transaction, lookup: lookup)?.last {
      $0.storeIDs[transaction.store.description]?.hasBytes(of: id) == true
    }
    return former.flatMap { productIndex.product($0.code) }
  }

  /// The products as the catalog had them from the order or the purchase until now; nil where that is not known.
  private func formerProducts(
    sinceOrderOf transaction: StoreTransaction, lookup: TransactionLookup
  ) throws(LedgerError) -> [Product]? {
    let instant = min(transaction.purchasedAt, lookup.orderedAt ?? transaction.purchasedAt)
    return try context.reading { (view, _) throws(LedgerError) in try view.formerProducts(since: instant) }
  }

  private func book(
    _ transaction: StoreTransaction, as product: ProductCode, lookup: TransactionLookup, order: PurchaseCode?
  ) async throws(LedgerError) -> Booking {
    let purchase = StorePurchase(transaction, product: product)
    guard let order else {
      return try await context.ledger.book(
        LedgerCommand.creditPurchase(purchase, customer: lookup.buyer).namedByLedger())
    }
    var command = LedgerCommand.completeOrder(
      OrderCompletion(code: order, purchase: purchase, retryAfterMilliseconds: context.secondDeliveryMilliseconds),
      customer: lookup.buyer)
    command.reference = Reference(unchecked: order.text)
    return try await context.ledger.book(command.namedByLedger())
  }

  /// The answer where more has to be looked at than the transaction: a refund, an order, an earlier credit.
  ///
  /// - Parameters:
  ///   - known: The purchase as it stood before the booking, where it was credited by then.
  ///   - isOrderNew: Whether the purchase has its order since just now.
  private func answer(
    booked booking: Booking, _ transaction: StoreTransaction, known: Purchase?, customer: CustomerID,
    order code: PurchaseCode?, isOrderNew: Bool, requestID: String
  ) async throws(LedgerError) -> ReceiptAnswer {
    let isChanged = try await refunds.applyGivenBack(of: transaction, known: known)
    if let code, booking.completesOrder {
      _ = try await holds.endHold(of: orders.order(code))
      await deliveries.deliverFirst(code)
    }
    var answer = try context.reading { (view, productIndex) throws(LedgerError) -> ReceiptAnswer in
      // An unchanged earlier credit was read before the decision.
      var found = isChanged ? nil : known
      if found == nil { found = try view.purchase(of: transaction) }
      guard let purchase = found else {
        throw .defect("Store transaction \(transaction.id) was credited and has no purchase")
      }
      var booking = booking
      booking.customer = try view.purchases.owner(of: purchase, asNamedBy: customer)
      var order = try view.orders.order(paidBy: purchase)
      // An order that the purchase does not pay for is shown to its own customer alone.
      if order == nil, let named = try code.flatMap({ (code) throws(LedgerError) in try view.orders.find(code) }),
        try view.orders.customer(of: named, asNamedBy: customer) == booking.customer
      {
        order = named
      }
      return ReceiptAnswer(
        booking: booking, purchase: PurchaseRecord(purchase),
        order: try order.map { (order) throws(LedgerError) in
          try orders.order(order, isReplayed: !booking.completesOrder && !isOrderNew, in: view, productIndex)
        }, entitlement: try records.ownEntitlement(of: purchase, in: view), requestID: requestID)
    }
    if let order = answer.order { answer.held = try await holds.endHold(of: order) }
    return answer
  }

  /// The first answer of an order that was paid for, as a replay; nil before it is paid for.
  func payment(of code: PurchaseCode, customer: CustomerID) async throws(LedgerError) -> ReceiptAnswer? {
    let requestID = context.newRequestID()
    var answer = try context.reading { (view, productIndex) throws(LedgerError) -> ReceiptAnswer? in
      let order = try view.orders.order(code)
      guard order.isPaid else { return nil }
      let purchase = try view.payment(of: order)
      let owner = try view.purchases.owner(of: purchase, asNamedBy: customer)
      var booking = try view.purchases.booking(of: purchase, customer: owner)
      booking.isReplayed = true
      return ReceiptAnswer(
        booking: booking, purchase: PurchaseRecord(purchase),
        order: try orders.order(order, isReplayed: true, in: view, productIndex),
        entitlement: try records.ownEntitlement(of: purchase, in: view), requestID: requestID)
    }
    if let order = answer?.order { answer?.held = try await holds.endHold(of: order) }
    return answer
  }
}

extension StorePurchase {
  init(_ transaction: StoreTransaction, product: ProductCode) {
    self.init(
      store: transaction.store, environment: transaction.environment, transactionID: transaction.creditID,
      product: product, quantity: transaction.quantity, price: transaction.price, purchasedAt: transaction.purchasedAt,
      cycleEndsAt: transaction.expiresAt,
      originalTransactionID: transaction.originalID == transaction.id ? nil : transaction.originalID)
  }
}
