public import GemLedger
public import StoreBackend
internal import Synchronization

// MARK: What is known of the customer

extension StoreClient {
  /// What is known of whoever is signed in: asked for once, and again after everything that may have changed it: a
  /// purchase, a refund, a change of user, the app's return to the foreground, an entitlement that ran out.
  ///
  /// Where the backend is out of reach, the last known value is given, and says that it is stale.
  ///
  /// - Throws: `LedgerError` of the backend, where nothing is known.
  public func customerInfo() async throws(LedgerError) -> CustomerInfo {
    let now = configuration.clock.now()
    if let fresh = session.withLock({ $0.freshInfo(at: now) }) { return fresh }
    do throws(LedgerError) { return try await fetchInfo() } catch {
      guard PostVerdict(error.code) != .deadLetter, var info = cachedCustomerInfo else { throw error }
      info.isStale = true
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
  /// - Returns: An empty list behind the last page, and for a customer of whom the backend has not heard yet.
  /// - Throws: `LedgerError` of the backend.
  public func purchaseHistory(page: Int, size: Int = 20) async throws(LedgerError) -> [PurchaseRecord] {
    do throws(LedgerError) {
      return try await backend.purchases(of: appUserID, page: page, size: size)
    } catch  where error.code == .customerNotFound {
      return []
    }
  }

  /// The same as ``purchaseHistory(page:size:)``.
  public func listSuccessfulTransactions(atPage page: Int, size: Int) async throws(LedgerError) -> [PurchaseRecord] {
    try await purchaseHistory(page: page, size: size)
  }

  /// Finds what the store account bought, and gives this customer what that entitles to.
  ///
  /// An owner who never signed in becomes one with this customer. Of an owner who did, this customer gets entitlements
  /// and nothing else: the configuration's restore behaviour decides about them, and they move at any rate while the
  /// store account may be shared. A consumable that was credited is never credited again.
  ///
  /// - Throws: `LedgerError` with, in order of precedence, `store_error`, and those of the backend.
  @discardableResult
  public func restorePurchases() async throws(LedgerError) -> CustomerInfo {
    let isShared = session.withLock { $0.identity.allowsSharing }
    let behavior = configuration.restoreBehavior
    return try await restore(isShared && behavior == .keepWithOwner ? .transfer : behavior)
  }

  /// As ``restorePurchases()``, but a customer who has signed in becomes one with the owner, whether sharing is allowed
  /// or not: the two have one wallet from then on.
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
    let generation = session.withLock { $0.infoGeneration }
    let record = try await backend.restore(receipts, customer: customer, sharing: sharing)
    // That told it of every refund, too.
    let told = queue.read { state in evidence.filter { state.items[$0.key] == nil && state.isNewsOfRefund($0) } }
    if !told.isEmpty { queue.noteLazily(told.map { .refundPosted($0.key, revision: $0.revision) }) }
    balances.withLock { $0.invalidate() }
    let info = CustomerInfo(record)
    // A purchase or a change of user meanwhile makes the answer an old one, or somebody else's.
    take(info, askedIn: generation)
    return info
  }

  /// Asks anew where somebody wants to be told of changes.
  func refreshInfoForListeners() async {
    guard delegate != nil || infoBroadcast.hasListeners, cachedCustomerInfo != nil else { return }
    do throws(LedgerError) { _ = try await customerInfo() } catch {
      log(.debug, "What is known of the customer could not be asked for: \(error)")
    }
  }

  func fetchInfo(of wanted: CustomerID? = nil) async throws(LedgerError) -> CustomerInfo {
    let (current, generation) = session.withLock { ($0.identity.customer, $0.infoGeneration) }
    let info = CustomerInfo(try await backend.customer(wanted ?? current))
    if wanted ?? current == current { take(info, askedIn: generation) }
    return info
  }

  /// Keeps an answer, unless something has happened since it was asked for.
  private func take(_ info: CustomerInfo, askedIn generation: UInt64) {
    let isNews = session.withLock { session in
      if generation != session.infoGeneration { return false }
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

  /// What is known of the buyer after a credit: whatever happens, with what was bought just now.
  func info(after answer: ReceiptAnswer?, _ buyer: CustomerID) async -> CustomerInfo {
    let now = configuration.clock.now()
    let known = session.withLock { $0.identity.customer == buyer ? $0.freshInfo(at: now) : nil }
    if let known { return known }
    do throws(LedgerError) {
      return try await fetchInfo(of: buyer)
    } catch {
      var info = lastInfo(of: buyer)
      guard let answer, answer.receipt.customer == buyer || info.record.ids.contains(answer.receipt.customer) else {
        return info
      }
      if !answer.purchase.productType.isSubscription { info.add(answer.purchase, at: now) }
      if let entitlement = answer.entitlement { info.add(entitlement) }
      return info
    }
  }

  /// What was known of the customer last, where nobody can be asked; nothing but the id where nothing was.
  func lastInfo(of customer: CustomerID) -> CustomerInfo {
    let now = configuration.clock.now()
    let known = session.withLock { $0.identity.customer == customer ? $0.info : nil }
    var info =
      known
      ?? CustomerInfo(
        CustomerRecord(
          customer: customer, originalID: customer, ids: [customer], firstSeenAt: now, asOf: now, entitlements: [],
          nonSubscriptions: []))
    info.isStale = true
    return info
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
