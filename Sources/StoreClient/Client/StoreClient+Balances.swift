public import GemLedger
internal import StoreBackend
internal import Synchronization

// MARK: Balances

extension StoreClient {
  /// Returns the customer's balances: from the cache if they are fresh, otherwise from the backend.
  ///
  /// Balances are fresh if they were requested less than five minutes ago, and after the last purchase, spend, change
  /// of user and invalidation. While the backend is unreachable, the last known value is returned, marked as stale.
  ///
  /// - Throws: `LedgerError` of the backend, if no balances are known.
  public func virtualCurrencies() async throws(LedgerError) -> VirtualCurrencies {
    try await context.logged("virtualCurrencies", \.description) { () async throws(LedgerError) in
      try await balanceSource.current()
    }
  }

  /// The last answer to ``virtualCurrencies()``, and whether it is stale.
  ///
  /// Nil before the first answer, and between ``invalidateVirtualCurrenciesCache()`` and the next answer.
  public var cachedVirtualCurrencies: VirtualCurrencies? { balanceSource.cached }

  /// The last known balances, also after the app cleared the cache; nil before the first answer.
  ///
  /// It is marked as stale if a balance may have changed since.
  public var lastKnownVirtualCurrencies: VirtualCurrencies? { balanceSource.lastKnown }

  /// Clears ``cachedVirtualCurrencies``, so that the next ``virtualCurrencies()`` asks the backend.
  ///
  /// Purchases and spends through this client have this effect too. The value stays in ``lastKnownVirtualCurrencies``,
  /// which an app without a network also gets.
  public func invalidateVirtualCurrenciesCache() { balanceSource.clear() }

  /// Streams the balances of the signed-in customer on every change, beginning with the known balances.
  ///
  /// Each call starts a separate stream; a slow reader gets the latest value. While there is a reader, the client
  /// requests the balances after purchases, spends and changes of user.
  public var balanceUpdates: AsyncStream<VirtualCurrencies> {
    context.balanceBroadcast.stream { lastKnownVirtualCurrencies.map { [$0] } ?? [] }
  }

  /// The grants of paid purchases that wait too long for their credit, and are in no balance yet.
  public var provisionalCredits: [CurrencyCode: Int64] { balanceSource.provisional }

  /// Spends amounts, if the backend permits this client to do so.
  ///
  /// - Parameters:
  ///   - amounts: The amounts to take, as positive numbers.
  ///   - key: The idempotency key, one for each tap, repeated with every retry; by default a new key.
  /// - Throws: `LedgerError` with `forbidden` if only a server may spend, and those of `Ledger.spend`.
  @discardableResult
  public func spend(_ amounts: [Adjustment], key: IdempotencyKey? = nil) async throws(LedgerError) -> Booking {
    try await context.logged("spend", \.description) { () async throws(LedgerError) in
      try await balanceSource.spend(amounts, key: key ?? context.newKey())
    }
  }

  /// Spends amounts as literals, if the backend permits this client to do so.
  ///
  /// ```swift
  /// try await Purchases.shared.spend(["GEM": 50], key: "tap-1")
  /// ```
  /// - Parameters:
  ///   - amounts: The amounts to take, as positive numbers by their codes.
  ///   - key: The idempotency key, one for each tap, repeated with every retry; by default a new key.
  /// - Throws: `LedgerError` with, in order of precedence: `invalid_identifier` for an invalid code or key, and those
  ///   of the spend in checked values.
  @discardableResult
  public func spend(_ amounts: AmountsByCode, key: String? = nil) async throws(LedgerError) -> Booking {
    let amounts = try amounts.checked()
    let checked: IdempotencyKey? = if let key { try IdempotencyKey(key) } else { nil }
    return try await spend(amounts, key: checked)
  }
}
