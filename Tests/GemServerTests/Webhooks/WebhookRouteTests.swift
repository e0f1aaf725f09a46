#if Server
import GemLedger
import GemTestSupport
import SystemHTTP
import XCTest

@testable import GemServer

final class WebhookRouteTests: XCTestCase {
  private let path = "/webhook_endpoints"

  private func create(
    _ world: APIWorld, _ body: JSONValue = ["url": "https://example.com/hook"]
  ) async throws -> String {
    let answer = try await world.checked("POST", path, body, status: 201)
    XCTAssert(answer.body["secret"]?.text?.hasPrefix("whsec_") ?? false)
    return try XCTUnwrap(answer.body["id"]?.text)
  }

  func testAnEndpointFromBeginningToEnd() async throws {
    let world = try APIWorld()
    let id = try await create(
      world, ["url": "https://example.com/hook", "name": "shop", "authorization_header": "Bearer hush"])
    let got = try await world.checked("GET", "\(path)/\(id)")
    XCTAssertEqual(got.body["name"], "shop")
    XCTAssertEqual(got.body["has_authorization_header"], true)
    XCTAssertNil(got.body["secret"])
    XCTAssertFalse(got.body.text().contains("hush"))
    let changed = try await world.checked(
      "POST", "\(path)/\(id)", ["state": "disabled", "authorization_header": .null])
    XCTAssertEqual(changed.body["state"], "disabled")
    XCTAssertEqual(changed.body["has_authorization_header"], false)
    XCTAssertEqual(changed.body["name"], "shop")
    world.time.advance(seconds: 1)
    _ = try await create(world)
    let list = try await world.checked("GET", path + "?limit=1")
    XCTAssertEqual(list.body["items"]?.array?.map { $0["id"]?.text }, [id])
    XCTAssertNotEqual(list.body["next_page"], .null)
    let deleted = try await world.checked("DELETE", "\(path)/\(id)")
    XCTAssertEqual(deleted.body["id"]?.text, id)
    for (method, target) in [("GET", ""), ("DELETE", ""), ("GET", "/deliveries"), ("POST", "/actions/test")] {
      try await world.refused(method, "\(path)/\(id)\(target)", status: 404, code: "endpoint_not_found")
    }
    try await world.refused("POST", "\(path)/\(id)", [:], status: 404, code: "endpoint_not_found")
    try await world.refused("POST", "\(path)/\(id)/actions/replay", [:], status: 404, code: "endpoint_not_found")
  }

  /// One storage behind both APIs: RevenueCat's has its members, and ours everything.
  func testTheSameEndpointInRevenueCatsForm() async throws {
    let (world, theirs) = (try APIWorld(), "/integrations/webhooks")
    let made = try await world.checked(
      "POST", theirs,
      [
        "name": "shop", "url": "https://example.com/hook", "authorization_header": "Bearer hush",
        "environment": "sandbox", "event_types": ["virtual_currency_transaction"], "app_id": "apple",
      ], status: 201)
    let id = try XCTUnwrap(made.body["id"]?.text)
    XCTAssertEqual(
      made.body,
      [
        "object": "webhook_integration", "id": .string(id), "project_id": "default", "name": "shop",
        "url": "https://example.com/hook", "environment": "sandbox",
        "event_types": ["virtual_currency_transaction"], "app_id": "apple",
        "created_at": .integer(world.time.now.milliseconds),
      ])
    let ours = try await world.checked("GET", "\(path)/\(id)")
    XCTAssertEqual(
      ours.body.only("object", "environment", "app_id", "has_authorization_header"),
      ["object": "webhook_endpoint", "environment": "sandbox", "app_id": "apple", "has_authorization_header": true])
    let changed = try await world.checked("POST", "\(theirs)/\(id)", ["environment": nil, "event_types": nil])
    XCTAssertEqual(
      changed.body.only("environment", "event_types", "app_id"),
      ["environment": nil, "event_types": nil, "app_id": "apple"])
    // The list is in the order of their making, which ids tell.
    world.time.advance(seconds: 1)
    let own = try await create(world)
    let list = try await world.checked("GET", theirs)
    XCTAssertEqual(list.body["items"]?.array?.map { $0["id"]?.text }, [id, own])
    XCTAssertEqual(list.body["items"]?.array?.last?["name"], "https://example.com/hook")
    let deleted = try await world.checked("DELETE", "\(theirs)/\(own)")
    XCTAssertEqual(deleted.body["object"], "webhook_integration")
    try await world.refused("GET", "\(path)/\(own)", status: 404, code: "endpoint_not_found")
    for wrong: JSONValue in [["environment": "test"], ["event_types": []], ["app_id": "app1a2b3c4"]] {
      try await world.refused("POST", "\(theirs)/\(id)", wrong, status: 400, code: "invalid_request")
    }
  }

