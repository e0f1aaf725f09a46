public import GemLedger
internal import StoreBackend
internal import Synchronization

// MARK: Balances

extension StoreClient {
  /// What the customer has: from the cache where that is fresh, else from the backend.
  ///
  /// Fresh is what was asked for less than five minutes ago and after the last purchase, spend, change of user and
  /// invalidation. Where the backend is out of reach, the last known value is given, and says that it is stale.
  ///
  /// - Throws: `LedgerError` of the backend, where nothing is known.
  public func virtualCurrencies() async throws(LedgerError) -> VirtualCurrencies { try await balanceSource.current() }

  /// The last known balances, and whether they are stale; nil before there are any.
  public var cachedVirtualCurrencies: VirtualCurrencies? { balanceSource.cached }

  /// Makes the next ``virtualCurrencies()`` ask the backend; the last known value stays, and says that it is stale.
  public func invalidateVirtualCurrenciesCache() { balanceSource.invalidate() }

  /// The balances of whoever is signed in, each time they are found changed, beginning with what is known.
  ///
  /// A stream of its own for each asking; a slow reader gets the latest value. While somebody reads, purchases, spends
  /// and changes of user are followed by a request.
  public var balanceUpdates: AsyncStream<VirtualCurrencies> {
    context.balanceBroadcast.stream(beginningWith: cachedVirtualCurrencies.map { [$0] } ?? [])
  }

  /// What was paid for, waits for its credit longer than it should, and is in no balance yet.
  public var provisionalCredits: [CurrencyCode: Int64] { balanceSource.provisional }

  /// Spends, where the backend lets this client.
  ///
  /// - Parameters:
  ///   - amounts: What to take, in positive amounts.
  ///   - key: One for each tap, sent again with every retry of it; a new one where none is given.
  /// - Throws: `LedgerError` with `forbidden` where only a server may spend, and those of `Ledger.spend`.
  @discardableResult
  public func spend(_ amounts: [Adjustment], key: IdempotencyKey? = nil) async throws(LedgerError) -> Receipt {
    try await balanceSource.spend(amounts, key: key ?? context.newKey())
  }

  /// What the customer has of the one currency that a product gives.
  ///
  /// - Parameter productID: Our code of the product, or its id at the store.
  /// - Throws: `LedgerError` with, in order of precedence, `product_not_found`, `invalid_request` where the product
  ///   gives no currency or several, and those of ``virtualCurrencies()``.
  public func consumableBalance(for productID: String) async throws(LedgerError) -> Int {
    let currency = try await balanceSource.currency(of: productID)
    return try await virtualCurrencies()[currency.description]?.balance ?? 0
  }

  /// Spends of the one currency that a product gives.
  ///
  /// - Returns: False where the balance does not cover it; nothing is taken then.
  /// - Throws: `LedgerError` as ``consumableBalance(for:)`` and ``spend(_:key:)``.
  @discardableResult
  public func consumeProduct(
    _ productID: String, amount: Int64 = 1, key: IdempotencyKey? = nil
  ) async throws(LedgerError) -> Bool {
    let currency = try await balanceSource.currency(of: productID)
    do throws(LedgerError) {
      try await spend([Adjustment(currency, amount)], key: key)
      return true
    } catch  where error.code == .insufficientBalance {
      return false
    }
  }
}
