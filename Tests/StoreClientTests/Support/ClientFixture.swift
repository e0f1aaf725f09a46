import GemLedger
import StoreBackend

@testable import StoreClient

/// A clock, a shop, a backend, and clients between them.
struct ClientFixture {
  let clock = TestClock()
  let shop: FakeShop
  let backend: FakeBackend
  let eventLog = MemoryEventLog()

  init() throws {
    shop = FakeShop(clock)
    backend = try FakeBackend(try Self.catalog(), clock)
  }

  /// A client that does nothing by itself, unless the test wants that.
  func client(
    _ appUserID: String? = "alice-4f1c9a7e", eventLog: (any EventLog)? = nil, isAutomatic: Bool = false,
    _ change: (inout StoreClient.Configuration) -> Void = { _ in }
  ) throws -> StoreClient {
    var configuration = StoreClient.Configuration(
      apiKey: "appl_test", appUserID: appUserID, mode: .payment(backend), storefront: shop,
      eventLog: eventLog ?? self.eventLog)
    configuration.clock = clock.storeClock
    configuration.isAutomatic = isAutomatic
    configuration.bundleID = "com.example.gems"
    configuration.logHandler = { _, _ in }
    change(&configuration)
    return try StoreClient(configuration: configuration)
  }

  static let gems = "gems_1200"

  static func catalog() throws -> Catalog {
    let gem = try CurrencyCode("GEM")
    let coin = try CurrencyCode("COIN")
    func product(_ code: String, _ grants: [Grant]) throws -> Product {
      Product(
        code: try ProductCode(code), storeIDs: ["apple": "com.example.\(code)"], type: .consumable,
        localizations: [Localization(locale: "en_US", title: code)],
        prices: [.unitedStates: try Price("9.99", in: StorefrontCode.unitedStates.currency)], grants: grants)
    }
    let products = [
      try product("gems_300", [Grant(currency: gem, amount: 300)]),
      try product("gems_1200", [Grant(currency: gem, amount: 1000, bonus: 200)]),
      try product("bundle", [Grant(currency: gem, amount: 100), Grant(currency: coin, amount: 500)]),
    ]
    let packages = try ["gems_1200", "gems_300"].map { CatalogOffering.Package(id: $0, product: try ProductCode($0)) }
    return try Catalog(
      currencies: [
        Currency(code: gem, name: "Gems", description: "Hard currency"), Currency(code: coin, name: "Coins"),
      ], products: products,
      offerings: [
        CatalogOffering(id: try OfferingID("gems"), description: "Packs of gems", packages: packages),
        CatalogOffering(
          id: try OfferingID("club"),
          packages: [CatalogOffering.Package(id: "$rc_monthly", product: try ProductCode("bundle"))]
        ),
      ], currentOffering: try OfferingID("gems"))
  }
}
