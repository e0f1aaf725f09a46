public import GemLedger
internal import StoreBackend
internal import Synchronization

// MARK: Buying

extension StoreClient {
  /// Buys what stands in a place of the shop window.
  ///
  /// The buyer is durable before anybody pays, and the receipt before anything else is done with it; the store is told
  /// only after the credit. So whatever happens in between, what was paid for is credited, to who bought, once.
  ///
  /// - Returns: How it ended; not every end is a success.
  /// - Throws: `LedgerError` with, in order of precedence, `purchase_already_in_progress`, those of the order where the
  ///   style is two-step, those of the journal, `store_error`. Nobody paid then, unless the store's network failed:
  ///   what was paid for all the same comes by itself.
  @discardableResult
  public func purchase(package: Package) async throws(LedgerError) -> PurchaseResult {
    try await outcome(ofPurchasing: package.storeProduct.code.text).result
  }

  /// Buys units of a product; otherwise as ``purchase(package:)``.
  ///
  /// - Throws: `LedgerError` as ``purchase(package:)``.
  @discardableResult
  public func purchase(product: StoreProduct, quantity: Int64 = 1) async throws(LedgerError) -> PurchaseResult {
    try await outcome(ofPurchasing: product.code.text, quantity: quantity).result
  }

  /// Buys units of the product with this code; otherwise as ``purchase(package:)``.
  ///
  /// - Throws: `LedgerError` with `product_not_found` and as ``purchase(package:)``.
  @discardableResult
  public func purchase(_ code: ProductCode, quantity: Int64 = 1) async throws(LedgerError) -> PurchaseResult {
    try await outcome(ofPurchasing: code.text, quantity: quantity).result
  }

  /// Buys in two steps: an order with its purchase code before anybody pays, the receipt to complete it afterwards.
  ///
  /// One key asks the store for one payment. An order that was paid for gives its first answer, also where the product
  /// has left the shop since. While its payment may
  /// still come, as before a consent, the result is `pending`: on this device, on others, and after a new installation.
  /// The store does not tell that a consent was denied; buy under a new key then. A payment that the store says nobody
  /// made can be made up for under the same key, by the device that announced the order.
  ///
  /// - Throws: `LedgerError` with `product_not_found`, those of `PurchaseBackend.initPayment(_:)`, and as
  ///   ``purchase(package:)``.
  @discardableResult
  public func purchase(order: PurchaseOrder) async throws(LedgerError) -> PurchaseOutcome {
    let product: KnownProduct
    do throws(LedgerError) { product = try await self.product(named: order.productID) } catch {
      // The key comes before the offer: what was bought under it may have left the shop.
      guard error.code == .productNotFound, let known = try await outcomeWithoutOffer(of: order) else { throw error }
      return known
    }
    return try await buy(product, quantity: order.quantity, order: order)
  }

  /// Buys, and gives everything that stands behind the result: transaction, receipt, credit.
  ///
  /// - Parameters:
  ///   - productID: Our code of the product, or its id at the store.
  ///   - quantity: How many units.
  /// - Throws: `LedgerError` with `product_not_found` and as ``purchase(package:)``.
  public func outcome(
    ofPurchasing productID: String, quantity: Int64 = 1
  ) async throws(LedgerError) -> PurchaseOutcome {
    let product = try await product(named: productID)
    let isTwoStep = configuration.purchaseStyle == .twoStep
    return try await buy(
      product, quantity: quantity, order: isTwoStep ? PurchaseOrder(productID: productID, quantity: quantity) : nil)
  }
}

// MARK: The steps

