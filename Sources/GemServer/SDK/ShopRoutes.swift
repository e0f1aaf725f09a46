#if Server
internal import GemLedger
internal import StoreBackend
internal import SystemHTTP

/// The shop: offerings and products.
enum ShopRoutes {
  static var all: [Route] { [offerings, products, testProducts] }

  private static let platform = [
    Parameter("store", .store, "The store that the app is sold through; by default the key's."),
    Parameter("storefront", .storefront, "The country of the store account, such as JPN; USA by default."),
    Parameter("locale", .text(1...40), "The language and region of texts, such as ja_JP; en_US by default."),
  ]

  private static let package = Schema.object([
    .always("identifier", .text()), .always("platform_product_identifier", .text()),
    Schema.Field("platform_product_plan_identifier", .text(), "The base plan of a subscription at Google Play."),
  ])

  private static let offering = Schema.object([
    .always("identifier", .catalogID), .always("description", .text()), .always("metadata", .map(.anything)),
    .always("packages", .list(package)),
  ])

  private static let offeringsAnswer = Schema.object([
    .always("current_offering_id", .text(), "Empty if there is none: SDKs do not accept null."),
    .always("offerings", .list(offering)),
    .always("catalog", OfferingsSnapshot.schema, "The same with products, currencies and items, as in a catalog file."),
  ])

  private static let offerings = Route.sdk(
    "GET", "/v1/subscribers/{app_user_id}/offerings", "get_offerings",
    "The offerings, and the products on sale at the store.", query: platform, answers: [200: offeringsAnswer],
    work: .later { (call) async throws(LedgerError) in
      _ = try call.subscriber()
      let platform = try call.platform()
      let shop = try await call.project.backend.offerings(for: platform)
      return .json(
        200,
        [
          "current_offering_id": .string(shop.current?.text ?? ""),
          "offerings": .array(shop.offerings.map { $0.documentOfV1(products: shop.products, at: platform.store) }),
          "catalog": shop.wire,
        ])
    })

  private static let product = Schema.object([
    .always("identifier", .text(), "The product's id at the store."), .always("code", .catalogID),
    .always("product_type", .word(ProductType.Kind.allCases.map(\.rawValue))), .always("title", .text()),
    .always("description", .text()),
    .always("price", .object([.always("amount", .text(), "With a dot, such as 9.99."), .always("currency", .text())])),
    .always("period", .nullable(.text()), "ISO 8601, for a subscription."),
  ])

  private static let products = Route.sdk(
    "GET", "/v1/products", "list_app_products", "The products on sale at the store, with titles and prices.",
    query: platform, answers: [200: .object([.always("products", .list(product))])],
    work: .later { (call) async throws(LedgerError) in
      let platform = try call.platform()
      let shop = try await call.project.backend.offerings(for: platform)
      return .json(200, ["products": .array(shop.products.compactMap { $0.documentOfV1(at: platform) })])
    })

  private static let price = Schema.object([.always("amount_micros", .integer()), .always("currency", .text())])

  private static let testProduct = Schema.object([
    .always("identifier", .text()), .always("product_type", .word(["consumable", "non_consumable", "subscription"])),
    .always("title", .text()), .always("description", .text()), .always("default_purchase_option_id", .text()),
    .always(
      "purchase_options",
      .map(
        .object([
          Schema.Field("base_price", price, "The price of a one-time product."),
          Schema.Field(
            "base",
            .object([.always("period_duration", .text()), .always("cycle_count", .integer()), .always("price", price)]),
            "Of a subscription."),
        ]))),
  ])

  private static let testProducts = Route.sdk(
    "GET", "/rcbilling/v1/subscribers/{app_user_id}/products", "list_test_products",
    "The products of RevenueCat's test store: for test keys, those of the catalog with an id at the store \"test\".",
    query: [Parameter("id", .text(), "Product id; repeatable.", isRepeatable: true)],
    answers: [200: .object([.always("product_details", .list(testProduct))])],
    work: .later { (call) async throws(LedgerError) in
      _ = try call.subscriber()
      var platform = try call.platform()
      platform.store = .test
      let ids = call.query["id"]?.array?.compactMap(\.text) ?? []
      let shop = try await call.project.backend.offerings(for: platform)
      let products = shop.products.filter { product in
        product.storeIDs[Store.test.description].map { id in ids.contains { $0.hasBytes(of: id) } } ?? false
      }
      return .json(200, ["product_details": .array(products.compactMap { $0.testDocument(at: platform) })])
    })
}

