internal import GemLedger

/// Opens and cancels orders.
struct OrderOpenings: Sendable {
  let context: BackendContext
  let registry: CustomerRegistry
  let orders: OrderReading
  let holds: OrderHolds
  let deliveries: OrderDeliveries

  private static let claimByteCountMax = 100

  /// Opens the order, or finds it.
  func open(_ request: OrderRequest, whileAnonymous: Bool = false) async throws(LedgerError) -> Order {
    try checkForm(of: request)
    // The key is checked first, because the catalog may have changed since the announcement.
    if try !isAnnounced(request) { try checkOffer(for: request) }
    let opening = OrderOpening(
      code: .make(store: request.store, at: context.clock.now(), randomness: context.randomness),
      store: request.store, product: request.product, quantity: request.quantity,
      request: OrderDocument.text(of: request, costs: try holds.costs(of: request)), key: request.key,
      lifetimeMilliseconds: context.policy.orderLifetimeMilliseconds,
      paidBy: request.paidBy.map { OrderOpening.PaidTransaction(environment: $0.environment, id: $0.id) },
      retryAfterMilliseconds: context.secondDeliveryMilliseconds)
    let receipt = try await context.ledger.book(.openOrder(opening, customer: request.customer))
    // The payment names its buyer only by the token: a receipt without its order finds the buyer by the token.
    _ = try await registry.register(request.customer)
    var order = try order(opened: opening, by: request, isReplayed: receipt.isReplayed)
    // The cost is held before the order can be delivered.
    if !order.costs.isEmpty { order = try await holds.hold(for: order, whileAnonymous: whileAnonymous) }
    guard order.status == .deliveryPending, !receipt.isReplayed else { return order }
    await deliveries.deliverFirst(order.code)
    return try orders.order(order.code, isReplayed: order.isReplayed)
  }

  func cancel(_ code: PurchaseCode) async throws(LedgerError) -> Order {
    let customer = try orders.customer(of: code)
    let receipt = try await context.ledger.book(.advanceOrder(code, .fail, customer: customer))
    let order = try orders.order(code, isReplayed: receipt.isReplayed)
    if !order.costs.isEmpty { _ = try await holds.endHold(of: order) }
    return order
  }

  private func checkForm(of request: OrderRequest) throws(LedgerError) {
    guard request.context.byteCount <= Limits.metadataBytes else {
      throw LedgerError(
        .limitExceeded,
        "The order's context has \(request.context.byteCount) bytes; the maximum is \(Limits.metadataBytes).")
    }
    guard request.claim.map({ $0.utf8.count <= Self.claimByteCountMax }) ?? true else {
      throw LedgerError(
        .limitExceeded, "An order's claim has at most \(Self.claimByteCountMax) bytes.",
        details: [.integer("limit", Int64(Self.claimByteCountMax))])
    }
    try UserID.check(request.customer)
  }

  /// Returns whether an order with the request's key exists.
  private func isAnnounced(_ request: OrderRequest) throws(LedgerError) -> Bool {
    guard let key = request.key else { return false }
    return try context.reading { (view, _) throws(LedgerError) -> Bool in
      guard let customer = try view.customers.find(request.customer) else { return false }
      return try view.orders.order(key: key, customer: customer) != nil
    }
  }

  private func checkOffer(for request: OrderRequest) throws(LedgerError) {
    let productIndex = try context.reading { (_, productIndex) in productIndex }
    let rules = ReceiptRules(policy: context.policy, settings: productIndex.catalog.settings)
    try rules.check(bundleID: request.bundleID)
    guard let product = productIndex.product(request.product), product.storeIDs[request.store.description] != nil else {
      throw LedgerError(
        .productNotFound, "There is no product \"\(request.product)\" at \(request.store) in the catalog.",
        details: [.text("product_id", request.product.text)])
    }
    guard product.isActive || request.paidBy != nil else {
      throw LedgerError(.notAvailable, "The product \"\(request.product)\" is not on sale.")
    }
    guard let price = request.price, context.policy.checksPrice, request.paidBy == nil else { return }
    try ReceiptRules.check(announced: price, quantity: request.quantity, product: product)
  }

  /// Returns the order that the opening made or found.
  private func order(
    opened opening: OrderOpening, by request: OrderRequest, isReplayed: Bool
  ) throws(LedgerError) -> Order {
    try context.reading { (view, productIndex) throws(LedgerError) -> Order in
      var found = try view.orders.find(opening.code)
      if found == nil, let key = opening.key, let customer = try view.customers.find(request.customer) {
        found = try view.orders.order(key: key, customer: customer)
      }
      if found == nil, let paid = opening.paidBy,
        let purchase = try view.purchases.purchase(
          store: opening.store, environment: paid.environment, transactionID: paid.id)
      {
        found = try view.orders.order(paidBy: purchase)
      }
      guard let found else { throw .defect("The order \(opening.code) was opened and is not there") }
      // An order that was paid for before its announcement also counts as replayed.
      return try orders.order(found, isReplayed: isReplayed || found.isPaid, in: view, productIndex)
    }
  }
}

extension OrderContext {
  /// The total size of all texts in bytes.
  var byteCount: Int {
    [gameID, roleID, roleName, serverID, rechargeType, extraData].reduce(0) { $0 + ($1?.utf8.count ?? 0) }
  }
}
