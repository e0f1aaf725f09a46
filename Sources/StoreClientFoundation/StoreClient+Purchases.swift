/// The end of a purchase as RevenueCat's SDK gives it.
public typealias PurchaseResultData = (
  transaction: StoreTransaction?, customerInfo: CustomerInfo, userCancelled: Bool
)

extension StoreClient {
  /// Buys the product of a package, for code that takes RevenueCat's triple apart.
  ///
  /// ```swift
  /// let (transaction, customerInfo, userCancelled) = try await Purchases.shared.purchase(package: package)
  /// ```
  ///
  /// - Returns: The store's record, the customer's state, and whether the customer turned back.
  /// - Throws: `LedgerError`, to be caught by its type or as an `ErrorCode`: as the core's call; also
  ///   `purchase_pending` where an approval is awaited, `validation_pending` where the receipt waits in the queue, and
  ///   `validation_failed` where it was refused.
  @_disfavoredOverload
  public func purchase(package: Package) async throws -> PurchaseResultData {
    try await purchase(product: package.storeProduct)
  }

  /// Buys one unit of a product, for code that takes RevenueCat's triple apart.
  ///
  /// - Returns: The store's record, the customer's state, and whether the customer turned back.
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
  /// The rights of a state that may be missing, as after a cancelled purchase; none then.
  ///
  /// RevenueCat's result always has a state, so its code reads `result.customerInfo.entitlements`.
  public var entitlements: EntitlementInfos { self?.entitlements ?? EntitlementInfos([]) }
}
