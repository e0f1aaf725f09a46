#if Server
import GemLedger
import GemServer
import GemTestSupport
import StoreBackend
import XCTest

/// Customers through RevenueCat's REST API.
final class RESTCustomerTests: XCTestCase {
  private let path = "/v2/projects/default/customers"

  private func ids(_ answer: APIWorld.Answer) -> [String] {
    (answer.body["items"]?.array ?? []).compactMap { $0["id"]?.text }
  }

  func testACreatedCustomerHasTheMembersOfRevenueCat() async throws {
    let world = try APIWorld()
    let made = try await world.send("POST", path, ["id": "alice"])
    XCTAssertEqual(made.status, 201)
    let now = JSONValue.integer(world.time.now.milliseconds)
    XCTAssertEqual(
      made.body,
      [
        "object": "customer", "id": "alice", "project_id": "default", "first_seen_at": now, "last_seen_at": now,
        "last_seen_app_version": nil, "last_seen_country": nil, "last_seen_platform": nil,
        "last_seen_platform_version": nil,
        "active_entitlements": [
          "object": "list", "items": [], "next_page": nil, "url": .string("\(path)/alice/active_entitlements"),
        ], "experiment": nil,
      ])
    let again = try await world.send("POST", path, ["id": "alice"])
    XCTAssertEqual(again.status, 409)
    XCTAssertEqual(again.body["type"], "resource_already_exists")
    let read = try await world.send("GET", "\(path)/alice")
    XCTAssertEqual(read.body, made.body)
    let attributes = try await world.send("GET", "\(path)/alice?expand=attributes")
    XCTAssertEqual(attributes.body["attributes"]?["items"], [])
  }

  /// Wherever the server dies, the same request under the same key ends in the same answer, with the tokens known.
  func testACreatedCustomerIsAnsweredAgainUnderTheKey() async throws {
    let body: JSONValue = ["id": "alice", "attributes": [["name": "level", "value": "7"]]]
    let count = try await crash(at: nil, body)
    XCTAssertGreaterThan(count, 1)
    for step in 0..<count {
      for side in CrashPoint.Side.allCases { _ = try await crash(at: (step, side), body) }
    }
  }

  /// - Returns: The number of commits of the request.
  private func crash(at death: (Int, CrashPoint.Side)?, _ body: JSONValue) async throws -> Int {
    let point = CrashPoint()
    let storage = CrashingStorage(crashPoint: point)
    let world = try APIWorld(ledger: Ledger(storage: storage, clock: ManualClock().clock))
    let key = [(name: "Idempotency-Key", value: "made-once")]
    point.begin(deaths: death.map { [$0.0: $0.1] } ?? [:])
    let first = try await world.send("POST", path, body, headers: key)
    let count = point.stepCount
    XCTAssertEqual(first.status, death == nil ? 201 : 503, "\(first.body)")
    point.begin()
    for _ in 0..<2 {
      let again = try await world.send("POST", path, body, headers: key)
      XCTAssertEqual(again.status, 201, "\(String(describing: death)): \(again.body)")
      XCTAssertEqual(again.body["id"], "alice")
    }
    let token = AccountToken(of: try CustomerID("alice"))
    XCTAssertTrue(
      try world.ledger.view { (view) throws(LedgerError) in try view.customers.isRegistered(token.number) })
    let attributes = try await world.send("GET", "\(path)/alice/attributes")
    XCTAssertEqual(attributes.body["items"]?.array?.count, 1)
    for others in [[], [(name: "Idempotency-Key", value: "another")]] {
      let refused = try await world.send("POST", path, body, headers: others)
      XCTAssertEqual(refused.status, 409)
      XCTAssertEqual(refused.body["type"], "resource_already_exists")
    }
    return count
  }

  func testAttributesAreStoredReadAndErased() async throws {
    let world = try APIWorld()
    let now = JSONValue.integer(world.time.now.milliseconds)
    let made = try await world.send(
      "POST", path, ["id": "alice", "attributes": [["name": "$email", "value": "a@example.com"]]])
    XCTAssertEqual(made.status, 201, "\(made.body)")
    let email: JSONValue = [
      "object": "customer.attribute", "name": "$email", "value": "a@example.com", "updated_at": now,
    ]
    let expanded = try await world.send("GET", "\(path)/alice?expand=attributes")
    XCTAssertEqual(expanded.body["attributes"]?["items"], [email])
    let level: JSONValue = ["object": "customer.attribute", "name": "level", "value": "7", "updated_at": now]
    let set = try await world.send(
      "POST", "\(path)/alice/attributes", ["attributes": [["name": "level", "value": "7"]]])
    XCTAssertEqual(set.body["items"], [email, level])
    let page = try await world.send("GET", "\(path)/alice/attributes?starting_after=$email")
    XCTAssertEqual(page.body["items"], [level])
    // Attributes of a person are for the project's servers.
    let own = try await world.send("GET", "/v1/subscribers/alice")
    XCTAssertEqual(
      own.body["subscriber"]?["subscriber_attributes"]?["$email"], ["value": "a@example.com", "updated_at_ms": now])
    let app = try await world.send("GET", "/v1/subscribers/alice", key: world.appKey)
    XCTAssertNil(app.body["subscriber"]?["subscriber_attributes"])
    let removed = try await world.send(
      "POST", "\(path)/alice/attributes", ["attributes": [["name": "$email", "value": nil]]])
    XCTAssertEqual(removed.body["items"], [level])
    _ = try await world.send("DELETE", "\(path)/alice")
    XCTAssertEqual(try world.ledger.documents.page(withPrefix: "customer/").count, 0)
  }

