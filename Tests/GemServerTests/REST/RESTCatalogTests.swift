#if Server
import GemLedger
import GemServer
import GemTestSupport
import XCTest

/// Products and offerings through RevenueCat's REST API, and the description of all routes.
final class RESTCatalogTests: XCTestCase {
  private let path = "/v2/projects/default"

  private func product(_ world: APIWorld) -> JSONValue {
    [
      "object": "product", "id": "gems_300", "store_identifier": "gems_300", "type": "consumable",
      "subscription": nil, "one_time": ["is_consumable": true],
      "created_at": .integer(world.time.now.milliseconds), "app_id": "apple",
      "display_name": "300 Gems", "state": "active",
    ]
  }

  func testProductsAreListed() async throws {
    let world = try APIWorld()
    let one = try await world.send("GET", "\(path)/products/gems_300")
    XCTAssertEqual(one.body, product(world))
    let list = try await world.send("GET", "\(path)/products?limit=2&app_id=google")
    XCTAssertEqual(list.body["items"]?.array?.compactMap { $0["id"]?.text }, ["gems_300", "gems_1200"])
    XCTAssertEqual(list.body["items"]?.array?.first?["app_id"], "google")
    XCTAssertEqual(
      list.body["next_page"], .string("\(path)/products?limit=2&app_id=google&starting_after=gems_1200"))
    let none = try await world.send("GET", "\(path)/products?app_id=amazon")
    XCTAssertEqual(none.body["items"], [])
    let unknown = try await world.send("GET", "\(path)/products/nothing")
    XCTAssertEqual(unknown.status, 404)
    let cursor = try await world.send("GET", "\(path)/products?starting_after=nothing")
    XCTAssertEqual(cursor.status, 400)
  }

  func testEveryTypeOfProductHasItsName() async throws {
    let world = try APIWorld()
    let catalog = try world.ledger.currentCatalog()
    let added = [
      Product(code: try ProductCode("once"), type: .nonConsumable, isActive: false),
      Product(code: try ProductCode("club"), storeIDs: ["test": "c"], type: .autoRenewableSubscription, period: "P1M"),
      Product(code: try ProductCode("pass"), type: .nonRenewingSubscription),
    ]
    try world.ledger.apply(Catalog(currencies: catalog.currencies, products: added))
    let list = try await world.send("GET", "\(path)/products")
    let items = try XCTUnwrap(list.body["items"]?.array)
    XCTAssertEqual(
      items.compactMap { $0["type"]?.text }, ["non_consumable", "subscription", "non_renewing_subscription"])
    XCTAssertEqual(items[0]["state"], "inactive")
    XCTAssertEqual(items[0]["one_time"], ["is_consumable": false])
    XCTAssertEqual(items[0]["app_id"], .null)
    XCTAssertEqual(items[1]["store_identifier"], "c")
    XCTAssertEqual(
      items[1]["subscription"], ["duration": "P1M", "grace_period_duration": nil, "trial_duration": nil])
  }

  func testOfferingsHavePackagesAndProducts() async throws {
    let world = try APIWorld()
    let list = try await world.send("GET", "\(path)/offerings?expand=items.package.product")
    let offering = try XCTUnwrap(list.body["items"]?.array?.first)
    XCTAssertEqual(offering["lookup_key"], "gems")
    XCTAssertEqual(offering["is_current"], true)
    XCTAssertEqual(offering["display_name"], "Gem packs")
    let package = try XCTUnwrap(offering["packages"]?["items"]?.array?.first)
    XCTAssertEqual(package["lookup_key"], "small")
    XCTAssertEqual(package["position"], 1)
    XCTAssertEqual(
      package["products"]?["items"], [["product": product(world), "eligibility_criteria": "all"]])
    let one = try await world.send("GET", "\(path)/offerings/gems")
    XCTAssertEqual(one.body, offering)
    let packages = try await world.send("GET", "\(path)/offerings/gems/packages?limit=1")
    XCTAssertEqual(packages.body["items"], [package])
    let rest = try await world.send("GET", try XCTUnwrap(packages.body["next_page"]?.text))
    XCTAssertEqual(rest.body["items"]?.array?.first?["lookup_key"], "medium")
    let unknown = try await world.send("GET", "\(path)/offerings/none/packages")
    XCTAssertEqual(unknown.status, 404)
  }

  func testAChangedCatalogIsShownAtOnce() async throws {
    let world = try APIWorld()
    _ = try await world.send("GET", "\(path)/offerings")
    let catalog = try world.ledger.currentCatalog()
    try world.ledger.apply(
      Catalog(currencies: catalog.currencies, products: catalog.products, items: catalog.items))
    let list = try await world.send("GET", "\(path)/offerings")
    XCTAssertEqual(list.body["items"], [])
  }

  func testEveryAnswerHasTheFormOfItsDescription() async throws {
    let world = try APIWorld()
    try world.grant(500, to: "alice")
    let targets = [
      "virtual_currencies", "virtual_currencies/GEM", "products", "products/gems_300", "offerings", "offerings/gems",
      "offerings/gems/packages", "customers", "customers/alice", "customers/alice/aliases",
      "customers/alice/active_entitlements", "customers/alice/virtual_currencies",
    ]
    for target in targets {
      let full = "\(path)/\(target)"
      let parts = full.split(separator: "/").map(String.init)
      guard case .found(let match) = Router(Routes.all).find("GET", parts) else { return XCTFail(full) }
      let answer = try await world.send("GET", full)
      XCTAssertEqual(answer.status, 200)
      try XCTUnwrap(match.route.answers[200]).check(answer.body)
    }
  }
}
#endif
