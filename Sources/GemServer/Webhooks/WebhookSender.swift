#if Server
package import GemLedger

/// Sends webhook messages.
package protocol WebhookSender: Sendable {
  /// Posts a message without following redirects, and waits for the answer for a limited time.
  func post(_ url: String, headers: [(name: String, value: String)], body: [UInt8]) async -> WebhookAnswer

  /// Checks without a DNS look-up that messages may be sent to an address.
  ///
  /// - Throws: `LedgerError` with `invalid_request`.
  func check(_ url: String) throws(LedgerError)
}

/// The answer of a receiver to a message.
package enum WebhookAnswer: Hashable, Sendable {
  /// An HTTP status, with the seconds of `Retry-After` if present.
  case status(Int, retryAfter: Int64? = nil)
  /// No answer, with the reason.
  case failed(String)
}

/// The result of a delivery attempt.
package enum WebhookOutcome: Hashable, Sendable {
  case delivered
  /// The receiver is available and refuses this message.
  case refused(String)
  /// The receiver cannot take messages now, with the seconds until the next try.
  case unavailable(String, retryAfter: Int64? = nil)
  /// The receiver wants no more messages.
  case gone

  package init(_ answer: WebhookAnswer) {
    switch answer {
    case .status(200..<300, _): self = .delivered
    case .status(410, _): self = .gone
    case .status(let status, let retryAfter) where status >= 500 || [408, 425, 429].contains(status):
      self = .unavailable("status \(status)", retryAfter: retryAfter.map { max(0, $0) })
    case .status(let status, _): self = .refused("status \(status)")
    case .failed(let reason): self = .unavailable(String(reason.prefix(200)))
    }
  }
}
#endif
