public import GemLedger
internal import StoreBackend

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
    await context.register(appUserID)
    await pipeline.drain(everything: true)
    await work.sweep(looksForRefunds: true)
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
    await context.register(appUserID)
    await pipeline.drain()
    await work.sweep(looksForRefunds: !work.hasLookedForRefunds)
    flush()
    invalidateVirtualCurrenciesCache()
    invalidateCustomerInfoCache()
    await infoSource.refreshForListeners()
    return try await virtualCurrencies()
  }

  /// Works off what is due in the queue, and what the store has unfinished; makes nobody known to the backend.
  package func drainReceipts() async {
    await pipeline.drain()
    await pipeline.sweep(current: appUserID)
    flush()
  }

  /// To be called before the process ends by itself: writes down what may otherwise be done a second time.
  public func flush() { work.flush() }

  /// What the store delivered by itself goes the way of every receipt.
  ///
  /// A client that is not automatic is handed it by whoever drives it.
  package func receive(_ evidence: StoreEvidence) async { await work.receive(evidence) }
}
