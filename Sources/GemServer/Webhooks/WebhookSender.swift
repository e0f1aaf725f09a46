#if Server
package import GemLedger

/// Sends webhook messages.
package protocol WebhookSender: Sendable {
  /// Posts a message, without following redirects, and waits for the answer for a bounded time.
  func post(_ url: String, headers: [(name: String, value: String)], body: [UInt8]) async -> WebhookAnswer

  /// Refuses an address that messages are never sent to, as far as that shows without a look-up.
  ///
  /// - Throws: `LedgerError` with `invalid_request`.
  func check(_ url: String) throws(LedgerError)
}

/// How a receiver answered a message.
package enum WebhookAnswer: Hashable, Sendable {
  /// With a status, and with the seconds of `Retry-After` where there were any.
  case status(Int, retryAfter: Int64? = nil)
  /// Not at all, for the reason in words.
  case failed(String)
}

/// The meaning of an answer for the message.
package enum WebhookOutcome: Hashable, Sendable {
  case delivered
  /// The receiver is there and takes this message not.
  case refused(String)
  /// The receiver cannot take messages now; after so many seconds it may again.
  case unavailable(String, retryAfter: Int64? = nil)
  /// The receiver wants no messages any more.
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
