public import GemLedger

// MARK: Spending provisional currency

extension StoreClient {
  /// Buys an item, with currency from a credit that is still on its way, where the backend cannot book it now.
  ///
  /// Where the backend has the currency, this is ``buyItem(_:quantity:key:)-(ItemID,_,_)``. Else the last known balance
  /// counts, with the ``provisionalCredits`` and without what was spent provisionally before. If it covers the price,
  /// the spend is made durable on this device, and the app may give the item. The backend books it as soon as it can,
  /// after the receipts of the customer, at its own price: see ``reconcileProvisionalSpends()``.
  ///
  /// - Parameters:
  ///   - item: The item as ``items()`` gave it: its price decides whether the balance covers it.
  ///   - quantity: How many.
  ///   - key: One for each tap, sent again with every retry of it; a new one where none is given.
  /// - Throws: `LedgerError` with, in order of precedence: `amount_out_of_range`; `key_conflict` where the key was used
  ///   for another item or quantity; the refusal of the spend with that key; `insufficient_balance` where the
  ///   provisional currency does not cover it either; refusals of the backend; those of the event log.
  @discardableResult
  public func buyProvisionally(
    _ item: Item, quantity: Int64 = 1, key: IdempotencyKey? = nil
  ) async throws(LedgerError) -> ItemPurchase {
    try await ProvisionalSpends(context: context).buy(item, quantity: quantity, key: key ?? context.newKey())
  }

  /// The spends that wait for the backend, and the refused ones, of all customers of this device, oldest first.
  public var provisionalSpends: [ProvisionalSpend] { queue.read { $0.provisionalSpends } }

  /// Has the backend book the spends that wait for it, of all customers of this device.
  ///
  /// ``syncPurchases()``, ``appDidBecomeActive()`` and ``virtualCurrencies()`` do so too. The spends of a customer with
  /// a receipt in the queue wait for its credit.
  ///
  /// - Returns: The spends that were refused just now. The app takes their items back, and then forgets them with
  ///   ``forgetProvisionalSpend(_:)``.
  @discardableResult
  public func reconcileProvisionalSpends() async -> [ProvisionalSpend] {
    await ProvisionalSpends(context: context).reconcile()
  }

  /// Forgets a refused spend, after the app has taken its item back.
  ///
  /// - Throws: `LedgerError` with `purchase_not_found` where no refused spend has the key, and those of the event log.
  public func forgetProvisionalSpend(_ key: IdempotencyKey) throws(LedgerError) {
    try ProvisionalSpends(context: context).forget(key)
  }
}