  func testAnSDKsAttributesAreStoredAndItsMistakesAnswered200() async throws {
    let world = try APIWorld()
    let long = JSONValue.string(String(repeating: "x", count: 501))
    let late = world.time.now.milliseconds + 1_000_000
    let answer = try await world.send(
      "POST", "/v1/subscribers/bob/attributes",
      [
        "attributes": [
          "$email": ["value": "b@example.com", "updated_at_ms": .integer(late)], "long": ["value": long], "none": [:],
        ]
      ], key: world.appKey)
    XCTAssertEqual(answer.status, 200)
    let errors = answer.body["attributes_error_response"]?["attribute_errors"]?.array
    XCTAssertEqual(errors?.map { $0["key_name"] }, ["long"])
    let stored = try world.ledger.attributes.all(of: CustomerID("bob")).list
    XCTAssertEqual(stored.map(\.name), ["$email"])
    // No clock of a device is ahead of the server's.
    XCTAssertEqual(stored.first?.updatedAt, world.time.now)
    let clean = try await world.send(
      "POST", "/v1/subscribers/bob/attributes", ["attributes": ["level": ["value": "7", "updated_at_ms": 1]]],
      key: world.session("bob"))
    XCTAssertEqual(clean.body, [:])
    let other = try await world.send(
      "POST", "/v1/subscribers/bob/attributes", ["attributes": [:]], key: world.session("alice"))
    XCTAssertEqual(other.status, 403)
  }

  func testASearchFindsAnIDAndAnEmailAddress() async throws {
    let world = try APIWorld()
    for (id, email) in [("alice", "a@example.com"), ("b@example.com", "x@example.com"), ("carol", "b@example.com")] {
      _ = try await world.send(
        "POST", path, ["id": .string(id), "attributes": [["name": "$email", "value": .string(email)]]])
    }
    let rows: [(search: String, ids: [String])] = [
      ("alice", ["alice"]), ("a@example.com", ["alice"]), ("b@example.com", ["b@example.com", "carol"]),
      ("nobody", []), ("$erased:1", []),
    ]
    for row in rows {
      let answer = try await world.send("GET", "\(path)?search=\(row.search)")
      XCTAssertEqual(answer.status, 200, row.search)
      XCTAssertEqual(ids(answer), row.ids, row.search)
      XCTAssertEqual(answer.body["next_page"], .null)
    }
    let bad = try await world.send("GET", "\(path)?search=alice&starting_after=alice")
    XCTAssertEqual(bad.body["param"], "starting_after")
  }

  func testPurchasesHaveTheMembersOfRevenueCat() async throws {
    let world = try APIWorld()
    for (index, product) in ["gems_300", "gems_1200", "gems_300"].enumerated() {
      let code = try await world.announce("alice", ["productId": .string(product)]).purchaseCode()
      _ = try await world.complete(code, world.receipt("t\(index)", product))
    }
    let first = try await world.send("GET", "\(path)/alice/purchases?limit=2")
    XCTAssertEqual(first.status, 200, "\(first.body)")
    let items = try XCTUnwrap(first.body["items"]?.array)
    XCTAssertEqual(items.map { $0["store_purchase_identifier"] }, ["t2", "t1"])
    XCTAssertEqual(
      items[1].only(
        "object", "customer_id", "original_customer_id", "product_id", "quantity", "status", "environment", "store",
        "ownership", "price", "presented_offering_id"),
      [
        "object": "purchase", "customer_id": "alice", "original_customer_id": "alice", "product_id": "gems_1200",
        "quantity": 1, "status": "owned", "environment": "sandbox", "store": "app_store", "ownership": "purchased",
        "price": ["amount": 249_000, "currency": "VND"], "presented_offering_id": nil,
      ])
    XCTAssertEqual(items[0]["revenue_in_usd"]?["gross"], 0)
    let next = try await world.send("GET", try XCTUnwrap(first.body["next_page"]?.text))
    XCTAssertEqual(next.body["items"]?.array?.map { $0["store_purchase_identifier"] }, ["t0"])
    XCTAssertEqual(next.body["next_page"], .null)
    let production = try await world.send("GET", "\(path)/alice/purchases?environment=production")
    XCTAssertEqual(production.body["items"], [])
    let none = try await world.send("GET", "\(path)/alice/purchases?starting_after=x")
    XCTAssertEqual(none.body["param"], "starting_after")
    let unknown = try await world.send("GET", "\(path)/nobody/purchases")
    XCTAssertEqual(unknown.status, 404)
  }

