public import GemLedger
internal import StoreBackend
internal import Synchronization

// MARK: Balances

extension StoreClient {
  /// Returns the customer's balances: from the cache where they are fresh, else from the backend.
  ///
  /// Balances are fresh if they were requested less than five minutes ago, and after the last purchase, spend, change
  /// of user and invalidation. While the backend is unreachable, the last known value is returned, marked as stale.
  ///
  /// - Throws: `LedgerError` of the backend, where nothing is known.
  public func virtualCurrencies() async throws(LedgerError) -> VirtualCurrencies { try await balanceSource.current() }

  /// The last known balances, and whether they are stale; nil before there are any.
  public var cachedVirtualCurrencies: VirtualCurrencies? { balanceSource.cached }

  /// Makes the next ``virtualCurrencies()`` ask the backend; the last known value stays, and says that it is stale.
  public func invalidateVirtualCurrenciesCache() { balanceSource.invalidate() }

  /// Streams the balances of the signed-in customer on every change, beginning with the known ones.
  ///
  /// Each call starts a stream of its own; a slow reader gets the latest value. While there is a reader, purchases,
  /// spends and changes of user are followed by a request.
  public var balanceUpdates: AsyncStream<VirtualCurrencies> {
    context.balanceBroadcast.stream(beginningWith: cachedVirtualCurrencies.map { [$0] } ?? [])
  }

  /// The grants of paid purchases that wait for their credit longer than they should, and are in no balance yet.
  public var provisionalCredits: [CurrencyCode: Int64] { balanceSource.provisional }

  /// Spends, where the backend lets this client.
  ///
  /// - Parameters:
  ///   - amounts: The amounts to take, as positive numbers.
  ///   - key: One for each tap, sent again with every retry of it; a new one where none is given.
  /// - Throws: `LedgerError` with `forbidden` where only a server may spend, and those of `Ledger.spend`.
  @discardableResult
  public func spend(_ amounts: [Adjustment], key: IdempotencyKey? = nil) async throws(LedgerError) -> Booking {
    try await balanceSource.spend(amounts, key: key ?? context.newKey())
  }

  /// Returns the customer's balance of the one currency that a product gives.
  ///
  /// - Parameter productID: Our code of the product, or its id at the store.
  /// - Throws: `LedgerError` with, in order of precedence: `product_not_found`, `invalid_request` where the product
  ///   gives no currency or several; and those of ``virtualCurrencies()``.
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
