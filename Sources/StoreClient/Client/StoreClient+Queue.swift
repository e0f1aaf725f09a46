public import GemLedger
internal import StoreBackend

// MARK: The receipt queue

extension StoreClient {
  /// The number of receipts that wait for their credit or to be finished, without dead-lettered receipts.
  public var pendingReceiptCount: Int { get async { queueCounts.pending } }

  /// The number of receipts that were refused for good.
  public var deadLetteredReceiptCount: Int { get async { queueCounts.deadLettered } }

  /// Both counts at one instant.
  package var queueCounts: (pending: Int, deadLettered: Int) {
    queue.read { ($0.pendingCount, $0.deadLetteredCount) }
  }

  /// The receipts in the queue, of all customers of this device, oldest first.
  public func receiptQueueSnapshot() async -> [ReceiptQueueItem] { queueItems }

  /// The queue's receipts as ``receiptQueueSnapshot()`` returns them, without a suspension.
  package var queueItems: [ReceiptQueueItem] { queue.read { $0.ordered().map(\.view) } }

  /// Called on every event of a receipt; the first handler also gets the events of the start.
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

  /// Tries every receipt of every customer now, ignoring back-off, with the store's unfinished transactions and
  /// refunds.
  ///
  /// Receipts that were already being posted have an outcome too when this returns. Dead-lettered receipts remain: see
  /// ``requeueReceipt(_:)``.
  public func syncPurchases() async {
    await context.register(customerID)
    await pipeline.drain(everything: true)
    await work.sweep(looksForRefunds: true)
    await pipeline.join()
    await reconcileProvisionalSpends()
    flush()
  }

  /// Puts a dead-lettered receipt back into the queue and tries it.
  ///
  /// - Parameter id: The item's id, or its store transaction id.
  /// - Throws: `LedgerError` with `purchase_not_found` if no dead-lettered receipt has that id.
  public func requeueReceipt(_ id: String) async throws(LedgerError) {
    let key = queue.read { state in
      state.ordered { $0.status == .deadLettered }.map(\.receipt.key).first {
        $0.id.text.hasBytes(of: id) || $0.description.hasBytes(of: id)
      }
    }
    guard let key else {
      throw LedgerError(
        .purchaseNotFound, "No dead-lettered receipt has the id \"\(id.prefix(100))\".",
        details: [.text("store_transaction_id", String(id.prefix(100)))])
    }
    try queue.record([.requeued(key, configuration.clock.now())])
    if let view = pipeline.view(key) { pipeline.emit(.requeued(view)) }
    _ = await pipeline.postNow([key])
  }

  /// Drains the queue and requests the balances again; call it when the app comes to the foreground.
  ///
  /// The first call also looks for refunds from the time in which the app was closed; after that, the store reports
  /// them.
  ///
  /// The customer's state is requested with the next ``customerInfo()``. It is requested at once if a delegate or a
  /// reader of ``customerInfoStream`` listens for changes: refunds and renewals that only the backend knows.
  ///
  /// - Throws: `LedgerError` as ``virtualCurrencies()``.
  @discardableResult
  public func appDidBecomeActive() async throws(LedgerError) -> VirtualCurrencies {
    await context.register(customerID)
    await pipeline.drain()
    await work.sweep(looksForRefunds: !work.hasLookedForRefunds)
    flush()
    balanceSource.invalidate()
    invalidateCustomerInfoCache()
    await infoSource.refreshForListeners()
    return try await virtualCurrencies()
  }

  /// Posts the due receipts of the queue and the store's unfinished transactions; does not register a customer.
  package func drainReceipts() async {
    await pipeline.drain()
    await pipeline.sweep { customerID }
    flush()
  }

  /// Writes the records that would otherwise cause repeated work; call it before the process ends by itself.
  public func flush() { work.flush() }

  /// Puts an update from the store into the queue, like every receipt.
  ///
  /// Called by the driver of a client that is not automatic.
  package func receive(_ evidence: StoreEvidence) async { await work.receive(evidence) }
}
