#if Server
internal import Foundation
package import GemLedger
package import StoreBackend
package import StoreClientHTTP
internal import Synchronization
internal import SystemHTTP

/// Servers on loopback ports, each over one crediting side, until they are stopped.
package final class LoopbackServers: Sendable {
  private let servers = Mutex<[HTTPServer]>([])

  package init() {}

  /// Serves a crediting side on a free port.
  package func backend(over backend: LocalBackend) throws(LedgerError) -> HTTPBackend {
    let handler = HandlerTransport(backend)
    let clock = backend.ledger.clock
    let server = try HTTPServer(HTTPServerSettings(), handler: handler.handler) {
      IdempotencyKey.timeOrdered(at: clock.now()).text
    }
    servers.withLock { $0.append(server) }
    guard let url = URL(string: "http://127.0.0.1:\(server.port)/") else {
      throw LedgerError(.configuration, "There is no such address.")
    }
    SpendEndpoint.register()
    return try HTTPBackend(baseURL: url, apiKey: handler.appKey) { request in
      handler.sessionToken(for: request.customer)
    }
  }

  package func stop() async {
    let running = servers.withLock { servers in
      defer { servers = [] }
      return servers
    }
    for server in running { await server.stop() }
  }
}

extension World {
  /// Lets the clients of all new worlds reach their crediting side over a port of this machine, until ``closeHTTP()``.
  package static func openHTTP(on servers: LoopbackServers) {
    connection.withLock { $0 = { (backend) throws(LedgerError) in try servers.backend(over: backend) } }
  }
}
#endif
