// Names that RevenueCat's readers look for, beside those of StoreClient.

/// One offering, with the packages that can be bought.
public typealias Offering = Offerings.Offering

/// Whether a known state of the customer will do.
public enum CacheFetchPolicy: Hashable, Sendable {
  /// Only the known one; an error where nothing is known.
  case fromCacheOnly
  /// Only the backend's; an error where it is unreachable.
  case fetchCurrent
  /// The known one where nothing can have changed since, else the backend's.
  case notStaleCachedOrFetched
  /// The known one, and the backend's where nothing is known.
  case cachedOrFetched
}

extension StoreClient {
  /// Returns the state of the signed-in customer by a policy.
  ///
  /// - Throws: `LedgerError` as `customerInfo()`; also `backend_unreachable` where the policy allows no known state,
  ///   and `customer_not_found` where it allows nothing else and nothing is known.
  public func customerInfo(fetchPolicy: CacheFetchPolicy) async throws(LedgerError) -> CustomerInfo {
    switch fetchPolicy {
    case .notStaleCachedOrFetched: return try await customerInfo()
    case .cachedOrFetched:
      if let cachedCustomerInfo { return cachedCustomerInfo }
      return try await customerInfo()
    case .fromCacheOnly:
      if let cachedCustomerInfo { return cachedCustomerInfo }
      throw LedgerError(.customerNotFound, "Nothing is known of the customer yet; customerInfo() asks the backend.")
    case .fetchCurrent:
      invalidateCustomerInfoCache()
      let info = try await customerInfo()
      guard !info.isStale else {
        throw LedgerError(.backendUnreachable, "The backend is unreachable, and a known state was not asked for.")
      }
      return info
    }
  }

  /// Drains the queue as the core's call, and returns the customer's state after it.
  ///
  /// - Throws: `LedgerError` as `customerInfo()`.
  @_disfavoredOverload
  public func syncPurchases() async throws(LedgerError) -> CustomerInfo {
    await syncPurchases()
    return try await customerInfo()
  }

  /// Drains the queue with a closure.
  ///
  /// - Parameter completion: Gets the customer's state after it, or the error of the request for it.
  public func syncPurchases(completion: @escaping Completion<CustomerInfo>) {
    Task {
      do throws(LedgerError) {
        let info: CustomerInfo = try await syncPurchases()
        await completion(info, nil)
      } catch { await completion(nil, error) }
    }
  }

  /// Spends of the one currency that a product gives, once for each key, which is a text.
  ///
  /// - Throws: `LedgerError` with `invalid_identifier` for a key that is none, and otherwise as the core's call.
  @discardableResult
  public func consumeProduct(
    _ productID: String, amount: Int64 = 1, key: String
  ) async throws(LedgerError) -> Bool {
    try await consumeProduct(productID, amount: amount, key: IdempotencyKey(key))
  }
}

extension StoreProduct {
  /// Whether a product is paid for again and again, or once.
  public enum ProductCategory: Hashable, Sendable {
    /// A subscription, which renews by itself or not.
    case subscription
    /// A consumable or a non-consumable.
    case nonSubscription
  }

  /// How it is sold.
  public var productType: ProductType { type }

  /// Whether it is a subscription.
  public var productCategory: ProductCategory { type.isSubscription ? .subscription : .nonSubscription }
}

extension CustomerInfo {
  /// The latest end among the rights, past or to come; nil where none of them ends.
  public var latestExpirationDate: Date? { entitlements.ordered.compactMap(\.expirationDate).max() }

  /// When a product was bought last; nil where the state does not tell.
  ///
  /// The state tells of products with a right, and of the last 100 purchases that are no subscriptions.
  ///
  /// - Parameter productIdentifier: Our code of the product.
  public func purchaseDate(forProductIdentifier productIdentifier: String) -> Date? {
    let rights = entitlements.ordered.filter { $0.productIdentifier == productIdentifier }
    let purchases = nonSubscriptions.filter { $0.productIdentifier == productIdentifier }
    return (rights.compactMap(\.latestPurchaseDate) + purchases.map(\.purchaseDate)).max()
  }

  /// When the right that a product gives ends; nil for never, and without such a right.
  ///
  /// - Parameter productIdentifier: Our code of the product.
  public func expirationDate(forProductIdentifier productIdentifier: String) -> Date? {
    entitlements.ordered.filter { $0.productIdentifier == productIdentifier }.compactMap(\.expirationDate).max()
  }
}
