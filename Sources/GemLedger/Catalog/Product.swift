/// A thing sold for real money: its ids at the stores, its prices, and its grants.
public struct Product: Hashable, Sendable {
  /// The product's code, independent of the store.
  public let code: ProductCode
  /// Its id at each store, by the store's name: `apple`, `google`, `amazon` or `test`.
  public package(set) var storeIDs: [String: String]
  /// How it is sold.
  public let type: ProductType
  /// Whether it is on sale; purchases of an inactive product are still credited.
  public package(set) var isActive: Bool
  /// Its texts, in the order of preference.
  public package(set) var localizations: [Localization]
  /// Its price, by storefront.
  public let prices: [StorefrontCode: Price]
  /// Its price while it is on offer, by storefront.
  public let discountPrices: [StorefrontCode: Price]
  /// The currencies that one unit gives.
  public package(set) var grants: [Grant]
  /// The items that one unit gives.
  public let itemGrants: [ItemGrant]
  /// The right that it gives, such as `premium`.
  public let entitlement: String?
  /// A subscription's cycle in ISO 8601, such as `P1M`.
  public package(set) var period: String?

  /// A product as the catalog describes it; making the catalog checks it.
  public init(
    code: ProductCode, storeIDs: [String: String] = [:], type: ProductType, isActive: Bool = true,
    localizations: [Localization] = [], prices: [StorefrontCode: Price] = [:],
    discountPrices: [StorefrontCode: Price] = [:], grants: [Grant] = [], itemGrants: [ItemGrant] = [],
    entitlement: String? = nil, period: String? = nil
  ) {
    self.code = code
    self.storeIDs = storeIDs
    self.type = type
    self.isActive = isActive
    self.localizations = localizations
    self.prices = prices
    self.discountPrices = discountPrices
    self.grants = grants
    self.itemGrants = itemGrants
    self.entitlement = entitlement
    self.period = period
  }

  /// The names of the stores that a product can be sold at.
  public static let storeNames = ["apple", "google", "amazon", "test"]
}
