#if Server
internal import GemLedger
internal import StoreBackend
internal import SystemCrypto
internal import Synchronization
internal import SystemHTTP

// The service account and its access tokens.
extension SimulatedGoogle {
  private static let keyDocument = "simulator/google_service_account"
  private static let email = "simulator@gemledger-simulator.iam.gserviceaccount.com"
  private static let keyID = "simulator"
  /// The lifetime of an access token, in seconds.
  private static let tokenSeconds: Int64 = 3599
  /// The maximum number of valid access tokens.
  private static let tokensMax = 1000
  /// The permitted difference between clocks, in seconds.
  private static let skewSeconds: Int64 = 300

  /// The key file of the service account, in Google's form.
  ///
  /// - Parameter host: The host by which the caller reached the server, for `token_uri`.
  func serviceAccount(host: String) throws(LedgerError) -> JSONObject {
    [
      "type": "service_account", "project_id": "gemledger-simulator", "private_key_id": .string(Self.keyID),
      "private_key": .string(Crypto.pem(of: try key())), "client_email": .string(Self.email), "client_id": "1",
      "auth_uri": .string("\(scheme)://\(host)/auth"), "token_uri": .string(tokenURL(host)),
      "universe_domain": "googleapis.com",
    ]
  }

  private func tokenURL(_ host: String) -> String { "\(scheme)://\(host)/token" }

  /// The key that the ledger stores for its simulator; created at the first use.
  private func key() throws(LedgerError) -> Crypto.SigningKey {
    let content = try simulator.project.ledger.documents.content(of: Self.keyDocument) {
      JSONValue.object(["private_key": .string(Crypto.pem(of: Crypto.makeKey(.rsa)))]).text()
    }
    guard let pem = (try? JSONValue.parse(content))?["private_key"]?.text,
      let key = Crypto.privateKey(pem: Array(pem.utf8))
    else {
      throw LedgerError(
        .storageDamaged, "The simulated service account's key cannot be read. Use a new ledger for the simulator.")
    }
    return key
  }

  // MARK: The token endpoint

  /// Exchanges an assertion for an access token (RFC 7523).
  func exchange(_ request: HTTPRequest) -> HTTPResponse {
    var fields: [String: String] = [:]
    for pair in request.body.split(separator: UInt8(ascii: "&")) {
      let sides = pair.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
      guard sides.count == 2, let name = Percent.decoded(sides[0], plusIsSpace: true) else { continue }
      fields[name] = Percent.decoded(sides[1], plusIsSpace: true)
    }
    guard fields["grant_type"] == "urn:ietf:params:oauth:grant-type:jwt-bearer" else {
      return Self.refusal("unsupported_grant_type", "Invalid grant_type.")
    }
    do throws(LedgerError) {
      if let fault = try fault(of: fields["assertion"] ?? "", host: request.headers["Host"] ?? "") {
        return Self.refusal("invalid_grant", fault)
      }
    } catch { return SimulatedGoogleAnswer.refusal(error) }
    let words = (0..<2).map { _ in UInt64.random(in: 0 ... .max) }
    let token = "ya29.simulated-" + words.map { String($0, radix: 16) }.joined()
    let end = clock.now().advanced(milliseconds: Self.tokenSeconds * 1000).milliseconds
    state.withLock { state in
      if state.accessTokens.count >= Self.tokensMax { state.accessTokens = [:] }
      state.accessTokens[token] = end
    }
    return .json(
      200, ["access_token": .string(token), "expires_in": .integer(Self.tokenSeconds), "token_type": "Bearer"])
  }

  /// Returns the fault of an assertion; nil if it is valid.
  private func fault(of assertion: String, host: String) throws(LedgerError) -> String? {
    let parts = assertion.split(separator: ".", omittingEmptySubsequences: false)
    guard parts.count == 3, let header = Self.json(parts[0]), let claims = Self.json(parts[1]) else {
      return "Invalid JWT: it has no three parts of JSON and signature."
    }
    guard header["alg"]?.text == "RS256" else { return "Invalid JWT: alg is not RS256." }
    // The key's signature of these bytes is deterministic.
    let signed = Array(parts[..<2].joined(separator: ".").utf8)
    guard parts[2] == Base64URL.text(Crypto.serviceSignature(of: signed, by: try key())) else {
      return "Invalid JWT Signature."
    }
    guard claims["iss"]?.text == Self.email else { return "Invalid grant: account not found" }
    let scopes = claims["scope"]?.text?.split(separator: " ").map(String.init) ?? []
    guard scopes.contains(PlayDeveloperAPI.scope) else { return "Invalid scope: it needs \(PlayDeveloperAPI.scope)." }
    guard claims["aud"]?.text == tokenURL(host) else { return "Invalid JWT: aud is not \(tokenURL(host))." }
    let now = clock.now().milliseconds / 1000
    guard let issued = claims["iat"]?.integer, let end = claims["exp"]?.integer, issued <= now + Self.skewSeconds,
      end > now - Self.skewSeconds, issued <= end, end - issued <= 3600
    else { return "Invalid JWT: Token must be a short-lived token (60 minutes) and in a reasonable timeframe." }
    return nil
  }

  private static func json(_ part: Substring) -> JSONValue? {
    Base64URL.decode(Array(part.utf8)).flatMap { try? JSONValue.parse($0) }
  }

  /// OAuth's form of an error.
  private static func refusal(_ word: String, _ description: String) -> HTTPResponse {
    .json(400, ["error": .string(word), "error_description": .string(description)])
  }

  func isAccessToken(_ text: String) -> Bool {
    let now = clock.now().milliseconds
    return state.withLock { state in
      guard let end = state.accessTokens[text] else { return false }
      if end <= now { state.accessTokens[text] = nil }
      return end > now
    }
  }
}
#endif
