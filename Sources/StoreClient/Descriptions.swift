// Descriptions for a log, without ids of customers, keys and receipts.

extension StoreProduct: CustomStringConvertible {
  /// Such as `gems_1200 for $9.99`.
  public var description: String { "\(storeID) for \(localizedDiscountPriceString ?? localizedPriceString)" }
}

extension Offerings.Package: CustomStringConvertible {
  /// Such as `small: gems_300 for $2.99`.
  public var description: String { "\(identifier): \(storeProduct)" }
}

extension Offerings.Offering: CustomStringConvertible {
  /// Such as `gems [small: gems_300 for $2.99, large: gems_1200 for $9.99]`.
  public var description: String {
    "\(identifier) [" + availablePackages.map(\.description).joined(separator: ", ") + "]"
  }
}

extension Offerings: CustomStringConvertible {
  /// Such as `2 offerings, gems is current`.
  public var description: String {
    "\(ordered.count) \(ordered.count == 1 ? "offering" : "offerings"), "
      + (current.map { "\($0.identifier) is current" } ?? "none is current")
  }
}

extension CustomerInfo: CustomStringConvertible {
  /// Such as `entitlements premium; 3 purchases`.
  public var description: String {
    let active = entitlements.ordered.filter(\.isActive).map(\.id)
    let count = record.nonSubscriptions.count
    return (active.isEmpty ? "no entitlement" : "entitlements " + active.joined(separator: ", "))
      + "; \(count) \(count == 1 ? "purchase" : "purchases")" + (isStale ? " (stale)" : "")
  }
}

extension PurchaseResult: CustomStringConvertible {
  /// Such as `credited`, or `refused: product_not_found`.
  public var description: String {
    switch self {
    case .success: "credited"
    case .pendingServerValidation: "paid for, waits for its credit"
    case .failedServerValidation(let code, _, _): "paid for, refused: \(code)"
    case .cancelled: "cancelled"
    case .pending: "pending"
    }
  }
}
