internal import GemLedger

extension Product {
  /// How a product is sold.
  public struct ProductType: RawRepresentable, Hashable, Sendable {
    /// Apple's words for it.
    public let rawValue: String

    /// A type by Apple's words for it.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// Used up, and bought again.
    public static let consumable = ProductType(rawValue: "Consumable")
    /// Bought once, and kept.
    public static let nonConsumable = ProductType(rawValue: "Non-Consumable")
    /// For a time, without renewal.
    public static let nonRenewable = ProductType(rawValue: "Non-Renewing Subscription")
    /// For a time, renewed until the customer ends it.
    public static let autoRenewable = ProductType(rawValue: "Auto-Renewable Subscription")
  }
}

extension Product.ProductType {
  init(_ type: ProductType) {
    switch type {
    case .nonConsumable: self = .nonConsumable
    case .nonRenewingSubscription: self = .nonRenewable
    case .autoRenewableSubscription: self = .autoRenewable
    default: self = .consumable
    }
  }
}
