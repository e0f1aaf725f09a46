// Names from RevenueCat's SDK, in addition to those of StoreClient.

/// One offering, with the packages that can be bought.
public typealias Offering = Offerings.Offering

/// Whether a known state of the customer is sufficient.
public enum CacheFetchPolicy: Hashable, Sendable {
  /// Only the known state; an error if none is known.
  case fromCacheOnly
  /// Only the backend's state; an error if it is unreachable.
  case fetchCurrent
  /// The known state if it cannot have changed since, otherwise the backend's.
  case notStaleCachedOrFetched
  /// The known state, or the backend's if none is known.
  case cachedOrFetched
}

extension StoreClient {
  /// Returns the state of the signed-in customer by a policy.
  ///
  /// - Throws: `LedgerError` as `customerInfo()`; also `backend_unreachable` if the policy allows no known state, and
  ///   `customer_not_found` if it allows only a known state and none is known.
  public func customerInfo(fetchPolicy: CacheFetchPolicy) async throws(LedgerError) -> CustomerInfo {
    switch fetchPolicy {
    case .notStaleCachedOrFetched: return try await customerInfo()
    case .cachedOrFetched:
      if let cachedCustomerInfo { return cachedCustomerInfo }
      return try await customerInfo()
    case .fromCacheOnly:
      if let cachedCustomerInfo { return cachedCustomerInfo }
      throw LedgerError(.customerNotFound, "No state of the customer is known yet. Call customerInfo() to request it.")
    case .fetchCurrent:
      invalidateCustomerInfoCache()
      let info = try await customerInfo()
      guard !info.isStale else {
        throw LedgerError(.backendUnreachable, "The backend is unreachable. The policy excludes known states.")
      }
      return info
    }
  }

  /// Drains the queue as the core's call does, and returns the customer's state after it.
  ///
  /// - Throws: `LedgerError` as `customerInfo()`.
  @_disfavoredOverload
  public func syncPurchases() async throws(LedgerError) -> CustomerInfo {
    await syncPurchases()
    return try await customerInfo()
  }

  /// Drains the queue with a closure.
  ///
  /// - Parameter completion: Receives the customer's state after it, or the error of its request.
  public func syncPurchases(completion: @escaping Completion<CustomerInfo>) {
    Task {
      do throws(LedgerError) {
        let info: CustomerInfo = try await syncPurchases()
        await completion(info, nil)
      } catch { await completion(nil, error) }
    }
  }

  /// Spends an amount of the one currency that a product gives, once for each key, which is a text.
  ///
  /// - Throws: `LedgerError` with `invalid_identifier` for an invalid key, and otherwise as the core's call.
  @discardableResult
  public func consumeProduct(
    _ productID: String, amount: Int64 = 1, key: String
  ) async throws(LedgerError) -> Bool {
    try await consumeProduct(productID, amount: amount, key: IdempotencyKey(key))
  }
}

extension StoreProduct {
  /// Whether a product is paid for repeatedly or once.
  public enum ProductCategory: Hashable, Sendable {
    /// A subscription, with or without automatic renewal.
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
  /// The latest end of the rights, past or future; nil if no right ends.
  public var latestExpirationDate: Date? { entitlements.ordered.compactMap(\.expirationDate).max() }

  /// Returns when a product was last bought; nil if the state does not contain it.
  ///
  /// The state contains products with a right, and the last 100 purchases other than subscriptions.
  ///
  /// - Parameter productIdentifier: The product's code.
  public func purchaseDate(forProductIdentifier productIdentifier: String) -> Date? {
    let rights = entitlements.ordered.filter { $0.productIdentifier == productIdentifier }
    let purchases = nonSubscriptions.filter { $0.productIdentifier == productIdentifier }
    return (rights.compactMap(\.latestPurchaseDate) + purchases.map(\.purchaseDate)).max()
  }

  /// Returns when the right of a product ends; nil for never, and without such a right.
  ///
  /// - Parameter productIdentifier: The product's code.
  public func expirationDate(forProductIdentifier productIdentifier: String) -> Date? {
    entitlements.ordered.filter { $0.productIdentifier == productIdentifier }.compactMap(\.expirationDate).max()
  }
}
