#if Server
package import GemLedger
package import GemServer
package import StoreBackend
package import StoreClientHTTP
internal import Synchronization
internal import SystemHTTP
internal import XCTest

/// Carries a client's requests to a server's handler in this process, and checks each answer by its route's form.
package final class HandlerTransport: HTTPTransport {
  package let project: ServerProject
  package let appKey: String
  package let handler: APIHandler
  private let router = Router(Routes.all)
  private let count = Mutex(0)

  package init(_ backend: LocalBackend) {
    let sessions = SessionTokens(projectID: "default", secret: [UInt8](repeating: 7, count: 32))
    project = ServerProject(ledger: backend.ledger, backend: backend, sessions: sessions)
    let app = APIKey.make(.app(.test), at: project.clock.now())
    appKey = app.text
    let guarded = GuardedProject(project, keys: OneKey(key: app.key))
    handler = APIHandler(
      routes: Routes.all, gatekeeper: Gatekeeper([guarded], clock: project.clock), limiter: RateLimiter(limits: [:]),
      clock: project.clock)
  }

  /// How many requests it carried.
  package var requestCount: Int { count.withLock { $0 } }

  /// A session token of a customer, for an hour.
  package func sessionToken(for customer: CustomerID) -> String {
    project.sessions.make(for: customer, until: project.clock.now().advanced(milliseconds: 3_600_000))
  }

  /// A backend over this transport, or over one in front of it.
  package func backend(over transport: (any HTTPTransport)? = nil) throws(LedgerError) -> HTTPBackend {
    try HTTPBackend(transport: transport ?? self, apiKey: appKey, timeLimit: .seconds(600)) { request in
      self.sessionToken(for: request.customer)
    }
  }

  package func send(_ request: ClientRequest) async throws(LedgerError) -> ClientAnswer {
    let number = count.withLock { count in
      count += 1
      return count
    }
    let parts = request.target.split(separator: "?", maxSplits: 1).map(String.init)
    let path = parts[0].split(separator: "/", omittingEmptySubsequences: false).dropFirst().map(Self.decoded)
    let query = (parts.dropFirst().first?.split(separator: "&") ?? []).map { pair in
      let sides = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      return (name: Self.decoded(sides[0]), value: sides.count > 1 ? Self.decoded(sides[1]) : "")
    }
    let received = HTTPRequest(
      method: request.method, path: path, query: query, headers: HTTPHeaders(request.headers),
      body: request.body ?? [], id: "r\(number)")
    let response =
      switch handler.answer(received) {
      case .now(let response): response
      case .later(let work): await work()
      }
    guard case .bytes(let bytes) = response.content else {
      throw LedgerError(.backendUnreachable, "A stream is no answer for this client.")
    }
    check(bytes, response.status, to: received)
    return ClientAnswer(status: response.status, headers: response.headers, body: bytes)
  }

  private static func decoded(_ text: some StringProtocol) -> String {
    guard let decoded = Percent.decoded(Array(text.utf8), plusIsSpace: false) else {
      XCTFail("\(text) is not encoded as it should be")
      return ""
    }
    return decoded
  }

  /// Checks that the answer has the form that the API's description promises.
  private func check(_ bytes: [UInt8], _ status: Int, to request: HTTPRequest) {
    guard case .found(let match) = router.find(request.method, request.path) else {
      return XCTFail("\(request.method) \(request.path) is no operation")
    }
    do {
      let body = try JSONValue.parse(bytes)
      if status < 400 {
        guard let schema = match.route.answers[status] else {
          return XCTFail("\(match.route.name) answers \(status), which it does not promise")
        }
        try schema.check(body)
      } else {
        XCTAssertNotNil(body["code"]?.integer, match.route.name)
        XCTAssertNotNil(body["message"]?.text, match.route.name)
        XCTAssertNotNil(body["error"]?["code"]?.text, match.route.name)
      }
    } catch {
      XCTFail("\(match.route.name) answers \(status) in another form: \(error)")
    }
  }
}

private struct OneKey: KeyDirectory {
  let key: APIKey

  func key(id: String) -> APIKey? { id == key.id ? key : nil }
}

extension World {
  /// Lets the clients of all new worlds reach their crediting side over HTTP, until ``closeHTTP()``.
  package static func openHTTP() {
    connection.withLock { $0 = { (backend) throws(LedgerError) in try HandlerTransport(backend).backend() } }
  }

  package static func closeHTTP() { connection.withLock { $0 = nil } }
}
#endif