  func testBadIDsNameNoCustomer() async throws {
    let world = try APIWorld()
    let bodies: [JSONValue] = [
      ["id": ""], ["id": "guest"], ["id": "a/b"], ["id": "a\u{0}b"], ["id": "$erased:00112233445566778"], [:],
      ["id": .string(String(repeating: "é", count: 1000))], ["id": "bob", "attributes": [:]],
      ["id": "bob", "attributes": [["name": "x"]]],
      ["id": "bob", "attributes": [["name": .string(String(repeating: "x", count: 41)), "value": "x"]]],
      ["id": "bob", "attributes": [["name": "x", "value": .string(String(repeating: "é", count: 251))]]],
    ]
    for body in bodies {
      let answer = try await world.send("POST", path, body)
      XCTAssertEqual(answer.status, 400, "\(body)")
      XCTAssertNotNil(answer.body["param"]?.text)
    }
    for method in ["GET", "DELETE"] {
      let answer = try await world.send(method, "\(path)/nobody")
      XCTAssertEqual(answer.status, 404)
      XCTAssertEqual(answer.body["type"], "resource_missing")
    }
    let list = try await world.send("GET", path)
    XCTAssertEqual(ids(list), [])
  }

  func testCreatesAtOnceMakeOneCustomer() async throws {
    let world = try APIWorld()
    let path = path
    let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
      for _ in 0..<20 { group.addTask { try await world.send("POST", path, ["id": "alice"]).status } }
      return try await group.reduce(into: []) { $0.append($1) }
    }
    XCTAssertEqual(statuses.count { $0 == 201 }, 1)
    XCTAssertEqual(statuses.count { $0 == 409 }, 19)
  }

  /// Follows the pages of the list from a first one to its end.
  ///
  /// - Parameter work: Gets the ids of each page, before the next one is asked for.
  private func follow(
    _ world: APIWorld, from first: String, _ work: ([String]) async throws -> Void = { _ in }
  ) async throws -> [String] {
    var (found, next): ([String], String?) = ([], first)
    while let page = next {
      let answer = try await world.send("GET", page)
      XCTAssertEqual(answer.status, 200, "\(answer.body)")
      XCTAssertEqual(answer.body["url"], .string(path))
      try await work(ids(answer))
      found += ids(answer)
      next = answer.body["next_page"]?.text
    }
    return found
  }

  private func customers(in world: APIWorld) async throws -> [String] {
    let all = (0..<7).map { "customer \($0)" }
    for id in all { _ = try await world.send("POST", path, ["id": .string(id)]) }
    return all
  }

  func testThePagesOfTheListHoldEveryCustomerOnce() async throws {
    let world = try APIWorld()
    let all = try await customers(in: world)
    let found = try await follow(world, from: "\(path)?limit=3")
    XCTAssertEqual(found, all)
    _ = try await world.send("DELETE", "\(path)/customer%203")
    let rest = try await world.send("GET", "\(path)?starting_after=customer%202")
    XCTAssertEqual(ids(rest), Array(all[4...]))
    for place in [
      "customer%203", "$erased:0123456789abcdef", "000000000000010123456789", String(repeating: "0", count: 24),
    ] {
      let refused = try await world.send("GET", "\(path)?starting_after=\(place)")
      XCTAssertEqual(refused.status, 400, place)
      XCTAssertEqual(refused.body["param"], "starting_after", place)
    }
  }

  func testACleanUpMayDeleteEachPageBeforeItGoesOn() async throws {
    let world = try APIWorld()
    let all = try await customers(in: world)
    let found = try await follow(world, from: "\(path)?limit=3") { page in
      for id in page {
        let deleted = try await world.send("DELETE", "\(path)/\(id.replacingOccurrences(of: " ", with: "%20"))")
        XCTAssertEqual(deleted.status, 200)
      }
    }
    XCTAssertEqual(found, all)
    let rest = try await world.send("GET", path)
    XCTAssertEqual(ids(rest), [])
  }

  func testADeletedCustomerIsErased() async throws {
    let world = try APIWorld()
    try world.grant(500, to: "alice")
    let deleted = try await world.send("DELETE", "\(path)/alice")
    XCTAssertEqual(
      deleted.body,
      ["object": "customer", "id": "alice", "deleted_at": .integer(world.time.now.milliseconds)])
    for target in ["\(path)/alice", "\(path)/alice/virtual_currencies", "\(path)/alice/aliases"] {
      let answer = try await world.send("GET", target)
      XCTAssertEqual(answer.status, 404)
    }
    let again = try await world.send("DELETE", "\(path)/alice")
    XCTAssertEqual(again.status, 404)
    // The id is free, and names another customer.
    _ = try await world.send("POST", path, ["id": "alice"])
    let empty = try await world.send("GET", "\(path)/alice/virtual_currencies")
    XCTAssertEqual(empty.body["items"], [])
    try assertBooksAddUp(world.ledger)
  }

  func testAllIDsOfACustomerAreListed() async throws {
    let world = try APIWorld()
    try world.grant(500, to: "alice")
    _ = try await world.backend.createAlias(CustomerID("al"), of: CustomerID("alice"))
    for id in ["alice", "al"] {
      let answer = try await world.send("GET", "\(path)/\(id)/aliases")
      XCTAssertEqual(ids(answer), ["alice", "al"])
      XCTAssertEqual(answer.body["items"]?.array?.first?["object"], "customer.alias")
    }
    let page = try await world.send("GET", "\(path)/alice/aliases?limit=1")
    XCTAssertEqual(page.body["next_page"], .string("\(path)/alice/aliases?limit=1&starting_after=alice"))
    let named = try await world.send("GET", "\(path)/al")
    XCTAssertEqual(named.body["id"], "al")
    let list = try await world.send("GET", path)
    XCTAssertEqual(ids(list), ["alice"])
  }

  func testEntitlementsThatHoldAreListed() async throws {
    let world = try APIWorld()
    var catalog = try world.ledger.currentCatalog()
    let premium = Product(code: try ProductCode("premium"), type: .nonConsumable, entitlement: "premium")
    catalog = try catalog.edited { (draft) in draft.products.append(premium) }
    try world.ledger.apply(catalog)
    world.time.advance(seconds: 1)
    try world.ledger.creditPurchase(Make.purchase("t", product: "premium", price: nil), customer: CustomerID("alice"))
    try world.ledger.creditPurchase(Make.purchase("u", product: "gems_300"), customer: CustomerID("alice"))
    let expected: JSONValue = [
      "object": "customer.active_entitlement", "entitlement_id": "premium", "expires_at": nil,
    ]
    let list = try await world.send("GET", "\(path)/alice/active_entitlements")
    XCTAssertEqual(list.body["items"], [expected])
    let customer = try await world.send("GET", "\(path)/alice")
    XCTAssertEqual(customer.body["active_entitlements"], list.body)
    XCTAssertEqual(customer.body["last_seen_at"], .integer(world.time.now.milliseconds))
  }

  // MARK: Session tokens

  func testASessionTokenNamesItsCustomerForItsTime() async throws {
    let world = try APIWorld()
    try world.grant(5, to: "alice")
    let answer = try await world.send("POST", "\(path)/alice/session_tokens", ["expires_in": 60])
    XCTAssertEqual(answer.status, 201)
    XCTAssertEqual(answer.body["object"], "session_token")
    XCTAssertEqual(answer.body["customer_id"], "alice")
    let token = try XCTUnwrap(answer.body["token"]?.text)
    let end = Timestamp(milliseconds: try XCTUnwrap(answer.body["expires_at"]?.integer))
    XCTAssertEqual(end.milliseconds, world.time.now.milliseconds / 1000 * 1000 + 60_000)
    let before = Timestamp(milliseconds: end.milliseconds - 1)
    XCTAssertEqual(try world.project.sessions.read(token, now: before)?.text, "alice")
    XCTAssertThrowsError(try world.project.sessions.read(token, now: end))
    // It is for spending, and opens nothing here.
    let misused = try await world.send("GET", "\(path)/alice", key: token)
    XCTAssertEqual(misused.status, 403)
    let hour = try await world.send("POST", "\(path)/alice/session_tokens", [:])
    XCTAssertEqual(
      hour.body["expires_at"], .integer(world.time.now.milliseconds / 1000 * 1000 + 3_600_000))
  }

  func testSessionTokensAreRefused() async throws {
    let world = try APIWorld()
    try world.grant(5, to: "alice")
    for seconds: Int64 in [59, 86_401, -1] {
      let answer = try await world.send("POST", "\(path)/alice/session_tokens", ["expires_in": .integer(seconds)])
      XCTAssertEqual(answer.status, 400)
      XCTAssertEqual(answer.body["param"], "expires_in")
    }
    let unknown = try await world.send("POST", "\(path)/nobody/session_tokens", [:])
    XCTAssertEqual(unknown.status, 404)
    let app = try await world.send("POST", "\(path)/alice/session_tokens", [:], key: world.appKey)
    XCTAssertEqual(app.status, 403)
  }
}
#endif
