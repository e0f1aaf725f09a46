#if Server
import GemLedger
import GemTestSupport
import StoreBackend
import StoreReceipts
import Synchronization
import SystemHTTP
import XCTest

@testable import GemServer

final class ItemSpendTests: XCTestCase {
  private func spend(
    _ world: APIWorld, _ item: String = "extra_life", key: String = "k1", by customer: String = "alice"
  ) async throws -> APIWorld.Answer {
    try await world.send(
      "POST", "/spend", ["item": .string(item), "idempotencyKey": .string(key)], key: world.session(customer))
  }

  private func assertSpend(
    _ status: Int, _ world: APIWorld, _ item: String = "extra_life", key: String = "k1", by customer: String = "alice",
    line: UInt = #line
  ) async throws {
    let answer = try await spend(world, item, key: key, by: customer)
    XCTAssertEqual(answer.status, status, "\(answer.body)", line: line)
  }

  func testTheServerSetsThePriceAndOneKeyIsOneSpend() async throws {
    let world = try APIWorld()
    try world.grant(120, to: "alice")
    for _ in 0..<3 {
      let answer = try await spend(world)
      XCTAssertEqual(answer.status, 200)
      XCTAssertEqual(answer.body, ["ok": true])
    }
    XCTAssertEqual(try world.balance(of: "alice"), 70)
    try await assertSpend(200, world, key: "k2")
    let refused = try await spend(world, key: "k3")
    XCTAssertEqual(refused.status, 402)
    XCTAssertNotNil(refused.body["error"]?.text)
    XCTAssertEqual(try world.balance(of: "alice"), 20)
    // The refusal is the key's answer from then on.
    try world.grant(1000, to: "alice")
    try await assertSpend(402, world, key: "k3")
  }

  func testRefusals() async throws {
    let world = try APIWorld()
    try world.grant(100, to: "alice")
    try await assertSpend(400, world, "unknown")
    try await assertSpend(400, world, key: String(repeating: "k", count: 256))
    try await assertSpend(400, world, key: "a\u{7}")
    try await assertSpend(200, world)
    try await assertSpend(409, world, "legendary_skin")
    try await assertSpend(404, world, by: "nobody")
    let bodies: [JSONValue] = [
      ["item": "extra_life"], ["idempotencyKey": "k"], ["item": "extra_life", "idempotencyKey": "k", "amount": 1],
      ["item": "extra_life", "idempotencyKey": "k", "appUserId": "bob"], ["item": 1, "idempotencyKey": "k"], [],
    ]
    for body in bodies {
      let answer = try await world.send("POST", "/spend", body, key: world.session("alice"))
      XCTAssertEqual(answer.status, 400)
      XCTAssertNotNil(answer.body["error"]?.text)
    }
    XCTAssertEqual(try world.balance(of: "alice"), 50)
  }

  func testOnlyTheCustomersOwnTokenSpends() async throws {
    let world = try APIWorld()
    try world.grant(100, to: "alice")
    let body: JSONValue = ["item": "extra_life", "idempotencyKey": "k1"]
    for key in [world.secretKey, world.appKey] {
      let answer = try await world.send("POST", "/spend", body, key: key)
      XCTAssertEqual(answer.status, 403)
      XCTAssertNotNil(answer.body["error"]?.text)
    }
    let token = try world.session("alice")
    world.time.advance(seconds: 3600)
    let late = try await world.send("POST", "/spend", body, key: token)
    XCTAssertEqual(late.status, 401)
    XCTAssertEqual(try world.balance(of: "alice"), 100)
  }

  func testALedgerThatCannotAnswerIsABadGateway() async throws {
    for world in [try APIWorld(), try APIWorld(itemGranter: CountingGranter { _ in .granted })] {
      try world.grant(100, to: "alice")
      world.ledger.close()
      let answer = try await spend(world)
      XCTAssertEqual(answer.status, 502)
      XCTAssertNotNil(answer.body["error"]?.text)
    }
  }

