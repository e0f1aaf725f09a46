internal import GemLedger
internal import StoreBackend
internal import Synchronization

/// The steps of a purchase: the buyer is made durable, then the payment, then the receipt enters the queue.
struct PurchaseFlow: ClientPart {
  let context: ClientContext

  /// Buys in two steps: an order before the payment, and its receipt after the payment.
  func purchase(order: PurchaseOrder) async throws(LedgerError) -> PurchaseOutcome {
    let product: KnownProduct
    do throws(LedgerError) { product = try await offerings.product(named: order.productID) } catch {
      // The key is checked before the offer: its product may have left the shop.
      guard error.code == .productNotFound, let known = try await orders.outcomeWithoutOffer(of: order) else {
        throw error
      }
      return known
    }
    return try await buy(product, quantity: order.quantity, order: order)
  }

  /// Buys in the configured style.
  func outcome(
    ofPurchasing productID: String, quantity: Int64
  ) async throws(LedgerError) -> PurchaseOutcome {
    let product = try await offerings.product(named: productID)
    let isTwoStep = configuration.purchaseStyle == .twoStep
    return try await buy(
      product, quantity: quantity, order: isTwoStep ? PurchaseOrder(productID: productID, quantity: quantity) : nil)
  }

  @concurrent
  private func buy(
    _ product: KnownProduct, quantity: Int64, order wanted: PurchaseOrder?
  ) async throws(LedgerError) -> PurchaseOutcome {
    try begin(product)
    defer { end(product) }
    let buyer = appUserID
    funnel.send(.productSelected) { $0.fill(product, quantity) }
    await introduce(buyer)
    funnel.send(.paymentInit) { $0.fill(product, quantity) }
    var order: Order?
    if let wanted {
      switch try await orders.announce(wanted, for: product, buyer) {
      case .payable(let announced):
        // The product of an earlier order may have left the shop since.
        if announced.isReplayed { try await offerings.checkOffer(of: product) }
        order = announced
      case .answered(let outcome): return outcome
      }
    }
    let intent = PurchaseIntent(
      number: queue.takeIntentNumber(), buyer: buyer, storeProductID: product.storeID, quantity: quantity,
      startedAt: configuration.clock.now(), order: order?.code, key: wanted?.key)
    // The buyer is durable before the payment. Nothing more is known of earlier tries with the key than of this try.
    let earlier = wanted?.key.map { key in queue.read { $0.intents(under: key, of: buyer) } } ?? []
    try queue.record(earlier.map { .intentEnded($0.number) } + [.intended(intent)])
    switch try await pay(intent, product) {
    case .success(let evidence):
      pipeline.step(.paid)
      funnel.send(.paymentCallbackSuccess) { $0.fill(product, quantity) }
      return await enqueue(evidence, intent, order)
    case .pending:
      var deferred = intent
      deferred.isDeferred = true
      pipeline.note([.intended(deferred)])
      return PurchaseOutcome(.pending, order: order)
    case .userCancelled:
      funnel.send(.paymentCallbackCancel) { $0.fill(product, quantity) }
      return PurchaseOutcome(.cancelled, order: await giveUp(intent) ?? order)
    }
  }

  /// Registers the buyer with the backend, without a wait for an unreachable network.
  private func introduce(_ buyer: CustomerID) async {
    guard configuration.isAutomatic else { return await context.register(buyer) }
    guard !context.session.withLock({ $0.registered.contains(buyer) }) else { return }
    Task { [weak context] in await context?.register(buyer) }
  }

  private func begin(_ product: KnownProduct) throws(LedgerError) {
    let isPerProduct = configuration.purchaseGuard == .perProduct
    let isFree = context.session.withLock { session in
      let others = session.purchasesInProgress
      guard isPerProduct ? !others.contains(product.code) : others.isEmpty else { return false }
      session.purchasesInProgress.append(product.code)
      return true
    }
    guard isFree else {
      throw LedgerError(
        .purchaseAlreadyInProgress, "Another purchase is in progress. Try again when it has ended.",
        details: [.text("product_id", product.code.text)])
    }
  }

  private func end(_ product: KnownProduct) {
    context.session.withLock { session in
      if let index = session.purchasesInProgress.firstIndex(of: product.code) {
        session.purchasesInProgress.remove(at: index)
      }
    }
  }

  private func pay(_ intent: PurchaseIntent, _ product: KnownProduct) async throws(LedgerError) -> StorePaymentResult {
    let request = StorePaymentRequest(
      productID: intent.storeProductID, quantity: intent.quantity, accountToken: intent.token)
    do throws(StoreFailure) {
      return try await context.storefront.purchase(request)
    } catch {
      if error == .userCancelled { return .userCancelled }
      funnel.send(.paymentCallbackFail) { $0.fill(product, intent.quantity) }
      // After a network failure the customer may have paid; then the store delivers the payment, and the intent names
      // the buyer.
      if error != .networkError { await giveUp(intent) }
      // The catalog may have changed the product's id at the store; the next tap uses the new id.
      if error == .productUnavailable { context.session.withLock { $0.mustAskForOfferings = true } }
      throw context.storeError(error)
    }
  }

  /// Ends an intent for which the store reports no payment.
  @discardableResult
  private func giveUp(_ intent: PurchaseIntent) async -> Order? {
    // Made durable at once: after a kill, the purchase would otherwise count as in progress.
    pipeline.note([.intentEnded(intent.number)])
    guard let order = intent.order else { return nil }
    do throws(LedgerError) { return try await backend.cancelPayment(order) } catch {
      log(.debug, "The order \(order) could not be cancelled, and ends by its deadline: \(error)")
      return nil
    }
  }

  /// Puts the receipt into the queue, and waits for its outcome.
  private func enqueue(_ evidence: StoreEvidence, _ intent: PurchaseIntent, _ order: Order?) async -> PurchaseOutcome {
    funnel.send(.paymentValidated) { event in
      event.productID = intent.storeProductID
      event.quantity = intent.quantity
      event.storeTransactionID = evidence.transaction.id
    }
    // The known balance is outdated after every outcome.
    balances.invalidate()
    let keys = pipeline.enqueue([evidence], source: .purchase, current: intent.buyer, intent: intent)
    guard let key = keys.first else {
      return PurchaseOutcome(.pendingServerValidation, Payment(id: evidence.transaction.id, evidence), order: order)
    }
    return await outcomes.outcome(of: key, Payment(id: evidence.transaction.id, evidence), intent.buyer, order)
  }
}

extension FunnelEvent {
  fileprivate mutating func fill(_ product: KnownProduct, _ quantity: Int64) {
    productID = product.storeID
    self.quantity = quantity
  }
}
