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

  func testBadIDsNameNoCustomer() async throws {
    let world = try APIWorld()
    let bodies: [JSONValue] = [
      ["id": ""], ["id": "guest"], ["id": "a/b"], ["id": "a\u{0}b"], ["id": "$erased:00112233445566778"], [:],
      ["id": .string(String(repeating: "é", count: 1000))], ["id": "bob", "attributes": []],
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
    catalog = try catalog.with(currencies: catalog.currencies, products: catalog.products + [premium])
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
