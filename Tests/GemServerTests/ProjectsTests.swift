#if Server
import GemLedger
import GemTestSupport
import StoreBackend
import SystemHTTP
import XCTest

@testable import GemServer

/// Several projects on one server: what belongs to one never shows in another.
final class ProjectsTests: XCTestCase {
  func testAKeyOpensNoOperationOfAnotherProject() async throws {
    let server = try TwoProjects()
    var count = 0
    for route in Routes.all where route.path.contains("{project_id}") && route.access != .open {
      let path = route.path.replacing("{project_id}", with: "two").replacing(/\{\w+\}/, with: "alice")
      for key in [server.one.secret, server.one.app, try server.one.token("alice")] {
        let answer = try await server.send(route.method, path, key: key)
        XCTAssertEqual(answer.status, 403, "\(route.method) \(path)")
        XCTAssertEqual(answer.body["type"]?.text, "authorization_error")
      }
      count += 1
    }
    XCTAssertGreaterThan(count, 20)
    // An id that differs by its bytes alone is none either.
    for path in ["/v2/projects/ONE/customers", "/v2/projects/one%20/customers", "/v2/projects//customers"] {
      let status = try await server.send("GET", path, key: server.one.secret).status
      XCTAssertTrue([403, 404].contains(status), path)
    }
  }

  func testOneCustomerIDIsTwoCustomers() async throws {
    let server = try TwoProjects()
    for (project, gems) in [(server.one, Int64(100)), (server.two, 7)] {
      try project.grant(gems, to: "alice")
      let own = try await server.send("GET", "\(project.path)/customers/alice/virtual_currencies", key: project.secret)
      XCTAssertEqual(own.body["items"]?.array?.compactMap { $0["balance"]?.integer }, [gems])
      for key in [project.app, try project.token("alice")] {
        let read = try await server.send("GET", "/v1/subscribers/alice/virtual_currencies", key: key)
        XCTAssertEqual(read.body["virtual_currencies"]?["GEM"]?["balance"]?.integer, gems)
      }
    }
    // The same key of a caller twice, in two projects: two spends.
    for project in [server.one, server.two] {
      let spend = try await server.send(
        "POST", "/v1/customer/virtual_currencies/spend", ["amounts": ["GEM": 5], "idempotency_key": "k"],
        key: project.token("alice"))
      XCTAssertEqual(spend.status, 200)
      XCTAssertEqual(spend.body["booking"]?["replayed"]?.bool, false)
    }
    XCTAssertEqual(try server.one.balance("alice"), 95)
    XCTAssertEqual(try server.two.balance("alice"), 2)
  }

  func testCustomersTransactionsAndEndpointsOfAnotherProjectAreNotFound() async throws {
    let server = try TwoProjects()
    let (one, two) = (server.one, server.two)
    let booked = try two.grant(7, to: "bob")
    let hook: JSONValue = ["url": "https://example.com/hook"]
    let made = try await server.send("POST", "\(two.path)/webhook_endpoints", hook, key: two.secret)
    XCTAssertEqual(made.status, 201, "\(made.body)")
    for path in ["customers/bob", "customers/bob/virtual_currencies", "virtual_currency_transactions/\(booked)"] {
      let status = try await server.send("GET", "\(two.path)/\(path)", key: two.secret).status
      XCTAssertEqual(status, 200, path)
      let other = try await server.send("GET", "\(one.path)/\(path)", key: one.secret)
      XCTAssertEqual(other.status, 404, path)
      XCTAssertNil(other.body["balance"], path)
    }
    for list in ["customers", "events", "webhook_endpoints"] {
      let own = try await server.send("GET", "\(two.path)/\(list)", key: two.secret)
      XCTAssertEqual(own.body["items"]?.array?.isEmpty, false, list)
      let other = try await server.send("GET", "\(one.path)/\(list)", key: one.secret)
      XCTAssertEqual(other.body["items"]?.array, [], list)
    }
    // The first read by an app makes a customer, in its own project.
    let read = try await server.send("GET", "/v1/subscribers/bob", key: one.app)
    XCTAssertTrue([200, 201].contains(read.status))
    XCTAssertEqual(try one.balance("bob"), 0)
    XCTAssertEqual(try two.balance("bob"), 7)
  }

