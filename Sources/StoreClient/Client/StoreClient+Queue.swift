public import GemLedger
internal import StoreBackend
internal import Synchronization

// MARK: The receipt queue

extension StoreClient {
  /// How many receipts are on their way to their credit or to being finished; the dead-lettered ones left out.
  public var pendingReceiptCount: Int { queue.read { $0.pendingCount } }

  /// How many receipts were refused for good.
  public var deadLetteredReceiptCount: Int { queue.read { $0.deadLetteredCount } }

  /// The receipts in the queue, of all customers of this device, oldest first.
  public func receiptQueueSnapshot() -> [ReceiptQueueItem] { queue.read { $0.ordered().map(\.view) } }

  /// Called with what happens to receipts; what was found at the start is told to the first who listens.
  public var onReceiptPipelineEvent: (@Sendable (ReceiptPipelineEvent) -> Void)? {
    get { pipeline.observers.onEvent }
    set {
      var unheard: [ReceiptPipelineEvent] = []
      pipeline.observe {
        $0.onEvent = newValue
        if newValue != nil { swap(&unheard, &$0.unheard) }
      }
      for event in unheard { newValue?(event) }
    }
  }

  /// Tries every receipt of every customer now, whatever its back-off, what the store has unfinished, and what it gave
  /// back.
  ///
  /// What was on its way already is settled too when this returns. Dead-lettered ones stay as they are: see
  /// ``requeueReceipt(_:)``.
  public func syncPurchases() async {
    await register(appUserID)
    await pipeline.drain(everything: true)
    await sweep(looksForRefunds: true)
    await pipeline.join()
    flush()
  }

  /// Puts a dead-lettered receipt back into the queue and tries it.
  ///
  /// - Parameter id: The item's id, or its store transaction id.
  /// - Throws: `LedgerError` with `purchase_not_found` where no dead-lettered receipt has that id.
  public func requeueReceipt(_ id: String) async throws(LedgerError) {
    let key = queue.read { state in
      state.ordered { $0.status == .deadLettered }.map(\.receipt.key).first {
        $0.id.text.hasBytes(of: id) || $0.description.hasBytes(of: id)
      }
    }
    guard let key else {
      throw LedgerError(
        .purchaseNotFound, "No dead-lettered receipt is called \"\(id.prefix(100))\".",
        details: [.text("store_transaction_id", String(id.prefix(100)))])
    }
    try queue.record([.requeued(key, configuration.clock.now())])
    if let view = pipeline.view(key) { pipeline.emit(.requeued(view)) }
    _ = await pipeline.settle([key])
  }

  /// To be called when the app comes to the foreground: works off the queue and asks for the balances anew.
  ///
  /// The first time, it also looks for refunds of the time in which the app was closed; after that, the store tells.
  ///
  /// What is known of the customer is asked for with the next ``customerInfo()``, or at once where a delegate or a
  /// reader of ``customerInfoStream`` wants to hear of changes: refunds and renewals that only the backend knows of.
  ///
  /// - Throws: `LedgerError` as ``virtualCurrencies()``.
  @discardableResult
  public func appDidBecomeActive() async throws(LedgerError) -> VirtualCurrencies {
    await register(appUserID)
    await pipeline.drain()
    await sweep(looksForRefunds: !hasLookedForRefunds)
    flush()
    invalidateVirtualCurrenciesCache()
    invalidateCustomerInfoCache()
    await refreshInfoForListeners()
    return try await virtualCurrencies()
  }

  /// Works off what is due in the queue, and what the store has unfinished; makes nobody known to the backend.
  package func drainReceipts() async {
    await pipeline.drain()
    await pipeline.sweep(current: appUserID)
    flush()
  }

  private var hasLookedForRefunds: Bool { session.withLock { $0.hasLookedForRefunds } }

  /// Takes what the store has unfinished, and what it gave back while nobody listened.
  private func sweep(looksForRefunds: Bool) async {
    await pipeline.sweep(current: appUserID)
    guard looksForRefunds, await pipeline.sweepRefunds(current: appUserID) else { return }
    session.withLock { $0.hasLookedForRefunds = true }
  }

  /// To be called before the process ends by itself: writes down what may otherwise be done a second time.
  public func flush() {
    do throws(LedgerError) { try queue.flush() } catch { pipeline.emit(.notKept(error)) }
  }
}

