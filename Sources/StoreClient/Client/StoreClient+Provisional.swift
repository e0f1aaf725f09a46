public import GemLedger

// MARK: Spending provisional currency

extension StoreClient {
  /// Buys an item, with currency from a pending credit if the backend cannot book the purchase now.
  ///
  /// If the backend has the currency, this is ``buyItem(_:quantity:key:)-(ItemID,_,_)``. Otherwise the last known
  /// balance counts, plus the ``provisionalCredits``, minus the earlier provisional spends. If it covers the price, the
  /// spend is made durable on this device, and the app may give the item. The backend books it as soon as possible,
  /// after the customer's receipts and at the backend's price: see ``reconcileProvisionalSpends()``.
  ///
  /// - Parameters:
  ///   - item: The item from ``items()``: its price decides whether the balance covers it.
  ///   - quantity: The number of units.
  ///   - key: The idempotency key, one for each tap, repeated with every retry; by default a new key.
  /// - Throws: `LedgerError` with, in order of precedence: `amount_out_of_range`; `key_conflict` if the key was used
  ///   for another item or quantity; the refusal of the spend with that key; `insufficient_balance` if the provisional
  ///   currency does not cover it either; refusals of the backend; those of the event log.
  @discardableResult
  public func buyProvisionally(
    _ item: Item, quantity: Int64 = 1, key: IdempotencyKey? = nil
  ) async throws(LedgerError) -> ItemPurchase {
    try await ProvisionalSpends(context: context).buy(item, quantity: quantity, key: key ?? context.newKey())
  }

  /// The spends that wait for the backend, and the refused ones, of all customers of this device, oldest first.
  public var provisionalSpends: [ProvisionalSpend] { queue.read { $0.provisionalSpends } }

  /// Books the waiting spends at the backend, of all customers of this device.
  ///
  /// ``syncPurchases()``, ``appDidBecomeActive()`` and ``virtualCurrencies()`` do so too. The spends of a customer with
  /// a receipt in the queue wait for its credit.
  ///
  /// - Returns: The spends that this call found refused. The app takes their items back, and then forgets them with
  ///   ``forgetProvisionalSpend(_:)``.
  @discardableResult
  public func reconcileProvisionalSpends() async -> [ProvisionalSpend] {
    await ProvisionalSpends(context: context).reconcile()
  }

  /// Forgets a refused spend, after the app has taken its item back.
  ///
  /// - Throws: `LedgerError` with `purchase_not_found` if no refused spend has the key, and those of the event log.
  public func forgetProvisionalSpend(_ key: IdempotencyKey) throws(LedgerError) {
    try ProvisionalSpends(context: context).forget(key)
  }
}
