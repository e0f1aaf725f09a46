internal import GemLedger
internal import StoreBackend
internal import Synchronization

/// The result of announcing an order.
enum AnnouncedOrder {
  /// The store may be asked for the payment.
  case payable(Order)
  /// It was paid for, or its payment is in progress.
  case answered(PurchaseOutcome)
}

/// Announces orders before the payment, and finds the outcomes of earlier orders.
struct OrderAnnouncements: ClientPart {
  let context: ClientContext

  /// Announces an order, and finds out whether the store may be asked for its payment: one key is one payment.
  ///
  /// The device that announced the order pays for it. Its claim is durable before the backend knows the order, so the
  /// device recognises its announcement even after a lost answer.
  func announce(
    _ wanted: PurchaseOrder, for product: KnownProduct, _ buyer: CustomerID
  ) async throws(LedgerError) -> AnnouncedOrder {
    let opened: OpenedOrder? = if let key = wanted.key { try openedOrder(under: key, by: buyer) } else { nil }
    let order = try await backend.initPayment(request(wanted, product.code, buyer, opened))
    guard let opened, order.isReplayed else { return .payable(order) }
    return try await replay(order, opened)
  }

  /// Returns the outcome of an order announced before, after its product left the shop; nil for an unknown or unpaid
  /// order.
  @concurrent
  func outcomeWithoutOffer(of wanted: PurchaseOrder) async throws(LedgerError) -> PurchaseOutcome? {
    guard let key = wanted.key, let code = try? ProductCode(wanted.productID) else { return nil }
    let buyer = appUserID
    let opened = try openedOrder(under: key, by: buyer)
    let order: Order
    do throws(LedgerError) { order = try await backend.initPayment(request(wanted, code, buyer, opened)) } catch {
      // Without an order with that key, the backend also refuses a product that it does not sell.
      let refusals: [LedgerError.Code] = [.productNotFound, .notAvailable, .amountMismatch, .bundleMismatch]
      guard refusals.contains(error.code) else { throw error }
      return nil
    }
    guard order.isReplayed else {
      // The backend would sell it, but this client cannot buy it.
      _ = try await backend.cancelPayment(order.code)
      return nil
    }
    guard case .answered(let outcome) = try await replay(order, opened) else { return nil }
    return outcome
  }

  private func request(
    _ wanted: PurchaseOrder, _ product: ProductCode, _ buyer: CustomerID, _ opened: OpenedOrder?
  ) -> OrderRequest {
    OrderRequest(
      customer: buyer, product: product, quantity: wanted.quantity, store: store,
      bundleID: configuration.bundleID, price: wanted.price, context: wanted.context,
      key: wanted.key ?? context.newKey(),
      claim: opened?.claim)
  }

  private func openedOrder(under key: IdempotencyKey, by buyer: CustomerID) throws(LedgerError) -> OpenedOrder {
    if let known = queue.read({ $0.openedOrder(of: buyer, key) }) { return known }
    let draw = configuration.randomness
    let opened = OpenedOrder(
      buyer: buyer, key: key, claim: HexForm.hex(draw(), digits: 16) + HexForm.hex(draw(), digits: 16))
    try queue.record([.orderOpened(opened)])
    return opened
  }

  /// Decides how to continue an earlier order.
  private func replay(_ order: Order, _ opened: OpenedOrder) async throws(LedgerError) -> AnnouncedOrder {
    if let known = try await standing(of: order, opened.buyer, isPaid: order.isPaid) { return .answered(known) }
    // The app's server announced an order without a claim, for this device to pay.
    let isOwn = order.request.claim.map { $0.hasBytes(of: opened.claim) } ?? true
    let intents = queue.read { $0.intents(under: opened.key, of: opened.buyer) }
    guard !isOwn || !intents.isEmpty else { return .payable(order) }
    // The store may have received the payment since, without a sweep.
    await pipeline.sweep { appUserID }
    if let known = try await standing(of: order, opened.buyer, isPaid: true) { return .answered(known) }
    // A person may still consent, or another device may be paying until the order's deadline. Otherwise this process
    // ended, or lost the store's answer: while a payment is unfinished, a store takes no second payment.
    let isAwaited = isOwn ? intents.contains(where: \.isDeferred) : order.status == .pending
    return isAwaited ? .answered(PurchaseOutcome(.pending, order: order)) : .payable(order)
  }

  /// Returns the outcome of a paid order; nil if no payment is known.
  private func standing(
    of order: Order, _ buyer: CustomerID, isPaid: Bool
  ) async throws(LedgerError) -> PurchaseOutcome? {
    if isPaid, let answer = try await backend.payment(of: order.code, customer: buyer) {
      let info = await customerInfo.info(after: answer, buyer)
      return PurchaseOutcome(.success(info), Payment(id: answer.purchase.storeTransactionID), answer: answer)
    }
    guard let item = queue.read({ $0.receipt(of: order.code) }) else { return nil }
    let payment = Payment(id: item.receipt.key.id)
    return await outcomes.outcome(of: item.receipt.key, payment, buyer, order)
  }
}
