#if Server
import GemLedger
import GemServer
import GemTestSupport
import XCTest

/// Currencies through RevenueCat's REST API.
final class RESTCurrencyTests: XCTestCase {
  private let path = "/v2/projects/default/virtual_currencies"

  private func codes(_ answer: APIWorld.Answer) -> [String] {
    (answer.body["items"]?.array ?? []).compactMap { $0["code"]?.text }
  }

  func testACurrencyHasExactlyTheMembersOfRevenueCat() async throws {
    let world = try APIWorld()
    let answer = try await world.send("GET", "\(path)/GEM")
    XCTAssertEqual(answer.status, 200)
    func grant(_ product: String, _ amount: Int64) -> JSONValue {
      [
        "object": "virtual_currency.product_grant", "product_ids": .array([.string(product)]),
        "amount": .integer(amount), "trial_amount": 0, "expire_at_cycle_end": false,
      ]
    }
    XCTAssertEqual(
      answer.body,
      [
        "object": "virtual_currency", "project_id": "default", "code": "GEM", "name": "Gems",
        "description": "Hard currency", "state": "active", "created_at": .integer(world.time.now.milliseconds),
        "product_grants": [grant("gems_300", 300), grant("gems_1200", 1200), grant("gems_6500", 6500)],
      ])
  }

  func testACreatedCurrencyIsListedAndUsed() async throws {
    let world = try APIWorld()
    let made = try await world.send(
      "POST", path,
      [
        "code": "COIN", "name": "Coins",
        "product_grants": [["product_ids": ["gems_300", "gems_1200"], "amount": 50, "trial_amount": nil]],
      ])
    XCTAssertEqual(made.status, 201, "\(made.body)")
    XCTAssertEqual(made.body["description"], .null)
    XCTAssertEqual(made.body["product_grants"]?.array?.first?["product_ids"], ["gems_300", "gems_1200"])
    let list = try await world.send("GET", "\(path)?limit=1")
    XCTAssertEqual(codes(list), ["GEM"])
    XCTAssertEqual(list.body["object"], "list")
    XCTAssertEqual(list.body["url"], .string(path))
    XCTAssertEqual(list.body["next_page"], .string("\(path)?limit=1&starting_after=GEM"))
    let rest = try await world.send("GET", "\(path)?limit=1&starting_after=GEM")
    XCTAssertEqual(codes(rest), ["COIN"])
    XCTAssertEqual(rest.body["next_page"], .null)
    let grants = try world.ledger.product(ProductCode("gems_300")).grants
    XCTAssertEqual(grants.map { "\($0.currency) \($0.amount)" }, ["GEM 300", "COIN 50"])
  }

  func testBadCurrenciesAreRefusedAndChangeNothing() async throws {
    let world = try APIWorld()
    let before = try world.ledger.currentCatalog()
    func body(_ changes: (String, JSONValue)...) -> JSONValue {
      var object: JSONObject = ["code": "COIN", "name": "Coins"]
      for (name, value) in changes { object[name] = value }
      return .object(object)
    }
    func grants(_ ids: JSONValue, _ more: (String, JSONValue)...) -> JSONValue {
      .array([.object(JSONObject([("product_ids", ids), ("amount", 5)] + more))])
    }
    let cases: [(JSONValue, Int, String, String?)] = [
      (body(("code", "GEM")), 409, "resource_already_exists", "code"),
      (body(("code", "CO-IN")), 400, "parameter_error", "code"),
      (body(("code", "ELEVENCHARS")), 400, "parameter_error", "code"),
      (body(("code", nil)), 400, "parameter_error", "code"),
      (body(("name", "")), 400, "parameter_error", "name"),
      (body(("name", .string(String(repeating: "x", count: 51)))), 400, "parameter_error", "name"),
      (body(("icon", "x")), 400, "parameter_error", "icon"),
      (body(("product_grants", grants(["nothing"]))), 404, "resource_missing", "product_grants"),
      (body(("product_grants", grants([]))), 400, "parameter_error", "product_grants[0].product_ids"),
      (body(("product_grants", grants(["gems_300", "gems_300"]))), 400, "parameter_error", "product_grants"),
      (
        body(("product_grants", grants(["gems_300"], ("trial_amount", 5)))), 400, "parameter_error",
        "product_grants[0].trial_amount"
      ),
      (body(("product_grants", grants(["gems_300"], ("expire_at_cycle_end", true)))), 400, "parameter_error", nil),
    ]
    for (body, status, type, param) in cases {
      let answer = try await world.send("POST", path, body)
      XCTAssertEqual(answer.status, status, "\(body) \(answer.body)")
      XCTAssertEqual(answer.body["type"], .string(type), "\(answer.body)")
      XCTAssertEqual(answer.body["param"]?.text, param, "\(answer.body)")
    }
    XCTAssertEqual(try world.ledger.currentCatalog(), before)
  }

