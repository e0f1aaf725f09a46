internal import GemLedger
internal import StoreBackend

#if Server
internal import GemServer
internal import StoreClientHTTP
internal import SystemHTTP
#endif

extension Access {
  /// The backend as the app reaches it.
  func backend(over local: LocalBackend, _ wire: Wire) throws(LedgerError) -> WiredBackend {
    switch self {
    case .direct: return WiredBackend(backend: local, wire: wire, isRemote: false)
    case .http, .httpBreakingOff:
      #if Server
      let served = try Self.serve(local, wire, breaksOff: self == .httpBreakingOff)
      return WiredBackend(backend: served, wire: wire, isRemote: true)
      #else
      throw LedgerError(.configuration, "This build has no server.")
      #endif
    }
  }
}

#if Server
extension Access {
  /// Starts a server with the keys and the sessions of the ledger's storage, and makes a client of it.
  private static func serve(
    _ local: LocalBackend, _ wire: Wire, breaksOff: Bool
  ) throws(LedgerError) -> HTTPBackend {
    let (ledger, keys) = (local.ledger, KeyRing(local.ledger))
    let sessions = try SessionTokens(projectID: "default", keptIn: ledger)
    let project = ServerProject(ledger: ledger, backend: local, sessions: sessions)
    let handler = APIHandler(
      routes: Routes.all, gatekeeper: Gatekeeper([GuardedProject(project, keys: keys)], clock: ledger.clock),
      limiter: RateLimiter(limits: [:]), clock: ledger.clock)
    let server = try HTTPServer(HTTPServerSettings(), handler: WatchedHandler(handler: handler, wire: wire)) { "r" }
    let transport = WiredTransport(server: server, wire: wire, breaksOff: breaksOff)
    return try HTTPBackend(transport: transport, apiKey: try keys.create(.app(.test)).text) { request in
      sessions.make(for: request.customer, until: ledger.clock.now().advanced(milliseconds: 3_600_000))
    }
  }
}

/// Says when a purchase is credited, before the answer leaves the server.
private struct WatchedHandler: HTTPHandler {
  let handler: APIHandler
  let wire: Wire

  func answer(_ request: HTTPRequest) -> HTTPAnswer {
    guard case .later(let work) = handler.answer(request) else { return handler.answer(request) }
    guard let last = request.path.last, ["receipts", "complete"].contains(last) else { return .later(work) }
    return .later {
      let response = await work()
      wire.pass(response.status < 300 ? .credited : .held, .after)
      return response
    }
  }

  func refusal(status: Int, reason: String, requestID: String) -> HTTPResponse {
    handler.refusal(status: status, reason: reason, requestID: requestID)
  }

  func finished(_ summary: HTTPSummary) {}
}

/// The network between the app and the server.
private final class WiredTransport: HTTPTransport {
  private let server: HTTPServer
  private let network: any HTTPTransport
  private let wire: Wire
  private let breaksOff: Bool

  init(server: HTTPServer, wire: Wire, breaksOff: Bool) {
    self.server = server
    network = HTTPBackend.network(to: "http://127.0.0.1:\(server.port)")
    self.wire = wire
    self.breaksOff = breaksOff
  }

  func send(_ request: ClientRequest) async throws(LedgerError) -> ClientAnswer {
    let lost = LedgerError(.backendUnreachable, "The network is down.")
    guard !wire.isBackendDown else { throw lost }
    var answer = try await network.send(request)
    guard wire.isBackendDown else { return answer }
    guard breaksOff else { throw lost }
    answer.body.removeLast((answer.body.count + 1) / 2)
    return answer
  }
}
#endif
