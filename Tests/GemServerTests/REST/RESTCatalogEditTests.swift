#if Server
import GemLedger
import GemServer
import GemTestSupport
import XCTest

/// Changes of products, offerings and packages through RevenueCat's REST API.
final class RESTCatalogEditTests: XCTestCase {
  private let path = "/v2/projects/default"

  private let club: JSONValue = [
    "store_identifier": "club", "app_id": "apple", "type": "subscription", "display_name": "Club",
    "subscription": ["duration": "P1M"],
  ]

  private func assertRefused(
    _ status: Int, _ code: String, param: String, _ answer: APIWorld.Answer, line: UInt = #line
  ) {
    XCTAssertEqual(answer.status, status, "\(answer.body)", line: line)
    XCTAssertEqual(answer.body["code"], .string(code), line: line)
    XCTAssertEqual(answer.body["param"], .string(param), line: line)
  }

  func testEachChangeIsOneVersionOfTheCallersKey() async throws {
    let world = try APIWorld()
    let steps: [(method: String, target: String, body: JSONValue?)] = [
      ("POST", "products", club), ("POST", "products/club", ["display_name": "Club"]),
      ("POST", "offerings", ["lookup_key": "vip", "display_name": "VIP"]),
      ("POST", "offerings/vip/packages", ["lookup_key": "one", "product_id": "club"]),
      ("POST", "virtual_currencies", ["code": "COIN", "name": "Coins"]), ("DELETE", "virtual_currencies/COIN", nil),
    ]
    for step in steps {
      let answer = try await world.send(step.method, "\(path)/\(step.target)", step.body)
      XCTAssertLessThan(answer.status, 300, "\(step.target): \(answer.body)")
    }
    let versions = try world.ledger.catalogEditor.versions()
    XCTAssertEqual(versions.map(\.version), [6, 5, 4, 3, 2, 1], "The title of the second step is the old one.")
    let actor = try ActorName("key:\(XCTUnwrap(APIKey.id(in: world.secretKey)))")
    XCTAssertEqual(versions.dropLast().map(\.actor), Array(repeating: actor, count: 5))
  }

  // MARK: Products

  func testAProductIsCreatedChangedAndDeleted() async throws {
    let world = try APIWorld()
    let made = try await world.send("POST", "\(path)/products", club)
    XCTAssertEqual(made.status, 201, "\(made.body)")
    let product: JSONValue = [
      "object": "product", "id": "club", "store_identifier": "club", "type": "subscription",
      "subscription": ["duration": "P1M", "grace_period_duration": nil, "trial_duration": nil], "one_time": nil,
      "created_at": .integer(world.time.now.milliseconds), "app_id": "apple", "display_name": "Club",
      "state": "active",
    ]
    XCTAssertEqual(made.body, product)
    var second = try XCTUnwrap(club.object)
    second["app_id"] = "google"
    let added = try await world.send("POST", "\(path)/products", .object(second))
    XCTAssertEqual(added.body["app_id"], "google")
    XCTAssertEqual(
      try world.ledger.product(ProductCode("club")).storeIDs, ["apple": "club", "google": "club"])
    let renamed = try await world.send("POST", "\(path)/products/club", ["display_name": "The club"])
    XCTAssertEqual(renamed.body["display_name"], "The club")
    for (action, state) in [("archive", "inactive"), ("unarchive", "active")] {
      let answer = try await world.send("POST", "\(path)/products/club/actions/\(action)")
      XCTAssertEqual(answer.body["state"], .string(state))
    }
    let deleted = try await world.send("DELETE", "\(path)/products/club")
    XCTAssertEqual(
      deleted.body, ["object": "product", "id": "club", "deleted_at": .integer(world.time.now.milliseconds)])
    let gone = try await world.send("GET", "\(path)/products/club")
    XCTAssertEqual(gone.status, 404)
  }

  func testATitleKeepsOtherLanguagesAndTheDescription() async throws {
    let world = try APIWorld()
    let code = try ProductCode("gems_300")
    let before = try world.ledger.product(code)
    _ = try await world.send("POST", "\(path)/products/gems_300", ["display_name": "A few gems"])
    let after = try world.ledger.product(code)
    XCTAssertEqual(after.localizations.first?.title, "A few gems")
    XCTAssertEqual(after.localizations.first?.description, before.localizations.first?.description)
    XCTAssertEqual(after.localizations.dropFirst(), before.localizations.dropFirst())
    XCTAssertEqual(after.prices, before.prices)
    XCTAssertEqual(after.grants, before.grants)
  }

