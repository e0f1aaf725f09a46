public import GemLedger

/// A product as a shop lists it: in one language, with the price of one storefront.
public struct StoreProduct: Hashable, Sendable, Identifiable {
  /// The product's code.
  public let code: ProductCode
  /// Its id at the store.
  public let storeID: String
  /// How it is sold.
  public let type: ProductType
  /// The product's title in the shop window.
  public let localizedTitle: String
  /// A sentence about it.
  public let localizedDescription: String
  /// The exact price of one unit without a discount.
  public let unitPrice: Price
  /// The price for people, such as `$9.99` or `249.000 ₫`.
  public let localizedPriceString: String
  /// The store's lower price of one unit during a discount; nil without a discount.
  public let discountPrice: Price?
  /// The discount price for people.
  public let localizedDiscountPriceString: String?
  /// A subscription's cycle in ISO 8601, such as `P1M`.
  public let subscriptionPeriod: String?
  /// The currencies that one unit gives.
  public let grants: [Grant]
  /// The items that one unit gives.
  public let itemGrants: [ItemGrant]

  /// The value of ``storeID``.
  public var id: String { storeID }
  /// The value of ``storeID``.
  public var productIdentifier: String { storeID }
  /// ISO 4217 of the price.
  public var currencyCode: String { unitPrice.currency.code }
}

extension StoreProduct {
  /// Creates a product from the store's listing; the catalog's discount counts if the store takes that price.
  init(_ product: Product, _ listing: StorefrontProduct, in window: ShopWindow) {
    let (regular, discount) = (product.prices[window.storefront], product.discountPrices[window.storefront])
    let isOnOffer = discount.map { $0.isSameAmount(as: listing.price) } ?? false
    let price = isOnOffer ? regular ?? listing.price : listing.price
    self.init(
      code: product.code, storeID: listing.id, type: product.type, localizedTitle: listing.displayName,
      localizedDescription: listing.description, unitPrice: price,
      localizedPriceString: isOnOffer ? window.text(of: price) : listing.displayPrice,
      discountPrice: isOnOffer ? listing.price : nil,
      localizedDiscountPriceString: isOnOffer ? listing.displayPrice : nil,
      subscriptionPeriod: listing.subscriptionPeriod ?? product.period, grants: product.grants,
      itemGrants: product.itemGrants)
  }
}

extension Price {
  /// Returns whether both are equal amounts, regardless of their format.
  func isSameAmount(as other: Price) -> Bool { minorUnits == other.minorUnits && currency == other.currency }
}

/// A shop window: its store, country and language.
public struct ShopWindow: Sendable {
  /// The store's name, such as `apple`.
  public let store: Store
  /// The country of its prices.
  public let storefront: StorefrontCode
  /// The language and region of its texts, such as `en_US`.
  public let locale: String
  private let format: PriceFormat

  /// The window of a store.
  public init(store: Store = .apple, storefront: StorefrontCode = .unitedStates, locale: String = "en_US") {
    self.store = store
    self.storefront = storefront
    self.locale = locale
    format = PriceFormat(locale: locale)
  }

  /// Returns the product as the window shows it; nil if the store omits it (see `Product.obstacles(at:storefront:)`).
  public func listing(of product: Product) -> StoreProduct? {
    guard product.isActive, let storeID = product.storeIDs[store.description],
      let price = product.prices[storefront], let texts = localization(of: product)
    else { return nil }
    return StoreProduct(
      code: product.code, storeID: storeID, type: product.type, localizedTitle: texts.title,
      localizedDescription: texts.description, unitPrice: price,
      localizedPriceString: format.text(price), discountPrice: product.discountPrices[storefront],
      localizedDiscountPriceString: product.discountPrices[storefront].map(format.text),
      subscriptionPeriod: product.period, grants: product.grants, itemGrants: product.itemGrants)
  }

  /// Returns a price in the format of the window's locale.
  package func text(of price: Price) -> String { format.text(price) }

  /// Returns the texts in the window's locale, else in its language, else the first texts.
  private func localization(of product: Product) -> Localization? {
    let wanted = Self.subtags(locale)
    return product.localizations.first { Self.subtags($0.locale) == wanted }
      ?? product.localizations.first { Self.subtags($0.locale).first == wanted.first }
      ?? product.localizations.first
  }

  // "en-US" and "en_us" are the same locale.
  private static func subtags(_ locale: String) -> [String] {
    locale.lowercased().split { $0 == "_" || $0 == "-" }.map(String.init)
  }
}
