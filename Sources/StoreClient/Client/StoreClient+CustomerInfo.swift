public import GemLedger
public import StoreBackend
internal import Synchronization

// MARK: Customer info

extension StoreClient {
  /// Returns the known state of the signed-in customer, requested again only after an event that may have changed it.
  ///
  /// Such events are a purchase, a refund, a change of user, the app's return to the foreground, and the end of an
  /// entitlement. While the backend is unreachable, the last known value is returned, marked as stale.
  ///
  /// - Throws: `LedgerError` of the backend, if no state is known.
  public func customerInfo() async throws(LedgerError) -> CustomerInfo {
    try await context.logged("customerInfo", \.description) { () async throws(LedgerError) in
      try await infoSource.current()
    }
  }

  /// The last known state; nil before the first request.
  public var cachedCustomerInfo: CustomerInfo? { infoSource.cached }

  /// Makes the next ``customerInfo()`` ask the backend.
  public func invalidateCustomerInfoCache() { infoSource.invalidate() }

  /// Streams the state of the signed-in customer on every change, beginning with the known state.
  public var customerInfoStream: AsyncStream<CustomerInfo> {
    context.infoBroadcast.stream { cachedCustomerInfo.map { [$0] } ?? [] }
  }

  /// Returns a page of the customer's credited purchases, newest first.
  ///
  /// - Parameters:
  ///   - page: The number of the page, from 1.
  ///   - size: The number of purchases on a page.
  /// - Returns: The purchases; empty after the last page, and for a customer that the backend does not know yet.
  /// - Throws: `LedgerError` of the backend.
  public func purchaseHistory(page: Int, size: Int = 20) async throws(LedgerError) -> [PurchaseRecord] {
    try await context.logged("purchaseHistory", \.count.description) { () async throws(LedgerError) in
      try await infoSource.purchaseHistory(page: page, size: size)
    }
  }

  /// Finds the store account's purchases, and gives this customer their entitlements.
  ///
  /// An owner that never signed in is merged into this customer. From a signed-in owner, this customer gets only
  /// entitlements. They move if the store account may be shared; otherwise the configuration's restore behaviour
  /// decides. A credited consumable is never credited again.
  ///
  /// - Throws: `LedgerError` with, in order of precedence, `store_error`, and those of the backend.
  @discardableResult
  public func restorePurchases() async throws(LedgerError) -> CustomerInfo {
    try await context.logged("restorePurchases", \.description) { () async throws(LedgerError) in
      try await PurchaseRestore(context: context).restore(restoreSharing)
    }
  }

  /// The rule of a restore for the entitlements of an owner that signed in.
  var restoreSharing: EntitlementSharing {
    let isShared = context.session.withLock { $0.identity.allowsSharing }
    let behavior = configuration.restoreBehavior
    return isShared && behavior == .keepWithOwner ? .transfer : behavior
  }

  /// Restores as ``restorePurchases()`` does, but merges a signed-in customer with the owner, with or without sharing.
  ///
  /// The two customers have one wallet from then on.
  ///
  /// - Throws: `LedgerError` as ``restorePurchases()``.
  @discardableResult
  public func restoreTransactions() async throws(LedgerError) -> CustomerInfo {
    try await context.logged("restoreTransactions", \.description) { () async throws(LedgerError) in
      try await PurchaseRestore(context: context).restore(.alias)
    }
  }
}
