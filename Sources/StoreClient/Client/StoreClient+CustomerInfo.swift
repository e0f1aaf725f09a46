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
  public func customerInfo() async throws(LedgerError) -> CustomerInfo { try await infoSource.current() }

  /// What was known last; nil before anybody asked.
  public var cachedCustomerInfo: CustomerInfo? { infoSource.cached }

  /// Makes the next ``customerInfo()`` ask the backend.
  public func invalidateCustomerInfoCache() { infoSource.invalidate() }

  /// What is known of whoever is signed in, each time it changes, beginning with what is known.
  public var customerInfoStream: AsyncStream<CustomerInfo> {
    context.infoBroadcast.stream(beginningWith: cachedCustomerInfo.map { [$0] } ?? [])
  }

  /// The customer's credited purchases, newest first.
  ///
  /// - Parameters:
  ///   - page: Counts from 1.
  ///   - size: How many on a page.
  /// - Returns: An empty list behind the last page, and for a customer of whom the backend has not heard yet.
  /// - Throws: `LedgerError` of the backend.
  public func purchaseHistory(page: Int, size: Int = 20) async throws(LedgerError) -> [PurchaseRecord] {
    try await infoSource.purchaseHistory(page: page, size: size)
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
    let isShared = context.session.withLock { $0.identity.allowsSharing }
    let behavior = configuration.restoreBehavior
    let sharing: EntitlementSharing = isShared && behavior == .keepWithOwner ? .transfer : behavior
    return try await PurchaseRestore(context: context).restore(sharing)
  }

  /// As ``restorePurchases()``, but a customer who has signed in becomes one with the owner, whether sharing is allowed
  /// or not: the two have one wallet from then on.
  ///
  /// - Throws: `LedgerError` as ``restorePurchases()``.
  @discardableResult
  public func restoreTransactions() async throws(LedgerError) -> CustomerInfo {
    try await PurchaseRestore(context: context).restore(.alias)
  }

}