  func testBadProductsAreRefusedAndChangeNothing() async throws {
    let world = try APIWorld()
    func refused(
      _ status: Int, _ code: String, param: String, _ changes: [(String, JSONValue)], line: UInt = #line
    ) async throws {
      var body = try XCTUnwrap(club.object)
      for (name, value) in changes { body[name] = value }
      assertRefused(
        status, code, param: param, try await world.send("POST", "\(path)/products", .object(body)), line: line)
    }
    try await refused(400, "invalid_request", param: "type", [("type", "one_time")])
    try await refused(400, "invalid_request", param: "app_id", [("app_id", "app1a2b3c")])
    try await refused(400, "invalid_request", param: "title", [("title", "Club")])
    try await refused(400, "invalid_request", param: "subscription.price", [("subscription", ["price": 1])])
    try await refused(409, "already_exists", param: "store_identifier", [("store_identifier", "gems_300")])
    try await refused(
      409, "already_exists", param: "store_identifier", [("store_identifier", "gems_300"), ("type", "consumable")])
    let period = try await world.send(
      "POST", "\(path)/products",
      ["store_identifier": "p", "app_id": "test", "type": "consumable", "subscription": ["duration": "P1M"]])
    XCTAssertEqual(period.body["code"], "invalid_catalog")
    assertRefused(
      422, "not_available", param: "product_id", try await world.send("DELETE", "\(path)/products/gems_300"))
    assertRefused(
      404, "product_not_found", param: "product_id",
      try await world.send("POST", "\(path)/products/none", ["display_name": "x"]))
    XCTAssertEqual(try world.ledger.catalogEditor.current().version, 1)
  }

  // MARK: Offerings

  func testAnOfferingIsCreatedChangedAndDeleted() async throws {
    let world = try APIWorld()
    let body: JSONValue = ["lookup_key": "vip", "display_name": "VIP", "metadata": ["color": "gold"]]
    let made = try await world.send("POST", "\(path)/offerings", body)
    XCTAssertEqual(made.status, 201, "\(made.body)")
    XCTAssertEqual(made.body["is_current"], false)
    XCTAssertEqual(made.body["metadata"], ["color": "gold"])
    XCTAssertEqual(made.body["packages"]?["items"], [])
    let current = try await world.send(
      "POST", "\(path)/offerings/vip", ["is_current": true, "metadata": nil, "display_name": "Very"])
    XCTAssertEqual(current.body["is_current"], true)
    XCTAssertEqual(current.body["metadata"], [:])
    XCTAssertEqual(current.body["display_name"], "Very")
    XCTAssertEqual(try world.ledger.currentCatalog().currentOffering?.text, "vip")
    assertRefused(
      422, "not_available", param: "offering_id", try await world.send("DELETE", "\(path)/offerings/vip"))
    let none = try await world.send("POST", "\(path)/offerings/vip", ["is_current": false])
    XCTAssertEqual(none.body["is_current"], false)
    let deleted = try await world.send("DELETE", "\(path)/offerings/vip")
    XCTAssertEqual(deleted.body["object"], "offering")
    let again = try await world.send("DELETE", "\(path)/offerings/vip")
    assertRefused(404, "offering_not_found", param: "offering_id", again)
    assertRefused(
      409, "already_exists", param: "lookup_key",
      try await world.send("POST", "\(path)/offerings", ["lookup_key": "gems", "display_name": "x"]))
    assertRefused(
      400, "invalid_request", param: "state",
      try await world.send("POST", "\(path)/offerings/gems", ["state": "inactive"]))
  }

  // MARK: Packages

  private func packages(_ world: APIWorld) throws -> [String] {
    let catalog = try world.ledger.currentCatalog()
    return catalog.offerings[0].packages.map { "\($0.id) \($0.product)" }
  }

  func testAPackageIsCreatedMovedAndDeleted() async throws {
    let world = try APIWorld()
    let body: JSONValue = ["lookup_key": "first", "product_id": "gems_300", "position": 1, "display_name": "300 Gems"]
    let made = try await world.send("POST", "\(path)/offerings/gems/packages", body)
    XCTAssertEqual(made.status, 201, "\(made.body)")
    XCTAssertEqual(made.body["id"], "gems:first")
    XCTAssertEqual(made.body["position"], 1)
    let before = try packages(world)
    XCTAssertEqual(before.first, "first gems_300")
    let moved = try await world.send("POST", "\(path)/packages/gems:first", ["position": 3])
    XCTAssertEqual(moved.body["position"], 3)
    XCTAssertEqual(try packages(world), [before[1], before[2], before[0], before[3]])
    let shown = try await world.send("GET", "\(path)/packages/gems:first")
    XCTAssertEqual(shown.body, moved.body)
    let products = try await world.send("GET", "\(path)/packages/gems:first/products")
    XCTAssertEqual(products.body["items"], moved.body["products"]?["items"])
    let deleted = try await world.send("DELETE", "\(path)/packages/gems:first")
    XCTAssertEqual(deleted.body["object"], "package")
    XCTAssertEqual(try packages(world), Array(before.dropFirst()))
  }

