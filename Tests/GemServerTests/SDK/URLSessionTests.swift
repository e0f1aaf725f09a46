#if Server
import GemLedger
import GemTestSupport
import StoreBackend
import StoreClientHTTP
import StoreTestSupport
import Synchronization
import SystemHTTP
import XCTest

/// The client's own connections, to servers on ports of this machine.
final class URLSessionTests: XCTestCase {
  /// Answers everything alike, and remembers what it was asked.
  private final class Stub: HTTPHandler {
    let response: HTTPResponse
    /// The answer waits for its end.
    let pause: AsyncStream<Never>?
    let requests = Mutex<[HTTPRequest]>([])

    init(_ response: HTTPResponse, pause: AsyncStream<Never>? = nil) {
      self.response = response
      self.pause = pause
    }

    func answer(_ request: HTTPRequest) -> HTTPAnswer {
      requests.withLock { $0.append(request) }
      let (response, pause) = (response, pause)
      guard let pause else { return .now(response) }
      return .later {
        for await _ in pause {}
        return response
      }
    }

    func refusal(status: Int, reason: String, requestID: String) -> HTTPResponse { HTTPResponse(status: status) }
    func finished(_ summary: HTTPSummary) {}
  }

  private func backend(_ port: UInt16, timeLimit: Duration = .seconds(30)) throws -> HTTPBackend {
    let url = try XCTUnwrap(URL(string: "http://127.0.0.1:\(port)"))
    SpendEndpoint.register()
    return try HTTPBackend(baseURL: url, apiKey: "appl_hush", timeLimit: timeLimit)
  }

  /// A key is for the server that it was meant for.
  func testARedirectIsNotFollowed() async throws {
    let other = Stub(HTTPResponse(status: 200))
    let target = try HTTPServer(HTTPServerSettings(), handler: other) { "r1" }
    for status in [301, 302, 303, 307, 308] {
      let location = [(name: "Location", value: "http://127.0.0.1:\(target.port)/v1/elsewhere")]
      let server = try HTTPServer(
        HTTPServerSettings(), handler: Stub(HTTPResponse(status: status, headers: location))
      ) { "r1" }
      let backend = try backend(server.port)
      let error = await assertRefused(.backendUnreachable) { try await backend.register(CustomerID("alice")) }
      XCTAssertEqual(error?.integer("status"), Int64(status))
      await server.stop()
    }
    XCTAssertEqual(other.requests.withLock(\.count), 0)
    await target.stop()
  }

  func testNoServerIsOutOfReach() async throws {
    let server = try HTTPServer(HTTPServerSettings(), handler: Stub(HTTPResponse(status: 200))) { "r1" }
    let port = server.port
    await server.stop()
    let backend = try backend(port)
    let error = await assertRefused(.backendUnreachable) { try await backend.register(CustomerID("alice")) }
    XCTAssertFalse("\(String(describing: error)) \(error?.details ?? [])".contains("alice"))
  }

  func testAServerThatTakesTooLongIsGivenUp() async throws {
    let (pause, end) = AsyncStream.makeStream(of: Never.self)
    let stub = Stub(HTTPResponse(status: 200), pause: pause)
    let server = try HTTPServer(HTTPServerSettings(), handler: stub) { "r1" }
    let backend = try backend(server.port, timeLimit: .milliseconds(50))
    await assertRefused(.timedOut) { try await backend.register(CustomerID("alice")) }
    end.finish()
    await server.stop()
  }

  func testIDsAndKeysArriveOverTheWireAsTheyAre() async throws {
    let world = try World()
    let servers = LoopbackServers()
    let backend = try servers.backend(over: world.backend)
    let gem = try CurrencyCode("GEM")
    for id in ["a b+c", "50%2F", "é", "e\u{301}", "\u{1F48E}", "a?b=c&d#e", "..", ".", "a;b,c:d@e"] {
      let customer = try CustomerID(id)
      try world.ledger.grant([Adjustment(gem, 5)], customer: customer)
      let record = try await backend.customer(customer)
      XCTAssertEqual(record.ids, [customer])
      let booking = try await backend.spend([Adjustment(gem, 2)], customer: customer, key: IdempotencyKey(" \(id)\""))
      XCTAssertEqual(booking.entries.map(\.balance), [3], id)
      let again = try await backend.spend([Adjustment(gem, 2)], customer: customer, key: IdempotencyKey(" \(id)\""))
      XCTAssertTrue(again.isReplayed, id)
    }
    await servers.stop()
  }

  func testManyCallsAtOnce() async throws {
    let world = try World()
    let servers = LoopbackServers()
    let backend = try servers.backend(over: world.backend)
    let (gem, alice) = (try CurrencyCode("GEM"), try CustomerID("alice-1"))
    try world.ledger.grant([Adjustment(gem, 100)], customer: alice)
    try await withThrowingTaskGroup(of: Void.self) { group in
      for number in 0..<40 {
        // Each key twice.
        let key = try IdempotencyKey("k\(number / 2)")
        group.addTask { _ = try await backend.spend([Adjustment(gem, 1)], customer: alice, key: key) }
      }
      try await group.waitForAll()
    }
    XCTAssertEqual(try world.balance("alice-1"), 80)
    try assertBooksAddUp(world.ledger)
    await servers.stop()
  }
}
#endif
