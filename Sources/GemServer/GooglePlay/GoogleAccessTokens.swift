#if Server
internal import GemLedger
internal import Synchronization
internal import SystemHTTP

/// The access token of a service account, renewed some minutes before its expiry.
final class GoogleAccessTokens: Sendable {
  /// The time before its expiry at which a token is renewed, in milliseconds; at most half of its lifetime.
  static let marginMilliseconds: Int64 = 300_000

  private struct Token {
    let text: String
    let usableUntil: Timestamp
  }

  private typealias Renewal = Task<Result<Token, LedgerError>, Never>

  private struct State {
    var last: Token?
    /// The renewal in progress, for which all callers wait.
    var renewal: Renewal?
  }

  private enum Source {
    case known(Token)
    case renewal(Renewal)
  }

  private let account: GoogleServiceAccount
  private let scope: String
  private let sender: HTTPSender
  private let timeout: Duration
  private let clock: LedgerClock
  private let state = Mutex(State())

  init(_ account: GoogleServiceAccount, scope: String, sender: HTTPSender, timeout: Duration, clock: LedgerClock) {
    self.account = account
    self.scope = scope
    self.sender = sender
    self.timeout = timeout
    self.clock = clock
  }

  /// Returns a token that is valid for some minutes.
  ///
  /// One request renews it at a time: concurrent callers wait for that renewal, and share its failure.
  ///
  /// - Throws: `LedgerError` with `backend_unreachable`.
  func current() async throws(LedgerError) -> String {
    let now = clock.now()
    let source = state.withLock { state -> Source in
      if let known = state.last, now < known.usableUntil { return .known(known) }
      if let renewal = state.renewal { return .renewal(renewal) }
      // An unstructured task: cancelling the first caller must not fail the others.
      let renewal = Task { await self.renew(at: now) }
      state.renewal = renewal
      return .renewal(renewal)
    }
    switch source {
    case .known(let token): return token.text
    case .renewal(let renewal): return try await renewal.value.get().text
    }
  }

  private func renew(at instant: Timestamp) async -> Result<Token, LedgerError> {
    let result: Result<Token, LedgerError>
    do throws(LedgerError) { result = .success(try await fetch(at: instant)) } catch { result = .failure(error) }
    state.withLock { state in
      state.renewal = nil
      if case .success(let token) = result { state.last = token }
    }
    return result
  }

  /// Drops a token that the API refused, unless another token has replaced it.
  func drop(_ text: String) {
    state.withLock { state in if state.last?.text == text { state.last = nil } }
  }

  private func fetch(at instant: Timestamp) async throws(LedgerError) -> Token {
    let grant = Percent.encoded("urn:ietf:params:oauth:grant-type:jwt-bearer")
    let body = "grant_type=\(grant)&assertion=\(account.assertion(for: scope, at: instant))"
    let result = await sender.post(
      account.tokenURL,
      headers: [("Content-Type", "application/x-www-form-urlencoded"), ("Accept", "application/json")],
      body: Array(body.utf8), timeout: timeout)
    switch result {
    case .failure(let failure): throw .google("gives no access token: \(failure)")
    case .success(let reply):
      guard reply.isSuccess, let answer = reply.json, let text = answer["access_token"]?.text, !text.isEmpty,
        let seconds = answer["expires_in"]?.integer, (0...86_400).contains(seconds)
      else { throw .google("gives no access token: status \(reply.status)\(Self.reason(reply)).") }
      let milliseconds = seconds * 1000
      return Token(
        text: text,
        usableUntil: instant.advanced(milliseconds: milliseconds - min(Self.marginMilliseconds, milliseconds / 2)))
    }
  }

  /// Returns OAuth's error code of a refusal, such as `invalid_grant`.
  private static func reason(_ reply: HTTPReply) -> String {
    guard !reply.isSuccess, let word = reply.json?["error"]?.text else { return "" }
    return ", \(word.prefix(60))"
  }
}

extension HTTPReply {
  /// The body as JSON; nil if it is invalid or was truncated.
  var json: JSONValue? {
    guard !isBodyCut else { return nil }
    do throws(JSONError) { return try JSONValue.parse(body) } catch { return nil }
  }
}

extension LedgerError {
  /// The error for an unexpected response of Google's servers; the request may succeed later.
  static func google(_ what: String) -> LedgerError { LedgerError(.backendUnreachable, "Google \(what)") }
}
#endif
