#if Server
import GemLedger
import GemTestSupport
import StoreBackend
import StoreReceipts
import Synchronization
import SystemHTTP
import XCTest

@testable import GemServer

final class HTTPDeliveryTests: XCTestCase {
  /// What the game server answers, which tests change.
  private final class Answers: Sendable {
    private let text: Mutex<String?>

    init(_ text: String?) { self.text = Mutex(text) }

    var current: String? {
      get { text.withLock { $0 } }
      set { text.withLock { $0 = newValue } }
    }
  }

  private static let confirmed = LoopbackServer.answer(200, "{\"success\": true}")

  private func world(
    _ server: LoopbackServer, secrets: [WebhookSecret] = [], schedule: DeliverySchedule = .standard
  ) throws -> APIWorld {
    let target = try OutgoingTarget(allowedHosts: ["localhost"])
    let time = Mutex<APIWorld?>(nil)
    let delivery = HTTPDelivery(
      to: try target.url("http://localhost:\(server.port)/deliver"), secrets: secrets, sender: HTTPSender(to: target),
      timeout: .seconds(30), clock: LedgerClock { time.withLock { $0?.time.now } ?? Timestamp(milliseconds: 0) })
    let world = try APIWorld(policy: BackendPolicy(deliverySchedule: schedule), delivery: delivery)
    time.withLock { $0 = world }
    return world
  }

  private func pay(_ world: APIWorld) async throws -> APIWorld.Answer {
    let code = try await world.announce().purchaseCode()
    return try await world.complete(code, world.receipt("t1"))
  }

  func testThePaidOrderIsDeliveredAndSigned() async throws {
    let server = try LoopbackServer { _ in Self.confirmed }
    defer { server.stop() }
    let secret = WebhookSecret()
    let world = try world(server, secrets: [secret])
    let answer = try await pay(world)
    XCTAssertEqual(answer.body["statusCode"], 0)
    let request = try XCTUnwrap(server.requests.first)
    XCTAssertEqual(
      try JSONValue.parse(request.body),
      [
        "projectId": "default", "purchaseCode": answer.body["purchaseCode"] ?? nil, "gameUserId": "alice",
        "productId": "gems_1200", "amount": 249_000, "currency": "VND",
        "items": [["itemId": "GEM", "quantity": 1200]], "roleId": "char-12345", "serverGameId": "server-01",
        "transactionId": "t1", "platform": "APPLE",
      ])
    let signature = WebhookSignature(
      id: request.field("webhook-id") ?? "", timestamp: request.field("webhook-timestamp") ?? "",
      signatures: request.field("webhook-signature") ?? "")
    XCTAssertNoThrow(try signature.check(request.body, secrets: [secret], now: world.time.now))
    XCTAssertEqual(signature.id, answer.body["purchaseCode"]?.text)
  }

