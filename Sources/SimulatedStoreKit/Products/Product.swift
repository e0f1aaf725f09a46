internal import GemLedger
internal import SimulatedStores
internal import StoreClient

/// A product as the App Store lists it; StoreKit 2's `Product`.
public struct Product: Identifiable, Hashable, Sendable {
  /// Its id at the store.
  public let id: String
  /// How it is sold.
  public let type: ProductType
  /// The store's name for it, in the language of the store account.
  public let displayName: String
  /// A sentence about it.
  public let description: String
  /// The price of one unit, in units of its currency.
  public let price: Decimal
  /// The formatted price, such as `$9.99` or `249.000 ₫`.
  public let displayPrice: String
  /// The subscription's terms; nil for every other type.
  public let subscription: SubscriptionInfo?
  /// The format style of the product's currency, for other amounts.
  public let priceFormatStyle: Decimal.FormatStyle.Currency
  /// The storefront in which it was listed.
  let storefront: StorefrontCode

  /// Returns the products with these ids; unknown ones are left out silently, and a cancelled task gets none.
  ///
  /// - Throws: ``StoreKitError``: a simulated one, or `systemError` without a test session.
  public static func products<Identifiers>(
    for identifiers: Identifiers
  ) async throws -> [Product] where Identifiers: Collection, Identifiers.Element == String {
    let attached = try ProcessStore.required()
    let ids = Array(identifiers)
    guard !Task.isCancelled else { return [] }
    do throws(StoreFailure) {
      let listings = try await attached.device.products(for: ids)
      let storefront = await attached.device.storefront()
      return listings.map { Product($0, in: storefront, of: attached) }
    } catch {
      throw attached.error(error, by: .loadProducts)
    }
  }

  /// The customer's newest transaction of the product, if the history shows one.
  public var latestTransaction: VerificationResult<Transaction>? {
    get async { await Transaction.latest(for: id) }
  }

  /// The transaction that entitles the customer to the product now; never that of a consumable.
  public var currentEntitlement: VerificationResult<Transaction>? {
    get async { await Transaction.currentEntitlement(for: id) }
  }
}

extension Product {
  init(_ listing: StorefrontProduct, in storefront: StorefrontCode, of attached: AttachedDevice) {
    id = listing.id
    type = ProductType(listing.type)
    displayName = listing.displayName
    description = listing.description
    price = Decimal(minorUnits: listing.price.minorUnits, of: listing.price.currency)
    displayPrice = listing.displayPrice
    subscription = SubscriptionInfo(listing)
    priceFormatStyle = .currency(code: listing.price.currency.code).locale(Locale(identifier: attached.store.locale))
    self.storefront = storefront
  }
}

extension Decimal {
  /// An amount in units of its currency, exactly.
  init(minorUnits: Int64, of currency: PriceCurrency) {
    self.init(
      sign: minorUnits < 0 ? .minus : .plus, exponent: -currency.minorUnitDigits,
      significand: Decimal(minorUnits.magnitude))
  }
}
