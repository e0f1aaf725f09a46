import SimulatedStores
import StoreClientFoundation
import XCTest

@testable import PageSnippets

// The tests of the page "Coming from RevenueCat, in ten minutes".

// ten-minutes: test
@MainActor
final class ShopTests: XCTestCase {
  static let catalog = """
    {"currencies": [{"code": "GEM", "name": "Gems"}],
     "products": [
       {"code": "gems_300", "store_ids": {"apple": "gems_300"}, "type": "consumable",
        "localizations": [{"locale": "en_US", "title": "300 Gems"}], "prices": {"USA": "2.99"},
        "grants": [{"currency": "GEM", "amount": 300}]},
       {"code": "club", "store_ids": {"apple": "com.myapp.club"}, "type": "auto_renewable_subscription",
        "period": "P1M", "localizations": [{"locale": "en_US", "title": "Club"}], "prices": {"USA": "4.99"},
        "entitlement": "premium", "grants": []}],
     "offerings": [{"id": "gems", "packages": [{"id": "small", "product": "gems_300"}]}],
     "items": [{"id": "extra_life", "name": "Extra life", "price": {"GEM": 50}}]}
    """

  override func tearDown() async throws { StoreClient.defaults = StoreClient.Defaults() }

  func testTheShop() async throws {
    let sandbox = try StoreSandbox.asDefault(try Catalog.load(Array(Self.catalog.utf8)))
    launch()
    let model = ShopModel()
    Purchases.shared.delegate = model
    await model.load()
    try sandbox.store.inject(StoreFault(.cancel, on: .purchase))
    await model.buy(model.packages[0])
    XCTAssertEqual(model.gems, 0)
    await model.buy(model.packages[0])
    XCTAssertEqual(model.gems, 300)
    await model.buyExtraLife()
    XCTAssertEqual(model.gems, 250)
    XCTAssertNil(model.message)
    // A subscription that comes without a call is heard of.
    try sandbox.store.buyProduct(identifier: "com.myapp.club", account: "customer")
    for _ in 0..<1000 where !model.isPremium { try await Task.sleep(for: .milliseconds(10)) }
    XCTAssertTrue(model.isPremium)
  }
}
// ten-minutes: end

// ten-minutes: own backend
extension ShopTests {
  func testAScreenWithFortyTwoGems() async throws {
    let sandbox = try StoreSandbox.asDefault(try Catalog.load(Array(Self.catalog.utf8)))
    StoreClient.defaults.mode = .payment(FortyTwoGems(decorated: sandbox.backend))
    launch()
    let model = ShopModel()
    await model.load()
    XCTAssertEqual(model.gems, 42)
  }
}
// ten-minutes: end
