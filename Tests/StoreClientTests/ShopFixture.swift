import GemLedger

/// A small catalog with one product for each way of not being sold.
enum ShopFixture {
  static func catalog() throws -> Catalog {
    let gem = try CurrencyCode("GEM")
    func product(
      _ code: String, stores: [String: String] = ["apple": "id"], isActive: Bool = true, price: String? = "9.99"
    ) throws -> Product {
      var prices: [StorefrontCode: Price] = [:]
      if let price { prices[.unitedStates] = try Price(price, in: StorefrontCode.unitedStates.currency) }
      return Product(
        code: try ProductCode(code), storeIDs: stores.mapValues { "\(code).\($0)" }, type: .consumable,
        isActive: isActive,
        localizations: [
          Localization(locale: "en_US", title: "\(code) in English"),
          Localization(locale: "de_DE", title: "\(code) auf Deutsch"),
        ], prices: prices, grants: [Grant(currency: gem, amount: 500)])
    }
    let products = [
      try product("gems"), try product("retired", isActive: false), try product("unlisted", stores: [:]),
      try product("free", price: nil),
    ]
    let packages = try ["free", "gems", "retired"].map {
      CatalogOffering.Package(id: "p_\($0)", product: try ProductCode($0))
    }
    return try Catalog(
      currencies: [Currency(code: gem, name: "Gems")], products: products,
      offerings: [CatalogOffering(id: try OfferingID("o"), packages: packages)], currentOffering: try OfferingID("o"))
  }
}
