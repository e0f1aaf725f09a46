#if Server
internal import GemLedger
internal import Synchronization
internal import SystemHTTP

/// The access token of a service account, asked for again shortly before its end.
final class GoogleAccessTokens: Sendable {
  /// How long before its end a token is replaced, in milliseconds.
  static let marginMilliseconds: Int64 = 60_000

  private struct Token {
    let text: String
    let usableUntil: Timestamp
  }

  private let account: GoogleServiceAccount
  private let scope: String
  private let sender: HTTPSender
  private let clock: LedgerClock
  private let last = Mutex<Token?>(nil)

  init(_ account: GoogleServiceAccount, scope: String, sender: HTTPSender, clock: LedgerClock) {
    self.account = account
    self.scope = scope
    self.sender = sender
    self.clock = clock
  }

  /// A token that holds for at least a minute.
  ///
  /// - Throws: `LedgerError` with `backend_unreachable`.
  func current() async throws(LedgerError) -> String {
    let now = clock.now()
    if let known = last.withLock({ $0 }), now < known.usableUntil { return known.text }
    let token = try await fetch(at: now)
    last.withLock { $0 = token }
    return token.text
  }

  /// Drops a token that the API refused, unless another one has replaced it.
  func drop(_ text: String) {
    last.withLock { token in if token?.text == text { token = nil } }
  }

  private func fetch(at instant: Timestamp) async throws(LedgerError) -> Token {
    let grant = Percent.encoded("urn:ietf:params:oauth:grant-type:jwt-bearer")
    let body = "grant_type=\(grant)&assertion=\(account.assertion(for: scope, at: instant))"
    let result = await sender.post(
      account.tokenURL,
      headers: [("Content-Type", "application/x-www-form-urlencoded"), ("Accept", "application/json")],
      body: Array(body.utf8))
    switch result {
    case .failure(let failure): throw .google("gives no access token: \(failure)")
    case .success(let reply):
      guard reply.isSuccess, let answer = reply.json, let text = answer["access_token"]?.text, !text.isEmpty,
        let seconds = answer["expires_in"]?.integer, (0...86_400).contains(seconds)
      else { throw .google("gives no access token: status \(reply.status)\(Self.reason(reply)).") }
      return Token(
        text: text, usableUntil: instant.advanced(milliseconds: seconds * 1000 - Self.marginMilliseconds))
    }
  }

  /// OAuth's word for a refusal, such as `invalid_grant`.
  private static func reason(_ reply: HTTPReply) -> String {
    guard !reply.isSuccess, let word = reply.json?["error"]?.text else { return "" }
    return ", \(word.prefix(60))"
  }
}

extension HTTPReply {
  /// The body as JSON; nil where it is none, or was cut.
  var json: JSONValue? {
    guard !isBodyCut else { return nil }
    do throws(JSONError) { return try JSONValue.parse(body) } catch { return nil }
  }
}

extension LedgerError {
  /// Google's servers do not answer as they should; the same request may work later.
  static func google(_ what: String) -> LedgerError { LedgerError(.backendUnreachable, "Google \(what)") }
}
#endif