// MARK: Working without being called

extension StoreClient {
  /// Listens to the store, works off what was left from the last time, and tries again when it is time.
  func start() {
    let updates = configuration.storefront.updates()
    background.run { [weak self] in
      for await evidence in updates { await self?.receive(evidence) }
    }
    background.run { [weak self] in
      guard let self else { return }
      await register(appUserID)
      await pipeline.drain()
      await sweep(looksForRefunds: true)
      flush()
      plan()
    }
  }

  /// What the store delivered by itself goes the way of every receipt.
  ///
  /// A client that is not automatic is handed it by whoever drives it.
  package func receive(_ evidence: StoreEvidence) async {
    let keys = pipeline.enqueue([evidence], source: .updates, current: appUserID)
    _ = await pipeline.settle(keys)
    plan()
  }

  /// Plans the next try.
  private func plan() {
    guard configuration.isAutomatic, let next = pipeline.nextWakeUp() else { return }
    // Never at once: something that cannot be done now would be tried without end.
    let earliest = configuration.clock.now().milliseconds + 100
    background.wake(at: Timestamp(milliseconds: max(next.milliseconds, earliest)), configuration.clock) { [weak self] in
      await self?.pipeline.drain()
      self?.plan()
    }
  }

  func observePipeline() {
    pipeline.observe {
      $0.onCredited = { [weak self] item, answer in await self?.credited(item, answer) }
      $0.onRefused = { [weak self] item, error in self?.refused(item, error) }
      $0.onFinished = { [weak self] item in self?.finished(item) }
      $0.onWakeUp = { [weak self] _ in self?.plan() }
    }
  }

  private func credited(_ item: QueueItem, _ answer: ReceiptAnswer) async {
    balances.withLock { $0.invalidate() }
    let now = configuration.clock.now()
    let owner = answer.receipt.customer
    let key = item.receipt.key
    let (info, delegate, isOld) = session.withLock { session in
      // What the store delivers once more was told when it was credited; a purchase whose answer was lost was not.
      let isOld = answer.receipt.isReplayed && (item.receipt.source != .purchase || session.told.contains(key))
      if isOld { session.replayed.insert(key) } else if item.receipt.revision.isEmpty { session.told.insert(key) }
      session.answers.insert(answer, for: key)
      session.registered.insert(item.receipt.buyer)
      session.infoGeneration += 1
      let isOwn = item.receipt.buyer == session.identity.customer
      // Only a consumable without an entitlement changes nothing but the list of purchases.
      let isPlain =
        answer.purchase.productType == .consumable && answer.entitlement == nil
        && (owner == item.receipt.buyer || session.isOwn(owner))
      if isOwn, isPlain { session.info?.add(answer.purchase, at: now) } else { session.isInfoFresh = false }
      return (isOwn && isPlain ? session.info : nil, session.delegate, isOld)
    }
    if item.receipt.revision.isEmpty {
      funnel.send(.paymentValidatedSuccess) { $0.fill(item) }
      if !isOld { delegate?.purchases(self, didPurchase: answer.purchase, for: owner) }
    }
    if let info { publish(info) }
    refreshForListeners()
  }

  private func refused(_ item: QueueItem, _ error: LedgerError) {
    funnel.send(.paymentValidatedFail) { $0.fill(item) }
    log(.error, "The receipt \(item.receipt.key) was refused and stays unfinished at the store: \(error)")
  }

  private func finished(_ item: QueueItem) {
    guard item.receipt.revision.isEmpty else { return }
    let wasReplayed = session.withLock { $0.replayed.remove(item.receipt.key) != nil }
    funnel.send(.paymentCompleted) { $0.fill(item) }
    guard !wasReplayed else { return }
    funnel.send(.purchase) {
      $0.fill(item)
      $0.revenue = item.receipt.price
    }
  }
}

extension StoreClient.Session {
  /// Whether the backend's name for an owner means who is signed in.
  func isOwn(_ owner: CustomerID) -> Bool {
    owner == identity.customer || info?.record.ids.contains(owner) == true
  }
}

extension FunnelEvent {
  fileprivate mutating func fill(_ item: QueueItem) {
    productID = item.receipt.storeProductID
    quantity = item.receipt.quantity
    storeTransactionID = item.receipt.key.id
  }
}
