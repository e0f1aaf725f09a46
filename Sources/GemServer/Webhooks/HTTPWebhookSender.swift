#if Server
package import GemLedger
package import SystemHTTP

/// Sends webhook messages over HTTP, only to addresses that this server may reach.
package struct HTTPWebhookSender: WebhookSender {
  private let sender: HTTPSender
  private let target: OutgoingTarget
  private let timeout: Duration

  /// - Parameters:
  ///   - target: Checks the addresses.
  ///   - timeout: The time limit for a receiver's response.
  package init(_ sender: HTTPSender, target: OutgoingTarget, timeout: Duration = HTTPSender.timeout) {
    self.sender = sender
    self.target = target
    self.timeout = timeout
  }

  package func check(_ url: String) throws(LedgerError) { _ = try target.url(url) }

  package func post(_ url: String, headers: [(name: String, value: String)], body: [UInt8]) async -> WebhookAnswer {
    let address: OutgoingURL
    do throws(LedgerError) { address = try target.url(url) } catch { return .failed(error.message) }
    switch await sender.post(address, headers: headers, body: body, timeout: timeout) {
    case .success(let reply):
      return .status(reply.status, retryAfter: reply.headers["Retry-After"].flatMap { Int64($0) })
    case .failure(let failure): return .failed(failure.description)
    }
  }
}
#endif
