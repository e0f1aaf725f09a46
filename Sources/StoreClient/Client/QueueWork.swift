internal import GemLedger
internal import StoreBackend
internal import Synchronization

/// Processes the receipt queue in the background, and reports the outcomes of its receipts to the app.
final class QueueWork: ClientPart {
  let context: ClientContext
  private let background = TaskBag()

  init(context: ClientContext) { self.context = context }

  deinit { background.stop() }

  func stop() { background.stop() }

  var hasLookedForRefunds: Bool { context.session.withLock { $0.hasLookedForRefunds } }

  /// Posts the store's unfinished transactions, and the refunds made without a listener.
  func sweep(looksForRefunds: Bool) async {
    await pipeline.sweep { appUserID }
    guard looksForRefunds, await pipeline.sweepRefunds(current: { appUserID }) else { return }
    context.session.withLock { $0.hasLookedForRefunds = true }
  }

  /// Writes the events that have happened, so that no work is repeated.
  func flush() {
    do throws(LedgerError) { try queue.flush() } catch { pipeline.emit(.notKept(error)) }
  }

  /// Listens to the store, drains the queue of the last run, and retries at the planned instants.
  func start() {
    let updates = context.storefront.updates()
    background.run { [weak self] in
      for await evidence in updates { await self?.whileClientLives { await $0.receive(evidence) } }
    }
    background.run { [weak self] in
      await self?.whileClientLives { work in
        await work.context.register(work.appUserID)
        await work.pipeline.drain()
        await work.sweep(looksForRefunds: true)
        work.flush()
        work.plan()
      }
    }
  }

  /// Runs the body if the client still exists, and retains it until the body ends: the client's end cancels tasks.
  private func whileClientLives(_ body: (QueueWork) async -> Void) async {
    guard let client = context.session.withLock({ $0.client }) else { return }
    await body(self)
    withExtendedLifetime(client) {}
  }

  /// Puts an update from the store into the queue, like every receipt.
  ///
  /// Called by the driver of a client that is not automatic.
  func receive(_ evidence: StoreEvidence) async {
    let keys = pipeline.enqueue([evidence], source: .updates, current: appUserID)
    _ = await pipeline.postNow(keys)
    plan()
  }

  /// Plans the next try, at the given instant at the latest.
  private func plan(by latest: Timestamp? = nil) {
    guard configuration.isAutomatic, let next = [pipeline.nextWakeUp(), latest].compactMap({ $0 }).min() else { return }
    // Never at once: a step that cannot succeed now would be repeated endlessly.
    let earliest = configuration.clock.now().milliseconds + 100
    background.wake(at: Timestamp(milliseconds: max(next.milliseconds, earliest)), configuration.clock) { [weak self] in
      await self?.whileClientLives { work in
        await work.pipeline.drain()
        work.plan()
      }
    }
  }

  func observePipeline() {
    pipeline.observe {
      $0.onCredited = { [weak self] item, answer in await self?.credited(item, answer) }
      $0.onRefused = { [weak self] item, error in self?.refused(item, error) }
      $0.onFinished = { [weak self] item in self?.finished(item) }
      $0.onWakeUp = { [weak self] in self?.plan(by: $0) }
    }
  }

  private func credited(_ item: QueueItem, _ answer: ReceiptAnswer) async {
    balances.invalidate()
    let now = configuration.clock.now()
    let owner = answer.booking.customer
    let key = item.receipt.key
    let (isInfoNew, client, isOld, mustAsk) = context.session.withLock { session in
      // The app already knows the credit of a redelivered transaction, but not of a purchase with a lost answer.
      let isOld = answer.booking.isReplayed && (item.receipt.source != .purchase || session.told.contains(key))
      if isOld { session.replayed.insert(key) } else if item.receipt.revision.isEmpty { session.told.insert(key) }
      session.answers.insert(answer, for: key)
      session.registered.insert(item.receipt.buyer)
      session.infoGeneration += 1
      let isOwn = item.receipt.buyer == session.identity.customer
      // A consumable without an entitlement changes only the list of purchases.
      let isPlain =
        answer.purchase.productType == .consumable && answer.entitlement == nil
        && (owner == item.receipt.buyer || session.isOwn(owner))
      if isOwn, isPlain { session.info?.add(answer.purchase, at: now) } else { session.isInfoFresh = false }
      return (isOwn && isPlain, session.client, isOld, isOwn && !isPlain)
    }
    if item.receipt.revision.isEmpty {
      funnel.send(.paymentValidatedSuccess) { $0.fill(item) }
      if !isOld, let client {
        context.delegateCalls.send { $0.purchases(client, didPurchase: answer.purchase, for: owner) }
      }
    }
    if isInfoNew { customerInfo.publish() }
    if mustAsk {
      let customerInfo = customerInfo
      Task { await customerInfo.refreshForListeners(ofUnknown: true) }
    }
    balances.refreshForListeners()
  }

  private func refused(_ item: QueueItem, _ error: LedgerError) {
    funnel.send(.paymentValidatedFail) { $0.fill(item) }
    log(.error, "The receipt \(item.receipt.key) was refused and stays unfinished at the store: \(error)")
  }

  private func finished(_ item: QueueItem) {
    guard item.receipt.revision.isEmpty else { return }
    let wasReplayed = context.session.withLock { $0.replayed.remove(item.receipt.key) != nil }
    funnel.send(.paymentCompleted) { $0.fill(item) }
    guard !wasReplayed else { return }
    funnel.send(.purchase) {
      $0.fill(item)
      $0.revenue = item.receipt.price
    }
  }
}

extension FunnelEvent {
  fileprivate mutating func fill(_ item: QueueItem) {
    productID = item.receipt.storeProductID
    quantity = item.receipt.quantity
    storeTransactionID = item.receipt.key.id
  }
}
