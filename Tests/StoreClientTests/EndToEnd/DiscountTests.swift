import GemLedger
import GemTestSupport
import SimulatedStores
import StoreBackend
import StoreClient
import StoreTestSupport
import XCTest

/// A product on offer: the simulated stores take the discount price, and the window shows the same price.
class DiscountTests: XCTestCase {
  func testWhatIsShownIsWhatIsPaid() async throws {
    for isGoogle in [false, true] {
      let world = try World(catalog: Self.catalog())
      let play = try SimulatedPlayStore(
        catalog: try Self.catalog(), session: World.session, clock: world.clock, signer: world.receipts)
      let device: any Storefront = isGoogle ? play.account("alice").device("phone") : world.phone
      let client = try world.client("alice-4f1c9a7e", on: device)
      let products = try await client.getProductCatalog()
      XCTAssertEqual(products.map(\.localizedPriceString), ["$2.99", "$9.99"])
      XCTAssertEqual(products.map(\.localizedDiscountPriceString), ["$1.99", nil])
      XCTAssertEqual(products.map { $0.discountPrice?.text }, ["1.99", nil])
      for (product, price) in zip(products, [Int64(199 * 3), 999]) {
        let quantity: Int64 = product.type == .consumable ? 3 : 1
        let order = PurchaseOrder(
          productID: product.code.text, quantity: quantity, price: Money(minorUnits: price, currency: "USD"))
        let outcome = try await client.purchase(order: order)
        XCTAssertEqual(outcome.transaction?.price, Money(minorUnits: price, currency: "USD"))
        XCTAssertEqual(outcome.answer?.purchase.price, Money(minorUnits: price, currency: "USD"))
      }
      XCTAssertEqual(try world.balance("alice-4f1c9a7e"), 900)
      try assertBooksAddUp(world.ledger)
    }
  }

  /// The store is asked, and not the catalog: an offer that the store does not make is none.
  func testADiscountThatTheStoreDoesNotTakeIsNotShown() async throws {
    let world = try World(catalog: Self.catalog(discount: nil), credited: Self.catalog())
    let client = try world.client("alice-4f1c9a7e", on: world.phone)
    let products = try await client.getProductCatalog()
    XCTAssertEqual(products.map(\.localizedPriceString), ["$2.99", "$9.99"])
    XCTAssertEqual(products.map(\.discountPrice), [nil, nil])
  }

  private static func catalog(discount: String? = "1.99") throws -> Catalog {
    let (gem, dollar) = (try CurrencyCode("GEM"), StorefrontCode.unitedStates.currency)
    func product(_ code: String, _ type: ProductType, _ price: String, _ discount: String?) throws -> Product {
      Product(
        code: try ProductCode(code), storeIDs: ["apple": code, "google": code], type: type,
        localizations: [Localization(locale: "en_US", title: code)],
        prices: [.unitedStates: try Price(price, in: dollar)],
        discountPrices: try discount.map { [.unitedStates: try Price($0, in: dollar)] } ?? [:],
        grants: type == .consumable ? [Grant(currency: gem, amount: 300)] : [])
    }
    let products = [
      try product("gems", .consumable, "2.99", discount), try product("vip", .nonConsumable, "9.99", nil),
    ]
    return try Catalog(
      currencies: [Currency(code: gem, name: "Gems")], products: products,
      offerings: [
        CatalogOffering(
          id: try OfferingID("main"),
          packages: products.map { CatalogOffering.Package(id: $0.code.text, product: $0.code) })
      ], currentOffering: try OfferingID("main"), settings: CatalogSettings(bundleID: "com.example.gems"))
  }
}
