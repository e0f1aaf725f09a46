#if Server
import GemLedger
import GemTestSupport
import Synchronization
import SystemHTTP
import XCTest

@testable import GemServer

/// Bodies of requests that are refused by their heads, over sockets.
final class RefusedBodyTests: XCTestCase {
  /// The handler of a project, which counts the bodies that reach it.
  private final class Counting: HTTPHandler {
    let handler: APIHandler
    let bodies = Mutex(0)

    init(_ handler: APIHandler) { self.handler = handler }

    func begin(_ head: HTTPRequest) -> HTTPBeginning {
      guard case .accepted(let sender, let begin) = handler.begin(head) else { return handler.begin(head) }
      return .accepted(from: sender) { request in
        if !request.body.isEmpty { self.bodies.withLock { $0 += 1 } }
        return begin(request)
      }
    }

    func answer(_ request: HTTPRequest) -> HTTPAnswer { handler.answer(request) }

    func refusal(status: Int, reason: String, requestID: String) -> HTTPResponse {
      handler.refusal(status: status, reason: reason, requestID: requestID)
    }

    func refusal(status: Int, reason: String, of head: HTTPRequest) -> HTTPResponse {
      handler.refusal(status: status, reason: reason, of: head)
    }

    func finished(_ summary: HTTPSummary) { handler.finished(summary) }
  }

  private func withServer(
    _ settings: HTTPServerSettings = HTTPServerSettings(),
    _ body: (_ world: APIWorld, _ counting: Counting, _ server: HTTPServer) async throws -> Void
  ) async throws {
    let world = try APIWorld()
    let counting = Counting(world.handler)
    let server = try HTTPServer(settings, handler: counting) { "r1" }
    try await body(world, counting, server)
    let hasStopped = await server.stop()
    XCTAssertTrue(hasStopped)
  }

  private func head(_ target: String, key: String?, length: String = "Content-Length: 1000") -> String {
    let authorization = key.map { "Authorization: Bearer \($0)\r\n" } ?? ""
    return "POST \(target) HTTP/1.1\r\nHost: h\r\n\(authorization)Content-Type: application/json\r\n\(length)\r\n\r\n"
  }

  private static let grants = "/v2/projects/default/customers/alice/virtual_currencies/transactions"
  private static let purchases = [
    "/v1/receipts", "/v1/orders/AP1/complete", "/api/v1/client/purchase/complete-payment",
    "/api/v1/client/purchase/apple", "/api/v1/client/purchase/google",
  ]

  func testARequestIsRefusedByItsHeadAlone() async throws {
    try await withServer { world, counting, server in
      let cases: [(target: String, key: String?, status: Int)] = [
        (Self.grants, nil, 401), (Self.grants, "sk_wrong", 401), (Self.grants, world.appKey, 403),
        ("/nothing", world.secretKey, 404), ("/v1/subscribers/alice/offerings", nil, 405),
        ("/v1/subscribers/alice/alias", nil, 401),
      ]
      for (target, key, status) in cases {
        // The body never comes.
        let client = try RawClient(port: server.port)
        client.send(head(target, key: key))
        let answer = client.read()
        XCTAssertTrue(answer.hasPrefix("HTTP/1.1 \(status) "), "\(target): \(answer)")
        XCTAssertTrue(answer.contains("Connection: close"), answer)
      }
      XCTAssertEqual(counting.bodies.withLock { $0 }, 0)
    }
  }

  /// SDKs throw a paid purchase away after a status of 400 to 499.
  func testAPurchaseWithARefusedHeadIsAnsweredToComeAgain() async throws {
    try await withServer { world, _, server in
      for target in Self.purchases.prefix(3) {
        let cases = [
          head(target, key: nil), head(target, key: "appl_wrong"),
          head(target, key: world.appKey, length: "Transfer-Encoding: chunked"),
          head(target, key: world.appKey, length: "Content-Length: 99999999"),
        ]
        for request in cases {
          let client = try RawClient(port: server.port)
          client.send(request)
          let answer = client.read()
          XCTAssertTrue(answer.hasPrefix("HTTP/1.1 503 "), request + answer)
          XCTAssertTrue(answer.contains("Retry-After: 60\r\n"), answer)
        }
      }
    }
  }

