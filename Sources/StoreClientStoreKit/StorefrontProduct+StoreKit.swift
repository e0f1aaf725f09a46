internal import Foundation
internal import GemLedger
internal import StoreClient

#if canImport(StoreKit)
internal import StoreKit
internal import struct StoreKit.Product
#else
internal import SimulatedStoreKit
internal import struct SimulatedStoreKit.Product
#endif

extension StorefrontProduct {
  /// Creates the listing of a StoreKit product; nil if a catalog could not contain its currency or price.
  init?(_ product: Product) {
    guard let currency = PriceCurrency(exactly: product.priceFormatStyle.currencyCode),
      let price = Price(product.price, in: currency)
    else { return nil }
    self.init(
      id: product.id, type: ProductType(product.type), displayName: product.displayName,
      description: product.description, price: price, displayPrice: product.displayPrice,
      subscriptionPeriod: product.subscription?.subscriptionPeriod.iso8601,
      subscriptionGroupID: product.subscription?.subscriptionGroupID)
  }
}

extension ProductType {
  init(_ type: Product.ProductType) {
    switch type {
    case .nonConsumable: self = .nonConsumable
    case .nonRenewable: self = .nonRenewingSubscription
    case .autoRenewable: self = .autoRenewableSubscription
    default: self = .consumable
    }
  }
}

extension Product.SubscriptionPeriod {
  /// The period in the catalog's format, such as `P1M`; nil for an unknown unit.
  fileprivate var iso8601: String? {
    switch unit {
    case .day: "P\(value)D"
    case .week: "P\(value)W"
    case .month: "P\(value)M"
    case .year: "P\(value)Y"
    @unknown default: nil
    }
  }
}

extension Price {
  /// Creates a price from StoreKit's decimal number, to the last digit of the currency.
  fileprivate init?(_ amount: Decimal, in currency: PriceCurrency) {
    var (exact, rounded) = (amount, Decimal())
    NSDecimalRound(&rounded, &exact, currency.minorUnitDigits, .plain)
    // A negative price, or one with too many digits, is invalid.
    guard let price = try? Price(rounded.description, in: currency) else { return nil }
    self = price
  }
}

extension Money {
  /// Creates money from StoreKit's decimal number; nil if the currency is unknown.
  init?(_ amount: Decimal, currency code: String?) {
    guard let currency = code.flatMap(PriceCurrency.init(exactly:)), let price = Price(amount, in: currency) else {
      return nil
    }
    self.init(minorUnits: price.minorUnits, currency: currency.code)
  }
}