  func testAnUpdateChangesWhatItNames() async throws {
    let world = try APIWorld()
    let renamed = try await world.send("POST", "\(path)/GEM", ["name": "Jewels"])
    XCTAssertEqual(renamed.body["name"], "Jewels")
    XCTAssertEqual(renamed.body["description"], "Hard currency")
    XCTAssertEqual(renamed.body["product_grants"]?.array?.count, 3)
    let cleared = try await world.send(
      "POST", "\(path)/GEM",
      ["description": nil, "product_grants": [["product_ids": ["gems_300"], "amount": 310]]])
    XCTAssertEqual(cleared.body["description"], .null)
    XCTAssertEqual(cleared.body["product_grants"]?.array?.count, 1)
    XCTAssertEqual(try world.ledger.product(ProductCode("gems_1200")).grants, [])
    XCTAssertEqual(try world.ledger.product(ProductCode("gems_300")).grants.map(\.amount), [310])
    let code = try await world.send("POST", "\(path)/GEM", ["code": "JEWEL"])
    XCTAssertEqual(code.status, 400)
    for unknown in ["NONE", "gem", "no%20code"] {
      let answer = try await world.send("POST", "\(path)/\(unknown)", ["name": "X"])
      XCTAssertEqual(answer.status, 404)
      XCTAssertEqual(answer.body["type"], "resource_missing")
      XCTAssertEqual(answer.body["param"], "virtual_currency_code")
    }
  }

  func testAnUnchangedAmountKeepsItsBonus() async throws {
    let world = try APIWorld()
    var catalog = try world.ledger.currentCatalog()
    let gem = try CurrencyCode("GEM")
    let products = catalog.products.map { product in
      var product = product
      product.grants = [Grant(currency: gem, amount: 100, bonus: 20)]
      return product
    }
    catalog = try catalog.edited { (draft) in draft.products = products }
    try world.ledger.apply(catalog)
    let read = try await world.send("GET", "\(path)/GEM")
    let grant = try XCTUnwrap(read.body["product_grants"]?.array?.first)
    XCTAssertEqual(grant["amount"], 120)
    let ids = try XCTUnwrap(grant["product_ids"])
    _ = try await world.send(
      "POST", "\(path)/GEM", ["product_grants": [["product_ids": ids, "amount": 120]]])
    XCTAssertEqual(try world.ledger.product(ProductCode("gems_300")).grants, products[0].grants)
  }

  func testRacingEditsAreAllKept() async throws {
    let world = try APIWorld()
    let path = path
    try await withThrowingTaskGroup(of: Int.self) { group in
      for number in 0..<30 {
        group.addTask {
          try await world.send("POST", path, ["code": .string("C\(number % 20)"), "name": .string("N\(number)")]).status
        }
      }
      let statuses = try await group.reduce(into: []) { $0.append($1) }
      XCTAssertEqual(statuses.count { $0 == 201 }, 20)
      XCTAssertEqual(statuses.count { $0 == 409 }, 10)
    }
    XCTAssertEqual(try world.ledger.currentCatalog().currencies.count, 21)
  }

