#if Server
package import GemLedger

/// A request to the server.
package struct ClientRequest: Sendable {
  package var method: String
  /// The encoded path and query, beginning with the slash.
  package var target: String
  package var headers: [(name: String, value: String)]
  package var body: [UInt8]?
}

/// The server's answer.
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

/// Sends requests to the server.
package protocol HTTPTransport: Sendable {
  /// Sends a request once, and follows no redirect, because the key must reach only its server.
  ///
  /// - Throws: `LedgerError` with `backend_unreachable` or `timed_out`.
  func send(_ request: ClientRequest) async throws(LedgerError) -> ClientAnswer
}
#endif