  func testOnlyTheExactConfirmationCounts() async throws {
    let long = "{\"success\": true, \"x\": \"\(String(repeating: "x", count: 70_000))\"}"
    let rows: [(line: UInt, answer: String?, isConfirmed: Bool)] = [
      (#line, Self.confirmed, true),
      (#line, LoopbackServer.answer(200, "{\"ok\": 1, \"success\": true}"), true),
      (#line, LoopbackServer.answer(201, "{\"success\": true}"), false),
      (#line, LoopbackServer.answer(204), false), (#line, LoopbackServer.answer(200), false),
      (#line, LoopbackServer.answer(200, "OK"), false), (#line, LoopbackServer.answer(200, "true"), false),
      (#line, LoopbackServer.answer(200, "{\"success\": false}"), false),
      (#line, LoopbackServer.answer(200, "{\"success\": \"true\"}"), false),
      (#line, LoopbackServer.answer(200, "{\"success\": 1}"), false),
      (#line, LoopbackServer.answer(200, "[{\"success\": true}]"), false),
      (#line, LoopbackServer.answer(200, "{\"success\": true,}"), false),
      (#line, LoopbackServer.answer(200, "{\"success\": false, \"success\": true}"), false),
      (#line, LoopbackServer.answer(200, "{\"success\": true} more"), false),
      (#line, LoopbackServer.answer(200, long), false),
      (#line, LoopbackServer.answer(302, "{\"success\": true}", ["Location: /"]), false),
      (#line, LoopbackServer.answer(500, "{\"success\": true}"), false), (#line, nil, false),
    ]
    for row in rows {
      let server = try LoopbackServer { _ in row.answer }
      defer { server.stop() }
      let body = try await pay(world(server)).body
      XCTAssertEqual(
        body.only("statusCode", "paymentStatus", "deliveryPending"),
        row.isConfirmed
          ? ["statusCode": 0, "paymentStatus": "success", "deliveryPending": false]
          : ["statusCode": 1036, "paymentStatus": "delivery_pending", "deliveryPending": true], line: row.line)
    }
  }

  func testEightTriesInADayThenTheOrderIsListedAndCanBeDelivered() async throws {
    let answers = Answers(LoopbackServer.answer(500))
    let server = try LoopbackServer { _ in answers.current }
    defer { server.stop() }
    let world = try world(server)
    let paid = try await pay(world)
    XCTAssertEqual(paid.body["statusCode"], 1036)
    let code = try XCTUnwrap(paid.body["purchaseCode"]?.text)
    let start = world.time.now
    for minutes in [2, 10, 30, 120, 360, 720, 1440] as [Int64] {
      let listed = try await world.send("GET", "/v2/projects/default/orders")
      XCTAssertEqual(listed.body["items"], [])
      world.time.set(start.advanced(milliseconds: minutes * 60_000 - 1000))
      _ = try await world.backend.retryDeliveries()
      let before = server.requests.count
      world.time.set(start.advanced(milliseconds: minutes * 60_000))
      _ = try await world.backend.retryDeliveries()
      XCTAssertEqual(server.requests.count, before + 1)
    }
    XCTAssertEqual(server.requests.count, 8)
    XCTAssertEqual(Set(server.requests.map { $0.field("content-length") }).count, 1)
    let listed = try await world.send("GET", "/v2/projects/default/orders")
    let order = try XCTUnwrap(listed.body["items"]?.array?.first)
    XCTAssertEqual(
      order.only("purchase_code", "status", "delivery_attempts", "next_delivery_at", "is_delivery_exhausted"),
      [
        "purchase_code": .string(code), "status": "delivery_pending", "delivery_attempts": 8, "next_delivery_at": nil,
        "is_delivery_exhausted": true,
      ])
    let history = try await world.send("GET", "/api/v1/client/purchase/", key: world.session("alice"))
    XCTAssertEqual(history.body["data"]?.array?.first?["paymentStatus"], "failed")
    answers.current = Self.confirmed
    let done = try await world.send("POST", "/v2/projects/default/orders/\(code)/actions/redeliver")
    XCTAssertEqual(done.body["status"], "success")
    let again = try await world.send("POST", "/v2/projects/default/orders/\(code)/actions/redeliver")
    XCTAssertEqual(again.body["status"], "success")
    XCTAssertEqual(server.requests.count, 9)
    XCTAssertEqual(try world.balance(of: "alice"), 1200)
  }

  func testAnOrderWithTriesLeftIsListedAsPending() async throws {
    let server = try LoopbackServer { _ in nil }
    defer { server.stop() }
    let world = try world(server)
    let code = try await pay(world).body["purchaseCode"]
    let listed = try await world.send("GET", "/v2/projects/default/orders?delivery=pending")
    XCTAssertEqual(listed.body["items"]?.array?.map { $0["purchase_code"] }, [code])
    let one = try await world.send("GET", "/v2/projects/default/orders/\(code?.text ?? "")")
    XCTAssertEqual(one.body["next_delivery_at"], .integer(world.time.now.milliseconds + 120_000))
  }

  func testOnlyASecretKeyListsAndDeliversOrders() async throws {
    let world = try APIWorld()
    for key in [world.appKey, try world.session("alice")] {
      let list = try await world.send("GET", "/v2/projects/default/orders", key: key)
      XCTAssertEqual(list.status, 403)
      let redeliver = try await world.send("POST", "/v2/projects/default/orders/GG1/actions/redeliver", key: key)
      XCTAssertEqual(redeliver.status, 403)
    }
    let missing = try await world.send("POST", "/v2/projects/default/orders/GG1/actions/redeliver")
    XCTAssertEqual(missing.status, 404)
    let cursor = try await world.send("GET", "/v2/projects/default/orders?starting_after=x")
    XCTAssertEqual(cursor.status, 400)
  }
}
#endif
