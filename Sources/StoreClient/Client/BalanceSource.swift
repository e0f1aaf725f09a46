internal import GemLedger
internal import StoreBackend
internal import Synchronization

/// Requests balances from the backend, keeps them while they are fresh, and spends.
struct BalanceSource: ClientPart {
  let context: ClientContext

  /// Returns the customer's balances: from the cache if it is fresh, otherwise from the backend.
  func current() async throws(LedgerError) -> VirtualCurrencies {
    let customer = appUserID
    let now = configuration.clock.now()
    let known = context.balances.withLock { $0.value(of: customer, now: now) }
    if let known, known.isFresh {
      log(.debug, "The balances in the cache are fresh.")
      return shown(known.balances, isStale: false)
    }
    // The paid receipts of the queue are credited first, so that the balance includes them.
    if queue.read({ $0.pendingCount }) > 0 { await pipeline.drain() }
    if queue.read({ $0.provisionalSpends.contains(where: \.isWaiting) }) {
      _ = await ProvisionalSpends(context: context).reconcile()
    }
    let (task, generation) = context.balances.withLock { cache in
      cache.join(customer) { generation in Task { await fetchBalances(customer, generation) } }
    }
    let fetched = await task.value
    context.balances.withLock { $0.end(customer, generation: generation) }
    switch fetched {
    case .success(let stored): return shown(stored, isStale: false)
    case .failure(let error):
      guard PostVerdict(error.code) != .deadLetter, let last = lastKnown(customer) else { throw error }
      log(.warn, "The balances could not be requested, so the last known balances are shown: \(error)")
      return shown(last, isStale: true)
    }
  }

  /// The last known balances, unless the app cleared them; and whether they are stale.
  var cached: VirtualCurrencies? {
    let customer = appUserID
    return context.balances.withLock { $0.isCleared(for: customer) } ? nil : lastKnown
  }

  /// The last known balances, and whether they are stale.
  var lastKnown: VirtualCurrencies? {
    let customer = appUserID
    let now = configuration.clock.now()
    if let known = context.balances.withLock({ $0.value(of: customer, now: now) }) {
      return shown(known.balances, isStale: !known.isFresh)
    }
    return queue.read { state in state.balances.last { $0.customer == customer } }.map { shown($0, isStale: true) }
  }

  func invalidate() { context.balances.withLock { $0.invalidate() } }

  func clear() { context.balances.withLock { $0.clear() } }

  /// Paid amounts that wait too long for their credit, and are in no balance yet.
  var provisional: [CurrencyCode: Int64] { provisional(for: appUserID) }

  /// Returns the provisional amounts of one customer.
  func provisional(for customer: CustomerID) -> [CurrencyCode: Int64] {
    provisional(for: customer, after: nil)
  }

  /// Spends amounts, if the backend permits this client to do so.
  func spend(_ amounts: [Adjustment], key: IdempotencyKey) async throws(LedgerError) -> Booking {
    // A failed call may have spent the amounts, so the balance may have changed in any case.
    defer {
      invalidate()
      refreshForListeners()
    }
    let customer = appUserID
    do throws(LedgerError) {
      return try await backend.spend(amounts, customer: customer, key: key)
    } catch  where error.code == .customerNotFound {
      // An app's customer need not be registered yet: register the customer, and let the balance decide.
      _ = try await backend.register(customer)
      return try await backend.spend(amounts, customer: customer, key: key)
    }
  }

  /// Returns the one currency that a product gives.
  func currency(of productID: String) async throws(LedgerError) -> CurrencyCode {
    let product = try await offerings.product(named: productID)
    guard let currency = product.grants.first?.currency, product.grants.count == 1 else {
      throw .invalid("\"\(product.code)\" gives \(product.grants.count) currencies. Name one of them by its code.")
    }
    return currency
  }

  private func fetchBalances(_ customer: CustomerID, _ generation: UInt64) async -> BalanceCache.Fetched {
    do throws(LedgerError) {
      let answer = try await backend.balances(of: customer)
      // The instant of the answer: it may include all earlier purchases.
      let asOf = configuration.clock.now()
      var stored = StoredBalances(answer, customer: customer, asOf: asOf)
      stored.queued = queue.read { Set($0.items.keys) }
      context.session.withLock { _ = $0.registered.insert(customer) }
      let (isNewest, isChanged) = context.balances.withLock { $0.take(stored, askedIn: generation) }
      if isNewest { keep(stored, isChanged: isChanged) }
      return .success(stored)
    } catch {
      return .failure(error)
    }
  }

  private func keep(_ stored: StoredBalances, isChanged: Bool) {
    if !configuration.mode.isLocal, configuration.eventLog != nil {
      let known = queue.read { state in state.balances.last { $0.customer == stored.customer } }
      // Only changed balances need a sync.
      if known?.rows != stored.rows {
        pipeline.note([.balances(stored)])
      } else {
        queue.noteLazily([.balances(stored)])
      }
    }
    context.balanceBroadcast.send {
      let isNews = context.session.withLock { session in
        guard stored.customer == session.identity.customer else { return false }
        defer { session.balancesAreAnothers = false }
        return isChanged || session.balancesAreAnothers
      }
      return isNews ? shown(stored, isStale: false) : nil
    }
  }

  /// Requests the balances again if they have a listener.
  func refreshForListeners() {
    guard context.balanceBroadcast.hasListeners else { return }
    Task { await refreshQuietly() }
  }

  private func refreshQuietly() async {
    do throws(LedgerError) { _ = try await current() } catch {
      log(.debug, "The balances could not be requested: \(error)")
    }
  }

  private func lastKnown(_ customer: CustomerID) -> StoredBalances? {
    let cached = context.balances.withLock { $0.value(of: customer, now: configuration.clock.now()) }?.balances
    return cached ?? queue.read { state in state.balances.last { $0.customer == customer } }
  }

  private func shown(_ stored: StoredBalances, isStale: Bool) -> VirtualCurrencies {
    let shown = VirtualCurrencies(stored, isStale: isStale)
    let spent = queue.read { $0.provisionallySpent(by: stored.customer) }
    guard queue.read({ $0.pendingCount }) > 0 || !spent.isEmpty else { return shown }
    return shown.adding(
      provisional(for: stored.customer, after: stored).merging(spent.mapValues { -$0 }, uniquingKeysWith: &+))
  }

  /// Returns the provisional amounts of purchases after the answer with these balances, which cannot contain them.
  ///
  /// A purchase in the same millisecond counts as later, unless it was in the queue by then.
  private func provisional(for customer: CustomerID, after balances: StoredBalances?) -> [CurrencyCode: Int64] {
    queue.read { state in
      var sums: [CurrencyCode: Int64] = [:]
      for (key, item) in state.items where item.provisionalSince != nil && item.receipt.buyer == customer {
        if let balances {
          let seenAt = item.receipt.seenAt
          guard seenAt > balances.asOf || seenAt == balances.asOf && !balances.queued.contains(key) else { continue }
        }
        for grant in item.receipt.grants { sums[grant.currency, default: 0] &+= grant.amount }
      }
      return sums
    }
  }
}
