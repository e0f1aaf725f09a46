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
  public func virtualCurrencies() async throws(LedgerError) -> VirtualCurrencies {
    let customer = appUserID
    let now = configuration.clock.now()
    let known = balances.withLock { $0.value(of: customer, now: now) }
    if let known, known.isFresh { return shown(known.balances, isStale: false) }
    // What was paid for is brought to its credit first, so that the balance holds it.
    if queue.read({ $0.pendingCount }) > 0 { await pipeline.drain() }
    let (task, generation) = balances.withLock { cache in
      cache.join(customer) { generation in Task { [self] in await fetchBalances(customer, generation) } }
    }
    let fetched = await task.value
    balances.withLock { $0.end(customer, generation: generation) }
    switch fetched {
    case .success(let stored): return shown(stored, isStale: false)
    case .failure(let error):
      guard PostVerdict(error.code) != .deadLetter, let last = lastKnown(customer) else { throw error }
      log(.warn, "The balances could not be asked for, so the last known ones are shown: \(error)")
      return shown(last, isStale: true)
    }
  }

  /// The last known balances, and whether they are stale; nil before there are any.
  public var cachedVirtualCurrencies: VirtualCurrencies? {
    let customer = appUserID
    let now = configuration.clock.now()
    if let known = balances.withLock({ $0.value(of: customer, now: now) }) {
      return shown(known.balances, isStale: !known.isFresh)
    }
    return queue.read { state in state.balances.last { $0.customer == customer } }.map { shown($0, isStale: true) }
  }

  /// Makes the next ``virtualCurrencies()`` ask the backend; the last known value stays, and says that it is stale.
  public func invalidateVirtualCurrenciesCache() { balances.withLock { $0.invalidate() } }

  /// The balances of whoever is signed in, each time they are found changed, beginning with what is known.
  ///
  /// A stream of its own for each asking; a slow reader gets the latest value. While somebody reads, purchases, spends
  /// and changes of user are followed by a request.
  public var balanceUpdates: AsyncStream<VirtualCurrencies> {
    balanceBroadcast.stream(beginningWith: cachedVirtualCurrencies.map { [$0] } ?? [])
  }

  /// What was paid for, waits for its credit longer than it should, and is in no balance yet.
  public var provisionalCredits: [CurrencyCode: Int64] {
    let customer = appUserID
    return provisional(for: customer, after: Timestamp(milliseconds: .min))
  }

  /// Spends, where the backend lets this client.
  ///
  /// - Parameters:
  ///   - amounts: What to take, in positive amounts.
  ///   - key: One for each tap, sent again with every retry of it; a new one where none is given.
  /// - Throws: `LedgerError` with `forbidden` where only a server may spend, and those of `Ledger.spend`.
  @discardableResult
  public func spend(_ amounts: [Adjustment], key: IdempotencyKey? = nil) async throws(LedgerError) -> Receipt {
    let key = key ?? newKey()
    // Whatever comes of it, the balance may be another one then.
    defer {
      balances.withLock { $0.invalidate() }
      refreshForListeners()
    }
    let customer = appUserID
    do throws(LedgerError) {
      return try await backend.spend(amounts, customer: customer, key: key)
    } catch  where error.code == .customerNotFound {
      // A customer of whom the backend has not heard yet is no unknown one to the app: what there is decides.
      _ = try await backend.register(customer)
      return try await backend.spend(amounts, customer: customer, key: key)
    }
  }

  /// What the customer has of the one currency that a product gives.
  ///
  /// - Parameter productID: Our code of the product, or its id at the store.
  /// - Throws: `LedgerError` with, in order of precedence, `product_not_found`, `invalid_request` where the product
  ///   gives no currency or several, and those of ``virtualCurrencies()``.
  public func consumableBalance(for productID: String) async throws(LedgerError) -> Int {
    let currency = try await currency(of: productID)
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
    let currency = try await currency(of: productID)
    do throws(LedgerError) {
      try await spend([Adjustment(currency, amount)], key: key)
      return true
    } catch  where error.code == .insufficientBalance {
      return false
    }
  }

  private func currency(of productID: String) async throws(LedgerError) -> CurrencyCode {
    let product = try await product(named: productID)
    guard let currency = product.grants.first?.currency, product.grants.count == 1 else {
      throw .invalid("\"\(product.code)\" gives \(product.grants.count) currencies; ask for one of them by its code.")
    }
    return currency
  }

  func newKey() -> IdempotencyKey {
    var generator = DrawnNumbers(draw: configuration.randomness)
    return .timeOrdered(at: configuration.clock.now(), using: &generator)
  }
}

// MARK: Asking

extension StoreClient {
  private func fetchBalances(_ customer: CustomerID, _ generation: UInt64) async -> BalanceCache.Fetched {
    do throws(LedgerError) {
      let answer = try await backend.balances(of: customer)
      // The instant of the answer: everything that was bought before it may be in it.
      let asOf = configuration.clock.now()
      let stored = StoredBalances(answer, customer: customer, asOf: asOf)
      session.withLock { _ = $0.registered.insert(customer) }
      let (isNewest, isChanged) = balances.withLock { $0.take(stored, askedIn: generation) }
      if isNewest { keep(stored, isChanged: isChanged) }
      return .success(stored)
    } catch {
      return .failure(error)
    }
  }

  private func keep(_ stored: StoredBalances, isChanged: Bool) {
    if !configuration.mode.isLocal, configuration.journal != nil {
      let known = queue.read { state in state.balances.last { $0.customer == stored.customer } }
      // Only what is new costs a sync.
      if known?.rows != stored.rows {
        pipeline.note([.balances(stored)])
      } else {
        queue.noteLazily([.balances(stored)])
      }
    }
    if isChanged, stored.customer == appUserID { balanceBroadcast.send(shown(stored, isStale: false)) }
  }

  /// Asks anew where somebody listens to the balances.
  func refreshForListeners() {
    guard balanceBroadcast.hasListeners else { return }
    Task { [weak self] in await self?.refreshQuietly() }
  }

  private func refreshQuietly() async {
    do throws(LedgerError) { _ = try await virtualCurrencies() } catch {
      log(.debug, "The balances could not be asked for: \(error)")
    }
  }

  private func lastKnown(_ customer: CustomerID) -> StoredBalances? {
    let cached = balances.withLock { $0.value(of: customer, now: configuration.clock.now()) }?.balances
    return cached ?? queue.read { state in state.balances.last { $0.customer == customer } }
  }

  private func shown(_ stored: StoredBalances, isStale: Bool) -> VirtualCurrencies {
    let shown = VirtualCurrencies(stored, isStale: isStale)
    guard queue.read({ $0.pendingCount }) > 0 else { return shown }
    return shown.adding(provisional(for: stored.customer, after: stored.asOf))
  }

  /// What is provisional of purchases made after that instant: a balance that was answered before cannot hold it.
  private func provisional(for customer: CustomerID, after instant: Timestamp) -> [CurrencyCode: Int64] {
    queue.read { state in
      var sums: [CurrencyCode: Int64] = [:]
      for item in state.items.values
      where item.provisionalSince != nil && item.receipt.buyer == customer
        && item.receipt.seenAt > instant
      {
        for grant in item.receipt.grants { sums[grant.currency, default: 0] &+= grant.amount }
      }
      return sums
    }
  }
}

/// Random numbers from a closure.
struct DrawnNumbers: RandomNumberGenerator {
  let draw: @Sendable () -> UInt64

  mutating func next() -> UInt64 { draw() }
}