  func testAPackageHasOneProduct() async throws {
    let world = try APIWorld()
    let before = try packages(world)
    let actions = "\(path)/packages/gems:small/actions"
    func attaching(_ codes: String...) -> JSONValue {
      ["products": .array(codes.map { ["product_id": .string($0), "eligibility_criteria": "all"] })]
    }
    let attached = try await world.send("POST", "\(actions)/attach_products", attaching("gems_6500"))
    XCTAssertEqual(attached.status, 200, "\(attached.body)")
    XCTAssertEqual(attached.body["products"]?["items"]?.array?.first?["product"]?["id"], "gems_6500")
    XCTAssertEqual(try packages(world), ["small gems_6500"] + before.dropFirst())
    assertRefused(
      400, "invalid_request", param: "products",
      try await world.send("POST", "\(actions)/attach_products", attaching("gems_300", "gems_1200")))
    assertRefused(
      404, "product_not_found", param: "products",
      try await world.send("POST", "\(actions)/attach_products", attaching("none")))
    assertRefused(
      422, "not_available", param: "product_ids",
      try await world.send("POST", "\(actions)/detach_products", ["product_ids": ["gems_6500"]]))
    assertRefused(
      404, "product_not_found", param: "product_ids",
      try await world.send("POST", "\(actions)/detach_products", ["product_ids": ["gems_300"]]))
    XCTAssertEqual(try packages(world), ["small gems_6500"] + before.dropFirst())
  }

  func testBadPackagesAreRefusedAndChangeNothing() async throws {
    let world = try APIWorld()
    let target = "\(path)/offerings/gems/packages"
    let rows: [(line: UInt, target: String, body: JSONValue, status: Int, code: String, param: String)] = [
      (#line, target, ["lookup_key": "x"], 400, "invalid_request", "product_id"),
      (#line, target, ["lookup_key": "x", "product_id": "none"], 404, "product_not_found", "product_id"),
      (#line, target, ["lookup_key": "small", "product_id": "gems_300"], 409, "already_exists", "lookup_key"),
      (
        #line, target, ["lookup_key": "x", "product_id": "gems_300", "position": 5], 400, "invalid_request", "position"
      ),
      (
        #line, target, ["lookup_key": "x", "product_id": "gems_300", "display_name": "Best"], 400, "invalid_request",
        "display_name"
      ),
      (
        #line, "\(path)/offerings/none/packages", ["lookup_key": "x", "product_id": "gems_300"], 404,
        "offering_not_found", "offering_id"
      ),
      (#line, "\(path)/packages/small", ["position": 1], 404, "offering_not_found", "package_id"),
      (#line, "\(path)/packages/gems:small", ["display_name": "Best"], 400, "invalid_request", "display_name"),
    ]
    for row in rows {
      let answer = try await world.send("POST", row.target, row.body)
      assertRefused(row.status, row.code, param: row.param, answer, line: row.line)
    }
    XCTAssertEqual(try world.ledger.catalogEditor.current().version, 1)
  }

  func testChangesNeedTheScopeOfTheirArea() async throws {
    let world = try APIWorld()
    func key(_ scope: Scope) -> String {
      let made = APIKey.make(.secret(scopes: [scope]), at: world.time.now)
      world.keys.add(made.key)
      return made.text
    }
    let rows: [(target: String, body: JSONValue, scope: Scope)] = [
      ("products", club, .products), ("offerings", ["lookup_key": "vip", "display_name": "VIP"], .offerings),
      ("offerings/vip/packages", ["lookup_key": "one", "product_id": "club"], .offerings),
    ]
    for row in rows {
      for scope in [row.scope, .currencies.writing, .catalog.writing] {
        let refused = try await world.send("POST", "\(path)/\(row.target)", row.body, key: key(scope))
        XCTAssertEqual(refused.status, 403)
      }
      let made = try await world.send("POST", "\(path)/\(row.target)", row.body, key: key(row.scope.writing))
      XCTAssertEqual(made.status, 201, "\(made.body)")
    }
  }
}
#endif