extension Call {
  /// Returns the app's store, storefront and language.
  ///
  /// - Throws: `LedgerError` with `invalid_request` for an unknown storefront.
  fileprivate func platform() throws(LedgerError) -> AppPlatform {
    var platform = AppPlatform(store: query["store"]?.text.flatMap(Store.init(name:)) ?? keyStore)
    if let text = query["storefront"]?.text {
      guard let storefront = StorefrontCode(exactly: text) else {
        throw .parameter("storefront", "is no storefront; codes are like USA, JPN, VNM")
      }
      platform.storefront = storefront
    }
    if let locale = query["locale"]?.text { platform.locale = locale }
    return platform
  }

  private var keyStore: Store {
    switch caller.kind {
    case .app(.google): .google
    case .app(.amazon): .amazon
    case .app(.test): .test
    case .app(.apple): .apple
    // A secret key belongs to no store, but the SDK sends its platform.
    default: ["android": .google, "amazon": .amazon][request.headers["X-Platform"]?.lowercased() ?? ""] ?? .apple
    }
  }
}

extension CatalogOffering {
  fileprivate func documentOfV1(products: [Product], at store: Store) -> JSONValue {
    let ids = Dictionary(
      products.compactMap { product in product.storeIDs[store.description].map { (product.code, $0) } }
    ) { first, _ in first }
    let packages = packages.compactMap { package -> JSONValue? in
      guard let id = ids[package.product] else { return nil }
      var document: JSONObject = ["identifier": .string(package.id)]
      // Play's subscriptions are sold by base plan, which catalogs name as `subscription:plan`.
      let parts = store == .google ? id.split(separator: ":", maxSplits: 1) : []
      document["platform_product_identifier"] = .string(parts.first.map(String.init) ?? id)
      if parts.count == 2 { document["platform_product_plan_identifier"] = .string(String(parts[1])) }
      return .object(document)
    }
    return [
      "identifier": .string(id.text), "description": .string(description), "metadata": .object(metadata),
      "packages": .array(packages),
    ]
  }
}

extension Product {
  fileprivate func documentOfV1(at platform: AppPlatform) -> JSONValue? {
    guard let id = storeIDs[platform.store.description], let price = prices[platform.storefront],
      let text = localizations.first(where: { $0.locale.hasBytes(of: platform.locale) }) ?? localizations.first
    else { return nil }
    return [
      "identifier": .string(id), "code": .string(code.text), "product_type": .string(type.description),
      "title": .string(text.title), "description": .string(text.description),
      "price": ["amount": .string(price.text), "currency": .string(platform.storefront.currency.code)],
      "period": JSONValue(period),
    ]
  }
}

extension Product {
  /// Returns the product in the form of RevenueCat's test store.
  fileprivate func testDocument(at platform: AppPlatform) -> JSONValue? {
    guard let id = storeIDs[Store.test.description], let price = prices[platform.storefront] else { return nil }
    let text = localizations.first { $0.locale.hasBytes(of: platform.locale) } ?? localizations.first
    let amount: JSONValue = ["amount_micros": .integer(price.micros), "currency": .string(price.currency.code)]
    let option: JSONValue =
      period.map { ["base": ["period_duration": .string($0), "cycle_count": 1, "price": amount]] }
      ?? ["base_price": amount]
    let kind = type.isSubscription ? "subscription" : type == .consumable ? "consumable" : "non_consumable"
    return [
      "identifier": .string(id), "product_type": .string(kind), "title": .string(text?.title ?? code.text),
      "description": .string(text?.description ?? ""), "default_purchase_option_id": "base",
      "purchase_options": ["base": option],
    ]
  }
}

extension Price {
  /// The amount in millionths of the currency's main unit.
  fileprivate var micros: Int64 {
    (currency.minorUnitDigits..<6).reduce(minorUnits) { amount, _ in amount * 10 }
  }
}
#endif