  func testRefusesBadAddressesAndHeaders() async throws {
    let world = try APIWorld()
    for url in [
      "", "ftp://example.com", "https://", "https:///path", "https://user:pw@example.com", "https://example.com/#x",
      "https://exa mple.com", "https://example.com/\r\nX: y", "example.com", "https://:80/", "https://ex\\ample.com",
    ] {
      try await world.refused("POST", path, ["url": .string(url)], status: 400, code: "invalid_request")
    }
    for header in ["a\r\nb", " a", "a ", "é"] {
      try await world.refused(
        "POST", path, ["url": "https://example.com", "authorization_header": .string(header)], status: 400,
        code: "invalid_request")
    }
    try await world.refused(
      "POST", path, ["url": "https://example.com"], key: world.key(for: .webhooks), status: 403, code: "forbidden")
  }

  func testThereIsABoundOfEndpoints() async throws {
    let world = try APIWorld()
    for _ in 0..<WebhookStore.endpointCountMax { _ = try await create(world) }
    try await world.refused("POST", path, ["url": "https://example.com"], status: 400, code: "limit_exceeded")
  }

  func testListsAndReplaysDeadLetters() async throws {
    let world = try APIWorld()
    let id = try await create(world)
    let store = world.project.webhooks.store
    for number in 0..<3 {
      try world.grant(1, to: "customer \(number)")
      let transaction = try XCTUnwrap(
        world.ledger.history(of: CustomerID("customer \(number)")).transactions[0].booking.transactionID)
      try store.bury(.init(transaction, next: world.time.now), of: id, at: world.time.now)
    }
    let first = try await world.checked("GET", "\(path)/\(id)/deliveries?limit=2")
    XCTAssertEqual(first.body["items"]?.array?.count, 2)
    let next = try XCTUnwrap(first.body["next_page"]?.text)
    let rest = try await world.checked("GET", String(next.dropFirst(APIWorld.projectPath.count)))
    XCTAssertEqual(rest.body["items"]?.array?.count, 1)
    let one = try XCTUnwrap(rest.body["items"]?.array?.first?["id"]?.text)
    let replay = try await world.checked("POST", "\(path)/\(id)/actions/replay", ["event_id": .string(one)])
    XCTAssertEqual(replay.body["waiting"], 1)
    let all = try await world.checked("POST", "\(path)/\(id)/actions/replay", [:])
    XCTAssertEqual(all.body["waiting"], 3)
    let waiting = try await world.checked("GET", "\(path)/\(id)/deliveries?state=waiting")
    XCTAssertEqual(waiting.body["items"]?.array?.count, 3)
    try await world.refused(
      "POST", "\(path)/\(id)/actions/replay", ["event_id": "x"], status: 404, code: "transaction_not_found")
    try await world.refused(
      "POST", "\(path)/\(id)/actions/replay", ["from": "AAAA"], status: 400, code: "invalid_request")
    try await world.refused(
      "POST", "\(path)/\(id)/actions/replay", ["from": "now", "event_id": .string(one)], status: 400,
      code: "invalid_request")
    _ = try await world.checked("POST", "\(path)/\(id)/actions/replay", ["from": "now"])
  }

  func testTriesAReceiver() async throws {
    let world = try APIWorld()
    let id = try await create(world)
    try await world.refused("POST", "\(path)/\(id)/actions/test", status: 400, code: "configuration")
    let receivers = Receivers(world.time)
    let webhooks = Webhooks(world.ledger, projectID: "default", clock: world.time.clock, sender: receivers)
    let endpoint = try XCTUnwrap(webhooks.store.endpoint(id))
    let answer = try await webhooks.test(endpoint)
    XCTAssertEqual(answer, .status(200))
    XCTAssertEqual(receivers.messages[0].event["type"], "TEST")
  }

  func testAddressesThatNothingIsSentToAreRefusedAtOnce() throws {
    let world = try APIWorld()
    let target = try OutgoingTarget(allowedHosts: ["10.0.0.7"])
    let webhooks = Webhooks(
      world.ledger, projectID: "default", clock: world.time.clock,
      sender: HTTPWebhookSender(HTTPSender(to: target), target: target))
    for url in [
      "http://169.254.169.254/latest", "http://10.0.0.1/", "https://[::1]/", "http://2130706433/", "http://localhost./",
      "http://127.0.0.1/", "https://example.com:8443/",
    ] {
      assertRefused(.invalidRequest) { try webhooks.create(url: url) }
    }
    XCTAssertNoThrow(try webhooks.create(url: "https://example.com/hook"))
    XCTAssertNoThrow(try webhooks.create(url: "http://10.0.0.7:9000/hook"))
  }
}
#endif
