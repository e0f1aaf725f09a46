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
  public func virtualCurrencies() async throws(LedgerError) -> VirtualCurrencies {
    try await context.logged("virtualCurrencies", \.description) { () async throws(LedgerError) in
      try await balanceSource.current()
    }
  }

  /// The last answer to ``virtualCurrencies()``, and whether it is stale.
  ///
  /// Nil before there is any, and between ``invalidateVirtualCurrenciesCache()`` and the next answer.
  public var cachedVirtualCurrencies: VirtualCurrencies? { balanceSource.cached }

  /// The last known balances, whether the app cleared the cache or not; nil before there are any.
  ///
  /// It says that it is stale wherever something may have changed since.
  public var lastKnownVirtualCurrencies: VirtualCurrencies? { balanceSource.lastKnown }

  /// Clears ``cachedVirtualCurrencies``, so that the next ``virtualCurrencies()`` asks the backend.
  ///
  /// Purchases and spends through this client make it ask by themselves. The value stays in
  /// ``lastKnownVirtualCurrencies``, which is also what an app without a network gets.
  public func invalidateVirtualCurrenciesCache() { balanceSource.clear() }

  /// Streams the balances of the signed-in customer on every change, beginning with the known ones.
  ///
  /// Each call starts a stream of its own; a slow reader gets the latest value. While there is a reader, purchases,
  /// spends and changes of user are followed by a request.
  public var balanceUpdates: AsyncStream<VirtualCurrencies> {
    context.balanceBroadcast.stream { lastKnownVirtualCurrencies.map { [$0] } ?? [] }
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
    try await context.logged("spend", \.description) { () async throws(LedgerError) in
      try await balanceSource.spend(amounts, key: key ?? context.newKey())
    }
  }

  /// Spends, where the backend lets this client, with amounts and key as literals.
  ///
  /// ```swift
  /// try await Purchases.shared.spend(["GEM": 50], key: "tap-1")
  /// ```
  /// - Parameters:
  ///   - amounts: The amounts to take, as positive numbers by their codes.
  ///   - key: One for each tap, sent again with every retry of it; a new one where none is given.
  /// - Throws: `LedgerError` with, in order of precedence: `invalid_identifier` for a code or key that is none, and
  ///   those of the spend in checked values.
  @discardableResult
  public func spend(_ amounts: AmountsByCode, key: String? = nil) async throws(LedgerError) -> Booking {
    let amounts = try amounts.checked()
    let checked: IdempotencyKey? = if let key { try IdempotencyKey(key) } else { nil }
    return try await spend(amounts, key: checked)
  }
}