  func testCallsAtOnceWithOneKeySpendOnce() async throws {
    let granter = CountingGranter { _ in .granted }
    for world in [try APIWorld(), try APIWorld(itemGranter: granter)] {
      try world.grant(1000, to: "alice")
      let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
        let token = try world.session("alice")
        for _ in 0..<20 {
          group.addTask {
            let body: JSONValue = ["item": "extra_life", "idempotencyKey": "k1"]
            return try await world.send("POST", "/spend", body, key: token).status
          }
        }
        return try await group.reduce(into: []) { $0.append($1) }
      }
      XCTAssertEqual(Set(statuses), [200])
      XCTAssertEqual(try world.balance(of: "alice"), 950)
    }
  }

  // MARK: Items of another server

  func testAnItemThatCannotBeGrantedReturnsTheCurrency() async throws {
    let outcome = Mutex(ItemGrantOutcome.refused("no"))
    let granter = CountingGranter { _ in outcome.withLock { $0 } }
    let world = try APIWorld(itemGranter: granter)
    try world.grant(100, to: "alice")
    let answer = try await spend(world)
    XCTAssertEqual(answer.status, 500)
    XCTAssertNotNil(answer.body["error"]?.text)
    XCTAssertEqual(try world.ledger.balances(of: CustomerID("alice")).first?.available, 100)
    outcome.withLock { $0 = .granted }
    let again = try await spend(world)
    XCTAssertEqual(again.status, 500)
    XCTAssertEqual(again.body, answer.body)
    try await assertSpend(200, world, key: "k2")
    try await assertSpend(200, world, key: "k2")
    XCTAssertEqual(try world.balance(of: "alice"), 50)
    XCTAssertEqual(granter.keys, ["k1", "k2"])
  }

  func testNobodyKnowsWhetherTheItemWasGranted() async throws {
    let outcome = Mutex(ItemGrantOutcome.unknown("No answer."))
    let world = try APIWorld(itemGranter: CountingGranter { _ in outcome.withLock { $0 } })
    try world.grant(100, to: "alice")
    try await assertSpend(502, world)
    let balance = try XCTUnwrap(try world.ledger.balances(of: CustomerID("alice")).first)
    XCTAssertEqual([balance.balance, balance.available], [100, 50])
    outcome.withLock { $0 = .granted }
    try await assertSpend(200, world)
    XCTAssertEqual(try world.balance(of: "alice"), 50)
  }

  func testTheFirstPriceHoldsForItsKey() async throws {
    let outcome = Mutex(ItemGrantOutcome.unknown("No answer."))
    let world = try APIWorld(itemGranter: CountingGranter { _ in outcome.withLock { $0 } })
    try world.grant(1000, to: "alice")
    try await assertSpend(502, world)
    let catalog = try String(decoding: Fixture.bytes("gems.json"), as: UTF8.self)
    try world.ledger.apply(
      Catalog.load(Array(catalog.replacingOccurrences(of: "{\"GEM\": 50}", with: "{\"GEM\": 80}").utf8)))
    outcome.withLock { $0 = .granted }
    try await assertSpend(200, world)
    XCTAssertEqual(try world.balance(of: "alice"), 950)
    try await assertSpend(409, world, "legendary_skin")
    try await assertSpend(200, world, key: "k2")
    XCTAssertEqual(try world.balance(of: "alice"), 870)
  }

  func testRefusalsComeBeforeTheItem() async throws {
    let granter = CountingGranter { _ in .granted }
    let world = try APIWorld(itemGranter: granter)
    try world.grant(60, to: "alice")
    try await assertSpend(400, world, "unknown")
    try await assertSpend(402, world, "legendary_skin")
    try await assertSpend(402, world, "legendary_skin")
    try await assertSpend(409, world, "extra_life")
    try await assertSpend(404, world, by: "nobody")
    XCTAssertEqual(granter.keys, [])
  }

  func testTheItemIsAskedForOverHTTP() async throws {
    let secret = WebhookSecret()
    let status = Mutex(201)
    let server = try LoopbackServer { _ in LoopbackServer.answer(status.withLock { $0 }) }
    defer { server.stop() }
    let target = try OutgoingTarget(allowedHosts: ["localhost"])
    let granter = HTTPItemGranter(
      to: try target.url("http://localhost:\(server.port)/items"), secrets: [secret], sender: HTTPSender(to: target),
      timeout: .seconds(30), clock: ManualClock().clock)
    let world = try APIWorld(itemGranter: granter)
    try world.grant(100, to: "alice")
    try await assertSpend(200, world, key: "k.1")
    let request = try XCTUnwrap(server.requests.first)
    XCTAssertEqual(
      try JSONValue.parse(request.body),
      [
        "projectId": "default", "item": "extra_life", "quantity": 1, "customerId": "alice", "idempotencyKey": "k.1",
      ])
    let signature = WebhookSignature(
      id: request.field("webhook-id") ?? "", timestamp: request.field("webhook-timestamp") ?? "",
      signatures: request.field("webhook-signature") ?? "")
    XCTAssertNoThrow(try signature.check(request.body, secrets: [secret], now: world.time.now))
    status.withLock { $0 = 302 }
    try await assertSpend(500, world, key: "k2")
    XCTAssertEqual(try world.balance(of: "alice"), 50)
    // A proxy in front of the server does not know; the currency stays on hold for the same key.
    status.withLock { $0 = 503 }
    try await assertSpend(502, world, key: "k3")
    XCTAssertEqual(try world.ledger.balances(of: CustomerID("alice")).first?.available, 0)
    status.withLock { $0 = 200 }
    try await assertSpend(200, world, key: "k3")
    XCTAssertEqual(try world.balance(of: "alice"), 0)
  }

  private func world(grantedBy server: LoopbackServer) throws -> APIWorld {
    let target = try OutgoingTarget(allowedHosts: ["localhost"])
    let url = try target.url("http://localhost:\(server.port)/items")
    return try APIWorld(itemGranter: HTTPItemGranter(to: url, sender: HTTPSender(to: target)))
  }

  /// A retry that finds no server says nothing about the try before it, which may have given the item.
  func testARetryThatFindsNoServerKeepsTheCurrencyOnHold() async throws {
    let server = try LoopbackServer { _ in nil }
    let world = try world(grantedBy: server)
    try world.grant(100, to: "alice")
    try await assertSpend(502, world)
    XCTAssertEqual(server.requests.count, 1)
    server.stop()
    // The listening ends on another thread.
    try await Task.sleep(for: .milliseconds(100))
    try await assertSpend(502, world)
    XCTAssertEqual(try world.ledger.balances(of: CustomerID("alice")).first?.available, 50)
    // Under a new key nothing can have been given.
    try await assertSpend(500, world, key: "k2")
    XCTAssertEqual(try world.ledger.balances(of: CustomerID("alice")).first?.available, 50)
  }

  func testA200ThatSaysNoGivesTheCurrencyBack() async throws {
    let server = try LoopbackServer { _ in LoopbackServer.answer(200, "{\"success\": false}") }
    defer { server.stop() }
    let world = try world(grantedBy: server)
    try world.grant(50, to: "alice")
    try await assertSpend(500, world)
    XCTAssertEqual(try world.ledger.balances(of: CustomerID("alice")).first?.available, 50)
  }
}

/// Gives items as a test says, and remembers the keys.
private final class CountingGranter: ItemGranter {
  private let outcome: @Sendable (ItemID) -> ItemGrantOutcome
  private let seen = Mutex<[String]>([])

  init(_ outcome: @escaping @Sendable (ItemID) -> ItemGrantOutcome) { self.outcome = outcome }

  /// The keys of all calls, each once, in their order.
  var keys: [String] { seen.withLock { $0 } }

  func grant(_ item: ItemID, to customer: CustomerID, key: IdempotencyKey) async -> ItemGrantOutcome {
    seen.withLock { if !$0.contains(key.text) { $0.append(key.text) } }
    return outcome(item)
  }
}
#endif