  /// The project in a token counts as much as its signature.
  func testATokenIsOfOneProjectAndOneServer() async throws {
    let server = try TwoProjects()
    try server.two.grant(7, to: "alice")
    let end = server.time.now.advanced(milliseconds: 60_000)
    let forged = [
      SessionTokens(projectID: "two", secret: [UInt8](repeating: 1, count: 32)),
      SessionTokens(projectID: "three", secret: [UInt8](repeating: 2, count: 32)),
    ]
    for tokens in forged {
      let answer = try await server.send(
        "GET", "/v1/customer/virtual_currencies", key: tokens.make(for: CustomerID("alice"), until: end))
      XCTAssertEqual(answer.status, 401)
    }
  }

  /// A storage that does not answer stops its own project alone.
  func testAProjectGoesOnWhereTheStorageOfAnotherDoesNotAnswer() async throws {
    for failing in [0, 1] {
      let server = try TwoProjects(failing: failing)
      let (well, ill) = failing == 0 ? (server.two, server.one) : (server.one, server.two)
      let answer = try await server.send("GET", "\(well.path)/customers", key: well.secret)
      XCTAssertEqual(answer.status, 200, "\(answer.body)")
      let refusal = try await server.send("GET", "\(ill.path)/customers", key: ill.secret)
      XCTAssertEqual(refusal.status, 503, "a key that cannot be looked up is not a wrong one")
    }
  }
}

/// A server's handler over two projects, without a network.
private struct TwoProjects {
  let time = ManualClock()
  let one: Project
  let two: Project
  private let handler: APIHandler

  /// - Parameter failing: The project whose keys cannot be read.
  init(failing: Int? = nil) throws {
    one = try Project("one", time, secret: 1)
    two = try Project("two", time, secret: 2)
    let guarded = [one, two].enumerated().map { index, project in
      let keys: any KeyDirectory = index == failing ? UnreadableKeys() : project.keys
      return GuardedProject(project.served, keys: keys)
    }
    handler = APIHandler(
      routes: Routes.all, gatekeeper: Gatekeeper(guarded, clock: time.clock), limiter: RateLimiter(limits: [:]),
      clock: time.clock)
  }

  struct Project {
    let served: ServerProject
    let keys: KeyRing
    let secret: String
    let app: String
    private let time: ManualClock

    var path: String { "/v2/projects/\(served.id)" }

    init(_ id: String, _ time: ManualClock, secret byte: UInt8) throws {
      self.time = time
      let ledger = Ledger.inMemory(clock: time.clock, salt: UInt64(byte))
      try ledger.apply(Catalog.load(Fixture.bytes("gems.json")))
      keys = KeyRing(ledger)
      secret = try keys.create(.secret(scopes: [])).text
      app = try keys.create(.app(.test)).text
      let backend = LocalBackend(
        ledger: ledger, verifier: try UnsignedReceipts(session: "s1"),
        policy: BackendPolicy(clientSpending: .anyAmount))
      served = ServerProject(
        id: id, ledger: ledger, backend: backend,
        sessions: SessionTokens(projectID: id, secret: [UInt8](repeating: byte, count: 32)))
    }

    @discardableResult
    func grant(_ gems: Int64, to customer: String) throws -> TransactionID {
      let receipt = try served.ledger.grant([Make.amount("GEM", gems)], customer: Make.customer(customer))
      return try XCTUnwrap(receipt.transactionID)
    }

    func balance(_ customer: String) throws -> Int64 {
      try served.ledger.balance(of: CurrencyCode("GEM"), customer: CustomerID(customer)).balance
    }

    func token(_ customer: String) throws -> String {
      served.sessions.make(for: try CustomerID(customer), until: time.now.advanced(milliseconds: 60_000))
    }
  }

  func send(
    _ method: String, _ target: String, _ body: JSONValue? = nil, key: String
  ) async throws -> APIWorld.Answer {
    let path = try target.dropFirst().split(separator: "/", omittingEmptySubsequences: false)
      .map { try XCTUnwrap(Percent.decoded($0.utf8)) }
    var headers = HTTPHeaders([(name: "Authorization", value: "Bearer \(key)")])
    if body != nil { headers.add("Content-Type", "application/json") }
    let request = HTTPRequest(
      method: method, path: path, query: [], headers: headers, body: body.map { Array($0.text().utf8) } ?? [], id: "r1")
    switch handler.answer(request) {
    case .now(let response): return try APIWorld.Answer(response)
    case .later(let work): return try APIWorld.Answer(await work())
    }
  }
}

private struct UnreadableKeys: KeyDirectory {
  func key(id: String) throws(LedgerError) -> APIKey? {
    throw LedgerError(.storageUnavailable, "The storage does not answer.")
  }
}
#endif