  func testRoutesThatTakePurchasesAreMarked() {
    let marked = Routes.all.filter(\.takesPurchase).map(\.name)
    XCTAssertEqual(
      Set(marked),
      ["v1_post_receipt", "v1_complete_order", "complete_payment", "purchase_apple", "purchase_google"])
  }

  func testARateLimitedPurchaseIsAnsweredToComeAgain() throws {
    let world = try APIWorld(limits: [.customerInformation: 1])
    var route = try XCTUnwrap(Routes.all.first { $0.name == "v1_post_receipt" })
    route.rate = .customerInformation
    let gate = Gatekeeper([GuardedProject(world.project, keys: world.keys)], clock: world.time.clock)
    let handler = APIHandler(
      routes: [route], gatekeeper: gate, limiter: RateLimiter(limits: [.customerInformation: 0]),
      clock: world.time.clock)
    let fields = HTTPHeaders([("Authorization", "Bearer \(world.appKey)")])
    let request = HTTPRequest(method: "POST", path: ["v1", "receipts"], headers: fields, id: "r1")
    guard case .refused(let response) = handler.begin(request) else { return XCTFail("It was not refused.") }
    XCTAssertEqual(response.status, 503)
    XCTAssertEqual(response.headers.first { $0.name == "Is-Retryable" }?.value, "true")
    XCTAssertNotNil(response.headers.first { $0.name == "Retry-After" })
    XCTAssertEqual(try APIWorld.Answer(response).body["error"]?["code"], "rate_limited")
  }

  func testAKnownSenderIsServedAfterARefusalWithoutABody() async throws {
    try await withServer { world, _, server in
      let client = try RawClient(port: server.port)
      client.send("GET /v1/subscribers/alice HTTP/1.1\r\nHost: h\r\n\r\n")
      XCTAssertTrue(client.readAnswer().hasPrefix("HTTP/1.1 401 "))
      client.send("GET /v1/subscribers/alice HTTP/1.1\r\nHost: h\r\nAuthorization: \(world.appKey)\r\n\r\n")
      let answer = client.readAnswer()
      XCTAssertTrue(answer.hasPrefix("HTTP/1.1 20"), answer)
    }
  }

  /// A sender in the middle of its body sees the answer and no broken connection.
  func testASenderOfALongBodySeesTheAnswer() async throws {
    try await withServer { world, _, server in
      let filler = [UInt8](repeating: 0x78, count: 8 << 20)
      for (key, status) in [(world.secretKey, 413), ("sk_wrong", 401)] {
        let client = try RawClient(port: server.port)
        client.send(head(Self.grants, key: key, length: "Content-Length: \(filler.count)"))
        client.send(filler)
        let answer = client.read()
        XCTAssertTrue(answer.hasPrefix("HTTP/1.1 \(status) "), answer)
      }
    }
  }

  func testBodiesHaveTheMemoryThatTheServerHasForThem() async throws {
    var settings = HTTPServerSettings()
    settings.bodiesByteCountMax = 1000
    settings.unknownBodiesByteCountMax = 100
    try await withServer(settings) { world, counting, server in
      let notices = "/v1/incoming-webhooks/apple/default"
      let waiting = try RawClient(port: server.port)
      waiting.send(head(notices, key: nil, length: "Content-Length: 101") + String(repeating: "x", count: 100))
      // The other one's bytes have to be there before.
      let known = try RawClient(port: server.port)
      known.send(head(Self.grants, key: world.secretKey, length: "Content-Length: 1001"))
      known.send(String(repeating: "x", count: 1001))
      let tooMuch = known.read()
      XCTAssertTrue(tooMuch.hasPrefix("HTTP/1.1 503 "), tooMuch)
      XCTAssertTrue(tooMuch.contains("Retry-After"), tooMuch)
      XCTAssertEqual(counting.bodies.withLock { $0 }, 0)
      // What was released is there for the next one.
      let next = try RawClient(port: server.port)
      next.send(head(Self.grants, key: world.secretKey, length: "Content-Length: 1000"))
      next.send(String(repeating: "x", count: 1000))
      XCTAssertTrue(next.readAnswer().hasPrefix("HTTP/1.1 400 "))
      XCTAssertEqual(counting.bodies.withLock { $0 }, 1)
      waiting.send("xx")
      XCTAssertFalse(waiting.readAnswer().contains("HTTP/1.1 200"))
    }
  }
}
#endif
