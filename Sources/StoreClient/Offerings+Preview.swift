public import GemLedger

extension Offerings {
  /// Creates offerings for a preview or a test.
  ///
  /// - Parameters:
  ///   - offerings: The offerings in their order; of two with one id, the first counts.
  ///   - current: The id of the offering to show if none is requested; nil for the first.
  public init(_ offerings: [Offering], current: OfferingID? = nil) {
    ordered = offerings
    all = Dictionary(offerings.map { ($0.identifier, $0) }) { first, _ in first }
    self.current = current.map { id in offerings.first { $0.id == id } } ?? offerings.first
    var seen: Set<ProductCode> = []
    products = offerings.flatMap(\.availablePackages).map(\.storeProduct).filter { seen.insert($0.code).inserted }
    leftOut = []
  }

  /// One offering with two packs of gems, for a preview.
  public static let preview = Offerings([.preview])
}

extension Offerings.Offering {
  /// Creates an offering for a preview or a test.
  ///
  /// - Parameters:
  ///   - id: The offering's id.
  ///   - packages: The packages in their order.
  ///   - serverDescription: A description for the team.
  ///   - metadataJSON: A JSON object.
  public init(
    _ id: OfferingID, packages: [Package], serverDescription: String = "", metadataJSON: String = "{}"
  ) {
    self.init(
      id: id, serverDescription: serverDescription, metadataJSON: metadataJSON, availablePackages: packages)
  }

  /// Two packs of gems, for a preview.
  public static let preview = Self(
    OfferingID(unchecked: "gems"),
    packages: [
      .preview("small", "gems_300", "300 Gems", "2.99"), .preview("large", "gems_1200", "1,200 Gems", "9.99"),
    ].compactMap(\.self))
}

extension Offerings.Package {
  /// Creates a package for a preview or a test.
  public init(_ identifier: String, _ product: StoreProduct) {
    self.init(identifier: identifier, storeProduct: product)
  }
}

extension StoreProduct {
  /// Creates a product for a preview or a test.
  ///
  /// - Parameters:
  ///   - code: The product's code, and its id at the store.
  ///   - title: The title for people.
  ///   - price: The price in the storefront's currency.
  ///   - localizedPrice: The price for people; nil for the format of the United States.
  ///   - type: The kind of product, such as a consumable.
  ///   - description: The description for people.
  ///   - subscriptionPeriod: The length of a subscription's period; nil for other products.
  ///   - grants: The currencies that one unit gives.
  public init(
    _ code: ProductCode, title: String, price: Price, localizedPrice: String? = nil, type: ProductType = .consumable,
    description: String = "", subscriptionPeriod: String? = nil, grants: [Grant] = []
  ) {
    self.init(
      code: code, storeID: code.text, type: type, localizedTitle: title, localizedDescription: description,
      unitPrice: price, localizedPriceString: localizedPrice ?? PriceFormat(locale: "en_US").text(price),
      discountPrice: nil, localizedDiscountPriceString: nil, subscriptionPeriod: subscriptionPeriod, grants: grants,
      itemGrants: [])
  }
}

extension Offerings.Package {
  fileprivate static func preview(_ identifier: String, _ code: String, _ title: String, _ dollars: String) -> Self? {
    guard let currency = PriceCurrency(exactly: "USD"), let price = try? Price(dollars, in: currency) else {
      return nil
    }
    return Self(identifier, StoreProduct(ProductCode(unchecked: code), title: title, price: price))
  }
}
