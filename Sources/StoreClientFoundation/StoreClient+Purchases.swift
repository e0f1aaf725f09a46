/// The result of a purchase in the form of RevenueCat's SDK.
public typealias PurchaseResultData = (
  transaction: StoreTransaction?, customerInfo: CustomerInfo, userCancelled: Bool
)

extension StoreClient {
  /// Buys the product of a package, for code with RevenueCat's triple.
  ///
  /// ```swift
  /// let (transaction, customerInfo, userCancelled) = try await Purchases.shared.purchase(package: package)
  /// ```
  ///
  /// - Returns: The store's record, the customer's state, and whether the customer cancelled.
  /// - Throws: `LedgerError`, to be caught by its type or as an `ErrorCode`: as the core's call; also
  ///   `purchase_pending` if an approval is awaited, `validation_pending` if the receipt waits in the queue, and
  ///   `validation_failed` if it was refused.
  @_disfavoredOverload
  public func purchase(package: Package) async throws -> PurchaseResultData {
    try await purchase(product: package.storeProduct)
  }

  /// Buys one unit of a product, for code with RevenueCat's triple.
  ///
  /// - Returns: The store's record, the customer's state, and whether the customer cancelled.
  /// - Throws: As the call with a package.
  @_disfavoredOverload
  public func purchase(product: StoreProduct) async throws -> PurchaseResultData {
    let outcome = try await outcome(ofPurchasing: product.code.text)
    let result = outcome.result
    if let failure = result.failure, !result.userCancelled { throw failure }
    return (outcome.transaction, result.customerInfo ?? lastKnownCustomerInfo, result.userCancelled)
  }
}

extension Optional where Wrapped == CustomerInfo {
  /// The rights of an optional state; none if it is nil, for example after a cancelled purchase.
  ///
  /// RevenueCat's result always has a state, so its code reads `result.customerInfo.entitlements`.
  public var entitlements: EntitlementInfos { self?.entitlements ?? EntitlementInfos([]) }
}