extension StoreClient {
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
      switch try await announce(wanted, for: product, buyer) {
      case .payable(let announced):
        // An order from before may be for a product that has left the shop since.
        if announced.isReplayed { try await checkOffer(of: product) }
        order = announced
      case .answered(let outcome): return outcome
      }
    }
    let intent = PurchaseIntent(
      number: queue.takeIntentNumber(), buyer: buyer, storeProductID: product.storeID, quantity: quantity,
      startedAt: configuration.clock.now(), order: order?.code, key: wanted?.key)
    // Nobody pays before it is written down who buys.
    try queue.record([.intended(intent)])
    switch try await pay(intent, product) {
    case .success(let evidence):
      pipeline.step(.paid)
      funnel.send(.paymentCallbackSuccess) { $0.fill(product, quantity) }
      return await settle(evidence, intent, order)
    case .pending:
      return PurchaseOutcome(.pending, order: order)
    case .userCancelled:
      funnel.send(.paymentCallbackCancel) { $0.fill(product, quantity) }
      return PurchaseOutcome(.cancelled, order: await giveUp(intent) ?? order)
    }
  }

  /// Makes the buyer known to the backend, without keeping the customer waiting for a network that is not there.
  private func introduce(_ buyer: CustomerID) async {
    guard configuration.isAutomatic else { return await register(buyer) }
    guard !session.withLock({ $0.registered.contains(buyer) }) else { return }
    Task { [weak self] in await self?.register(buyer) }
  }

  private func begin(_ product: KnownProduct) throws(LedgerError) {
    let isPerProduct = configuration.purchaseGuard == .perProduct
    let isFree = session.withLock { session in
      let others = session.purchasesInProgress
      guard isPerProduct ? !others.contains(product.code) : others.isEmpty else { return false }
      session.purchasesInProgress.append(product.code)
      return true
    }
    guard isFree else {
      throw LedgerError(
        .purchaseAlreadyInProgress, "Another purchase is in progress; wait until it has ended.",
        details: [.text("product_id", product.code.text)])
    }
  }

  private func end(_ product: KnownProduct) {
    session.withLock { session in
      if let index = session.purchasesInProgress.firstIndex(of: product.code) {
        session.purchasesInProgress.remove(at: index)
      }
    }
  }

  private func pay(_ intent: PurchaseIntent, _ product: KnownProduct) async throws(LedgerError) -> StorePaymentResult {
    let request = StorePaymentRequest(
      productID: intent.storeProductID, quantity: intent.quantity, accountToken: intent.token)
    do throws(StoreFailure) {
      return try await configuration.storefront.purchase(request)
    } catch {
      if error == .userCancelled { return .userCancelled }
      funnel.send(.paymentCallbackFail) { $0.fill(product, intent.quantity) }
      // Where the network failed, the customer may have paid; then the store delivers it, and the intent says for whom.
      if error != .networkError { await giveUp(intent) }
      // The catalog may have given the product another id at the store; the next tap takes that one.
      if error == .productUnavailable { session.withLock { $0.mustAskForOfferings = true } }
      throw storeError(error)
    }
  }

  /// Nobody paid, as far as the store says.
  @discardableResult
  private func giveUp(_ intent: PurchaseIntent) async -> Order? {
    queue.noteLazily([.intentEnded(intent.number)])
    guard let order = intent.order else { return nil }
    do throws(LedgerError) { return try await backend.cancelPayment(order) } catch {
      log(.debug, "The order \(order) could not be cancelled, and ends by its deadline: \(error)")
      return nil
    }
  }

  private func settle(_ evidence: StoreEvidence, _ intent: PurchaseIntent, _ order: Order?) async -> PurchaseOutcome {
    funnel.send(.paymentValidated) { event in
      event.productID = intent.storeProductID
      event.quantity = intent.quantity
      event.storeTransactionID = evidence.transaction.id
    }
    // Whatever comes of it: what was known of the balance is no longer.
    balances.withLock { $0.invalidate() }
    let keys = pipeline.enqueue([evidence], source: .purchase, current: intent.buyer, intent: intent)
    guard let key = keys.first else {
      return PurchaseOutcome(.pendingServerValidation, Payment(id: evidence.transaction.id, evidence), order: order)
    }
    return await outcome(of: key, Payment(id: evidence.transaction.id, evidence), intent.buyer, order)
  }

  /// What comes of a receipt that is in the queue.
  func outcome(
    of key: ReceiptKey, _ payment: Payment, _ buyer: CustomerID, _ order: Order?
  ) async -> PurchaseOutcome {
    // The store gives a purchase again that was refused once: whoever taps again means to try again.
    if queue.read({ $0.items[key]?.canBeRequeued == true }) {
      pipeline.note([.requeued(key, configuration.clock.now())])
    }
    switch await settled(key) {
    case .credited(let answer):
      return PurchaseOutcome(.success(await info(after: answer, buyer)), payment, answer: answer)
    case .done:
      let answer = session.withLock { $0.answers[key] }
      return PurchaseOutcome(.success(await info(after: answer, buyer)), payment, answer: answer, order: order)
    case .waiting(let error):
      let productID = queue.read { $0.items[key]?.receipt.storeProductID }
      funnel.send(.paymentValidatedFail) { event in
        event.productID = productID
        event.storeTransactionID = key.id
      }
      return PurchaseOutcome(.pendingServerValidation, payment, order: order, failure: error)
    case .refused(let error):
      let result = PurchaseResult.failedServerValidation(
        errorCode: error.code.description, message: error.message, requestID: error.text("request_id"))
      return PurchaseOutcome(result, payment, order: order, failure: error)
    case nil:
      return PurchaseOutcome(.pendingServerValidation, payment, order: order)
    }
  }

  /// What came of the receipt, within the time that a purchase waits for it; nil after that.
  private func settled(_ key: ReceiptKey) async -> PostOutcome? {
    guard let timeout = configuration.validationTimeout, !configuration.mode.isLocal else {
      return await pipeline.settle([key])[key]
    }
    let (pipeline, clock) = (pipeline, configuration.clock)
    let deadline = clock.now().advanced(by: timeout)
    let outcome = await first(
      of: { await pipeline.settle([key])[key] },
      orUntil: { do throws(CancellationError) { try await clock.sleep(deadline) } catch {} })
    return outcome ?? nil
  }
}

extension FunnelEvent {
  fileprivate mutating func fill(_ product: KnownProduct, _ quantity: Int64) {
    productID = product.storeID
    self.quantity = quantity
  }
}
