#if Server
internal import GemLedger
internal import StoreBackend
internal import SystemHTTP

/// The shop window: offerings and products.
enum ShopRoutes {
  static var all: [Route] { [offerings, products] }

  private static let platform = [
    Parameter("store", .store, "The store that the app is sold through; by default the key's."),
    Parameter("storefront", .storefront, "The country of the store account, such as JPN; USA by default."),
    Parameter("locale", .text(1...40), "The language and region of texts, such as ja_JP; en_US by default."),
  ]

  private static let package = Schema.object([
    .always("identifier", .text()), .always("platform_product_identifier", .text()),
  ])

  private static let offering = Schema.object([
    .always("identifier", .catalogID), .always("description", .text()), .always("metadata", .map(.anything)),
    .always("packages", .list(package)),
  ])

  private static let offeringsAnswer = Schema.object([
    .always("current_offering_id", .nullable(.catalogID)), .always("offerings", .list(offering)),
    .always("catalog", catalogPart, "The same with products, currencies and items, as in a catalog file."),
  ])

  private static let catalogPart = Schema.object([
    .always("offerings", .list(.anything)), .always("current_offering", .nullable(.catalogID)),
    .always("products", .list(.anything)), .always("currencies", .list(.anything)), .always("items", .list(.anything)),
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
          "current_offering_id": JSONValue(shop.current),
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
}

extension Call {
  /// The app's store, storefront and language.
  ///
  /// - Throws: `LedgerError` with `invalid_request` for a storefront that there is not.
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
    default: .apple
    }
  }
}

extension CatalogOffering {
  fileprivate func documentOfV1(products: [Product], at store: Store) -> JSONValue {
    let ids = Dictionary(
      products.compactMap { product in product.storeIDs[store.description].map { (product.code, $0) } }
    ) { first, _ in first }
    let packages = packages.compactMap { package -> JSONValue? in
      ids[package.product].map { ["identifier": .string(package.id), "platform_product_identifier": .string($0)] }
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
#endif
