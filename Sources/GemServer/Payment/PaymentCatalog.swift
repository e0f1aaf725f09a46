#if Server
internal import GemLedger
internal import StoreBackend
internal import SystemHTTP

/// The products on sale at one store, in the form that two-step SDKs show.
enum PaymentCatalog {
  static var route: Route {
    Route(
      method: "GET", path: "\(PaymentRoutes.base)/products", name: "list_store_packages",
      summary: "The products on sale at the store of the key's app.", access: .app, style: .payment,
      query: [
        Parameter("clientId", .text(0...255), "The game; ignored, since the key determines the project."),
        Parameter("type", PaymentMethod.schema, "The store, if the key does not determine it."),
        Parameter(
          "storefront", .storefront,
          "The country of the prices, such as USA; VNM by default."),
        Parameter("locale", .text(2...35), "The language of the texts, such as vi_VN, if available."),
      ],
      answers: [200: answer], work: .now(list))
  }

  private static let answer = Schema.object([
    PaymentAnswer.statusCode, PaymentAnswer.message,
    Schema.Field("data", .list(.object(fields)), "In the order of the catalog.", isRequired: true),
  ])

  private static let fields = [
    Schema.Field("storeProductId", .text(), "The product's id at the store.", isRequired: true),
    Schema.Field("productId", .text(), "The same.", isRequired: true),
    Schema.Field("code", .text(), "Our code, the same at every store.", isRequired: true),
    Schema.Field("name", .text(), "The title.", isRequired: true),
    Schema.Field("productName", .text(), "The same.", isRequired: true),
    Schema.Field("title", .text(), "The same.", isRequired: true),
    Schema.Field("description", .text(), isRequired: true),
    Schema.Field("price", .decimal, "In the currency's main unit.", isRequired: true),
    Schema.Field("currency", .text(3...3), isRequired: true),
    Schema.Field("discountPrice", .nullable(.decimal), "The price during an offer.", isRequired: true),
    Schema.Field("items", .list(.object(itemFields)), "The grant of one unit.", isRequired: true),
    Schema.Field("isActive", .boolean, isRequired: true),
    Schema.Field("sortOrder", .integer(1...10_000), isRequired: true),
  ]

  private static let itemFields = [
    Schema.Field("itemId", .text(), "A currency's code or an item's id.", isRequired: true),
    Schema.Field("itemName", .text(), isRequired: true),
    Schema.Field("quantity", .integer(1...Int64.max), isRequired: true),
  ]

  private static func list(_ call: Call) throws(LedgerError) -> HTTPResponse {
    let store = try PaymentMethod.store(call.query["type"], "type", in: call)
    guard let storefront = StorefrontCode(exactly: call.query["storefront"]?.text ?? PaymentAmount.storefront) else {
      throw .parameter("storefront", "is no storefront, such as USA or VNM")
    }
    let catalog = try call.project.ledger.currentCatalog()
    let listed = catalog.products.filter { $0.obstacles(at: store.description, storefront: storefront).isEmpty }
    let locale = call.query["locale"]?.text ?? ""
    var answer = PaymentAnswer.object(.success)
    answer["data"] = .array(
      listed.enumerated().map { index, product in
        package(product, at: store, storefront, number: index + 1, locale: locale, in: catalog)
      })
    return .json(200, .object(answer))
  }

  private static func package(
    _ product: Product, at store: Store, _ storefront: StorefrontCode, number: Int, locale: String, in catalog: Catalog
  ) -> JSONValue {
    let id = JSONValue.string(product.storeIDs[store.description] ?? "")
    let texts = localization(of: product, locale: locale)
    let title = JSONValue.string(texts?.title ?? "")
    return [
      "storeProductId": id, "productId": id, "code": .string(product.code.text), "name": title, "productName": title,
      "title": title, "description": .string(texts?.description ?? ""),
      "price": PaymentAmount.json(product.prices[storefront]), "currency": .string(storefront.currency.code),
      "discountPrice": PaymentAmount.json(product.discountPrices[storefront]),
      "items": .array(items(of: product, in: catalog)), "isActive": .bool(product.isActive),
      "sortOrder": .integer(Int64(number)),
    ]
  }

  /// Returns the texts in the language, or else the first texts.
  private static func localization(of product: Product, locale: String) -> Localization? {
    func language(_ locale: String) -> Substring { locale.prefix { $0 != "_" && $0 != "-" } }
    let texts = product.localizations
    return texts.first { $0.locale == locale } ?? texts.first { language($0.locale) == language(locale) }
      ?? texts.first
  }

  private static func items(of product: Product, in catalog: Catalog) -> [JSONValue] {
    let currencies = product.grants.map { grant in
      let name = catalog.currencies.first { $0.code == grant.currency }?.name
      return item(grant.currency.description, name, grant.amount + grant.bonus)
    }
    let items = product.itemGrants.map { grant in
      item(grant.item.text, catalog.items.first { $0.id == grant.item }?.name, grant.quantity)
    }
    return currencies + items
  }

  private static func item(_ id: String, _ name: String?, _ quantity: Int64) -> JSONValue {
    ["itemId": .string(id), "itemName": .string(name ?? id), "quantity": .integer(quantity)]
  }
}
#endif
