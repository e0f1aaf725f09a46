internal import GemLedger
internal import StoreBackend
internal import Synchronization

/// What came of announcing an order.
enum AnnouncedOrder {
  /// The store may be asked for its payment.
  case payable(Order)
  /// It was paid for, or its payment is under way.
  case answered(PurchaseOutcome)
}

extension StoreClient {
  /// Announces an order, and finds out whether the store may be asked for its payment: one key is one payment.
  ///
  /// The order is paid for by the device that announced it. Its claim is durable before the backend knows of the order,
  /// so that an announcement whose answer was lost is recognised as the device's own.
  func announce(
    _ wanted: PurchaseOrder, for product: KnownProduct, _ buyer: CustomerID
  ) async throws(LedgerError) -> AnnouncedOrder {
    let opened: OpenedOrder? = if let key = wanted.key { try openedOrder(under: key, by: buyer) } else { nil }
    let order = try await backend.initPayment(
      OrderRequest(
        customer: buyer, product: product.code, quantity: wanted.quantity, store: store,
        bundleID: configuration.bundleID, price: wanted.price, context: wanted.context, key: wanted.key ?? newKey(),
        claim: opened?.claim))
    guard let opened, order.isReplayed else { return .payable(order) }
    return try await replay(order, opened)
  }

  private func openedOrder(under key: IdempotencyKey, by buyer: CustomerID) throws(LedgerError) -> OpenedOrder {
    if let known = queue.read({ $0.openedOrder(of: buyer, key) }) { return known }
    let draw = configuration.randomness
    let opened = OpenedOrder(
      buyer: buyer, key: key, claim: HexForm.hex(draw(), digits: 16) + HexForm.hex(draw(), digits: 16))
    try queue.record([.orderOpened(opened)])
    return opened
  }

  /// What is to be done about an order that was announced before.
  private func replay(_ order: Order, _ opened: OpenedOrder) async throws(LedgerError) -> AnnouncedOrder {
    let isPaid = order.status == .success || order.status == .deliveryPending
    if let known = try await standing(of: order, opened.buyer, isPaid: isPaid) { return .answered(known) }
    // An order without a claim was announced by the app's own server, for this device to pay.
    let isOwn = order.request.claim.map { $0.hasBytes(of: opened.claim) } ?? true
    guard !isOwn || queue.read({ $0.isPaying(opened) }) else { return .payable(order) }
    // The store may have the payment meanwhile, and nobody has come to it.
    await pipeline.sweep(current: opened.buyer)
    if let known = try await standing(of: order, opened.buyer, isPaid: true) { return .answered(known) }
    return .answered(PurchaseOutcome(.pending, order: order))
  }

  /// The outcome of an order that was paid for; nil where no payment is known.
  private func standing(
    of order: Order, _ buyer: CustomerID, isPaid: Bool
  ) async throws(LedgerError) -> PurchaseOutcome? {
    if isPaid, let answer = try await backend.payment(of: order.code, customer: buyer) {
      let info = await info(after: answer, buyer)
      return PurchaseOutcome(.success(info), Payment(id: answer.purchase.storeTransactionID), answer: answer)
    }
    guard let item = queue.read({ $0.receipt(of: order.code) }) else { return nil }
    let payment = Payment(id: item.receipt.key.id)
    return await outcome(of: item.receipt.key, payment, buyer, order)
  }
}
