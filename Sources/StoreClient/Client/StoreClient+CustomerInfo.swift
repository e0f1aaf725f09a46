public import GemLedger
public import StoreBackend
internal import Synchronization

// MARK: What is known of the customer

extension StoreClient {
  /// What is known of whoever is signed in: asked for once, and again after everything that may have changed it: a
  /// purchase, a refund, a change of user, the app's return to the foreground, an entitlement that ran out.
  ///
  /// Where the backend is out of reach, the last known value is given.
  ///
  /// - Throws: `LedgerError` of the backend, where nothing is known.
  public func customerInfo() async throws(LedgerError) -> CustomerInfo {
    let now = configuration.clock.now()
    if let fresh = session.withLock({ $0.freshInfo(at: now) }) { return fresh }
    do throws(LedgerError) { return try await fetchInfo() } catch {
      guard PostVerdict(error.code) != .deadLetter, let info = cachedCustomerInfo else { throw error }
      return info
    }
  }

  /// What was known last; nil before anybody asked.
  public var cachedCustomerInfo: CustomerInfo? { session.withLock { $0.info } }

  /// Makes the next ``customerInfo()`` ask the backend.
  public func invalidateCustomerInfoCache() {
    session.withLock { session in
      session.isInfoFresh = false
      session.infoGeneration += 1
    }
  }

  /// What is known of whoever is signed in, each time it changes, beginning with what is known.
  public var customerInfoStream: AsyncStream<CustomerInfo> {
    infoBroadcast.stream(beginningWith: cachedCustomerInfo.map { [$0] } ?? [])
  }

  /// The customer's credited purchases, newest first.
  ///
  /// - Parameters:
  ///   - page: Counts from 1.
  ///   - size: How many on a page.
  /// - Returns: An empty list behind the last page.
  /// - Throws: `LedgerError` of the backend.
  public func purchaseHistory(page: Int, size: Int = 20) async throws(LedgerError) -> [PurchaseRecord] {
    try await backend.purchases(of: appUserID, page: page, size: size)
  }

  /// The same as ``purchaseHistory(page:size:)``.
  public func listSuccessfulTransactions(atPage page: Int, size: Int) async throws(LedgerError) -> [PurchaseRecord] {
    try await purchaseHistory(page: page, size: size)
  }

  /// Finds what the store account bought, and gives this customer what that entitles to.
  ///
  /// An anonymous customer becomes one with whom the purchases belong to, and so does every customer while the store
  /// account may be shared; otherwise the configuration's restore behaviour decides. A consumable that was credited is
  /// never credited again.
  ///
  /// - Throws: `LedgerError` with, in order of precedence, `store_error`, and those of the backend.
  @discardableResult
  public func restorePurchases() async throws(LedgerError) -> CustomerInfo {
    let isShared = session.withLock { $0.identity.isAnonymous || $0.identity.allowsSharing }
    return try await restore(isShared ? .alias : configuration.restoreBehavior)
  }

  /// As ``restorePurchases()``, but the customers always become one, whether sharing is allowed or not.
  ///
  /// - Throws: `LedgerError` as ``restorePurchases()``.
  @discardableResult
  public func restoreTransactions() async throws(LedgerError) -> CustomerInfo { try await restore(.alias) }

  private func restore(_ sharing: EntitlementSharing) async throws(LedgerError) -> CustomerInfo {
    let customer = appUserID
    await register(customer)
    let evidence: [StoreEvidence]
    do throws(StoreFailure) {
      try await configuration.storefront.sync()
      evidence = try await configuration.storefront.all()
    } catch { throw storeError(error) }
    // What is not credited yet goes its usual way.
    await pipeline.sweep(current: customer)
    let receipts = evidence.filter { $0.unverified == nil }.map(\.receipt)
    let record = try await backend.restore(receipts, customer: customer, sharing: sharing)
    // That told it of every refund, too.
    let told = queue.read { state in evidence.filter { state.items[$0.key] == nil && state.isNewsOfRefund($0) } }
    if !told.isEmpty { queue.noteLazily(told.map { .refundPosted($0.key, revision: $0.revision) }) }
    balances.withLock { $0.invalidate() }
    let info = CustomerInfo(record)
    take(info, askedIn: nil)
    return info
  }

  /// Asks anew where somebody wants to be told of changes.
  func refreshInfoForListeners() async {
    guard delegate != nil || infoBroadcast.hasListeners, cachedCustomerInfo != nil else { return }
    do throws(LedgerError) { _ = try await customerInfo() } catch {
      log(.debug, "What is known of the customer could not be asked for: \(error)")
    }
  }

  func fetchInfo() async throws(LedgerError) -> CustomerInfo {
    let (customer, generation) = session.withLock { ($0.identity.customer, $0.infoGeneration) }
    let info = CustomerInfo(try await backend.customer(customer))
    take(info, askedIn: generation)
    return info
  }

  /// Keeps an answer, unless something has happened since it was asked for.
  private func take(_ info: CustomerInfo, askedIn generation: UInt64?) {
    let isNews = session.withLock { session in
      if let generation, generation != session.infoGeneration { return false }
      session.registered.insert(session.identity.customer)
      let isNews =
        session.info?.record.entitlements != info.record.entitlements
        || session.info?.record.nonSubscriptions != info.record.nonSubscriptions
      session.info = info
      session.isInfoFresh = true
      return isNews
    }
    if isNews { publish(info) }
  }

  func publish(_ info: CustomerInfo) {
    delegate?.purchases(self, receivedUpdated: info)
    infoBroadcast.send(info)
  }
}

extension StoreClient.Session {
  /// What is known of the customer, unless something may have changed it since: time does, for what runs out.
  func freshInfo(at now: Timestamp) -> CustomerInfo? {
    guard let info, isInfoFresh else { return nil }
    let hasRunOut = info.entitlements.active.contains { $0.expiresAt.map { $0 <= now } ?? false }
    return hasRunOut ? nil : info
  }
}