  func testAnArchivedCurrencyIsNotUsedAndStillCredited() async throws {
    let world = try APIWorld()
    try world.grant(500, to: "alice")
    let archived = try await world.send("POST", "\(path)/GEM/actions/archive")
    XCTAssertEqual(archived.body["state"], "inactive")
    let again = try await world.send("POST", "\(path)/GEM/actions/archive")
    XCTAssertEqual(again.status, 200)
    let balances = "/v2/projects/default/customers/alice/virtual_currencies"
    let spend = try await world.send("POST", "\(balances)/transactions", ["adjustments": ["GEM": -5]])
    XCTAssertEqual(spend.status, 422)
    XCTAssertEqual(spend.body["type"], "unprocessable_entity_error")
    XCTAssertEqual(spend.body["code"], "not_available")
    XCTAssertEqual(spend.body["param"], "adjustments")
    let hidden = try await world.send("GET", "\(balances)?include_empty_balances=true")
    XCTAssertEqual(hidden.body["items"], [])
    try world.ledger.creditPurchase(Make.purchase("t", product: "gems_300"), customer: CustomerID("alice"))
    let active = try await world.send("POST", "\(path)/GEM/actions/unarchive")
    XCTAssertEqual(active.body["state"], "active")
    let shown = try await world.send("GET", balances)
    XCTAssertEqual(shown.body["items"]?.array?.first?["balance"], 800)
    try assertBooksAddUp(world.ledger)
  }

  func testOnlyAnUnusedCurrencyIsDeleted() async throws {
    let world = try APIWorld()
    _ = try await world.send(
      "POST", path, ["code": "COIN", "name": "Coins", "product_grants": [["product_ids": ["gems_300"], "amount": 5]]])
    let deleted = try await world.send("DELETE", "\(path)/COIN")
    XCTAssertEqual(deleted.status, 200, "\(deleted.body)")
    XCTAssertEqual(
      deleted.body,
      ["object": "virtual_currency", "id": "COIN", "deleted_at": .integer(world.time.now.milliseconds)])
    let gone = try await world.send("DELETE", "\(path)/COIN")
    XCTAssertEqual(gone.status, 404)
    XCTAssertEqual(try world.ledger.product(ProductCode("gems_300")).grants.map(\.amount), [300])
    _ = try await world.send("POST", path, ["code": "COIN", "name": "Coins"])
    try world.grant(1, "COIN", to: "alice")
    for code in ["COIN", "GEM"] {
      let refused = try await world.send("DELETE", "\(path)/\(code)")
      XCTAssertEqual(refused.status, 422)
      XCTAssertEqual(refused.body["type"], "unprocessable_entity_error")
      XCTAssertEqual(refused.body["param"], "virtual_currency_code")
      XCTAssertEqual(refused.body["retryable"], false)
    }
  }

  func testScopesAndPublicKeysBoundWhatAKeyMayDo() async throws {
    let world = try APIWorld()
    let reader = APIKey.make(.secret(scopes: [.currencies]), at: world.time.now)
    world.keys.add(reader.key)
    let read = try await world.send("GET", "\(path)/GEM", key: reader.text)
    XCTAssertEqual(read.status, 200)
    for (key, status) in [(reader.text, 403), (world.appKey, 403), ("sk_wrong", 401)] {
      let answer = try await world.send("POST", "\(path)/GEM", ["name": "X"], key: key)
      XCTAssertEqual(answer.status, status)
    }
    let other = try await world.send("GET", "/v2/projects/other/virtual_currencies")
    XCTAssertEqual(other.status, 403)
    XCTAssertEqual(other.body["type"], "authorization_error")
  }
}
#endif
