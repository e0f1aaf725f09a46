#if Server
internal import GemLedger
internal import GemServer
internal import StoreBackend
internal import StoreReceipts
internal import SystemHTTP

/// A server over a ledger with its key, like `gemctl serve`.
final class ServedLedger {
  let ledger: Ledger
  let server: GemServer
  private let key: String

  /// - Parameter sender: Sends webhooks; nil to send none.
  init(_ ledger: Ledger, threads: Int, sender: (any WebhookSender)? = nil) throws {
    self.ledger = ledger
    key = try KeyRing(ledger).create(.secret(scopes: [])).text
    let backend = LocalBackend(ledger: ledger, verifier: StoreVerifiers(apple: nil, google: nil))
    var settings = GemServer.Settings()
    settings.http.threads = threads
    settings.maintenanceInterval = nil
    // Lines are formatted, but not written.
    let log = ServerLog(clock: ledger.clock) { _ in }
    let sessions = try SessionTokens(projectID: "default", keptIn: ledger)
    let project = ServerProject(ledger: ledger, backend: backend, sessions: sessions, sender: sender)
    server = try GemServer(settings, projects: [project], log: log)
  }

  var port: UInt16 { server.port }

  func stop() throws {
    _ = try Blocking.wait { [server] in await server.stop() }
    ledger.close()
  }

  private var head: String { "Host: 127.0.0.1\r\nAuthorization: Bearer \(key)\r\n" }

  func balances(of customer: CustomerID) -> [UInt8] {
    Array("GET /v2/projects/default/customers/\(customer)/virtual_currencies HTTP/1.1\r\n\(head)\r\n".utf8)
  }

  /// Returns a spend of one unit under a new key.
  func spend(_ command: LedgerCommand) -> [UInt8] {
    let body = #"{"adjustments":{"GEM":-1}}"#
    let target = "/v2/projects/default/customers/\(command.customer)/virtual_currencies/transactions"
    return Array(
      ("POST \(target) HTTP/1.1\r\n\(head)Content-Type: application/json\r\nIdempotency-Key: "
        + "\(command.key?.text ?? "")\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)").utf8)
  }
}
#endif
