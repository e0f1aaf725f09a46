#if Server
package import GemLedger

/// A request on its way to the server.
package struct ClientRequest: Sendable {
  package var method: String
  /// The encoded path and query, from the slash on.
  package var target: String
  package var headers: [(name: String, value: String)]
  package var body: [UInt8]?
}

/// What the server answered.
package struct ClientAnswer: Sendable {
  package var status: Int
  package var headers: [(name: String, value: String)]
  package var body: [UInt8]

  package init(status: Int, headers: [(name: String, value: String)] = [], body: [UInt8] = []) {
    self.status = status
    self.headers = headers
    self.body = body
  }

  func header(_ name: String) -> String? {
    headers.first { $0.name.lowercased() == name.lowercased() }?.value
  }
}

/// Carries requests to the server.
package protocol HTTPTransport: Sendable {
  /// Sends a request once, and follows no redirect: the key belongs to the server that it was meant for.
  ///
  /// - Throws: `LedgerError` with `backend_unreachable` or `timed_out`.
  func send(_ request: ClientRequest) async throws(LedgerError) -> ClientAnswer
}
#endif
