#if Server
import GemConsole
import GemLedger
import GemServer
import StoreBackend
import StoreReceipts
import SystemHTTP

/// The options of `serve`, read.
struct ServeSettings {
  let server: GemServer.Settings

  init(_ invocation: Invocation) throws {
    let parsed = invocation.parsed
    var settings = GemServer.Settings()
    (settings.http.host, settings.http.port) = try Self.address(
      parsed.value("--listen") ?? ServeCommand.defaultListen)
    settings.http.threads = Int(try parsed.integer("--threads", in: 1...64) ?? 2)
    if let limit = try parsed.integer("--max-body", in: 1024...16_777_216) {
      settings.http.bodyByteCountMax = Int(limit)
    }
    if parsed.has("--rate-limits") {
      for domain in RateDomain.allCases { settings.rateLimits[domain] = domain.defaultLimit }
    }
    switch (parsed.value("--tls-cert"), parsed.value("--tls-key")) {
    case (nil, nil): break
    case (let certificate?, let key?):
      settings.http.tls = HTTPServerSettings.TLS(
        certificate: try Self.text(of: certificate), key: try Self.text(of: key))
    default: throw invocation.usageError("--tls-cert and --tls-key need each other")
    }
    server = settings
  }

  /// Returns the settings of the console; nil if it is off.
  ///
  /// - Throws: `LedgerError` with `invalid_request` if browsers would send keys in plain text over a network.
  static func console(_ parsed: Parsed, _ http: HTTPServerSettings) throws(LedgerError) -> ConsoleSettings? {
    guard parsed.has("--console") else {
      for name in ["--console-host", "--trusted-proxy"] where parsed.has(name) {
        throw .invalid("\(name) needs --console.")
      }
      return nil
    }
    var settings = ConsoleSettings()
    settings.hasTLS = http.tls != nil
    settings.hosts = Set(parsed.values("--console-host").map { $0.lowercased() })
    settings.trustedProxies = Set(parsed.values("--trusted-proxy"))
    let isLocal = ["127.0.0.1", "::1", "localhost"].contains(http.host)
    guard isLocal || settings.hasTLS || !settings.trustedProxies.isEmpty else {
      throw .invalid(
        "--console on \(http.host) needs TLS: give --tls-cert and --tls-key, or name a proxy with TLS by "
          + "--trusted-proxy.")
    }
    return settings
  }

  private static func text(of path: String) throws(LedgerError) -> String {
    String(decoding: try FileAccess.read(path), as: UTF8.self)
  }

  /// Reads `HOST:PORT`, with an IPv6 address in brackets.
  private static func address(_ text: String) throws(LedgerError) -> (host: String, port: UInt16) {
    guard let colon = text.lastIndex(of: ":"), let port = UInt16(text[text.index(after: colon)...]) else {
      throw .invalid(
        "--listen takes HOST:PORT, such as \(ServeCommand.defaultListen); got \(text.quotedForPeople).")
    }
    var host = String(text[..<colon])
    if host.hasPrefix("["), host.hasSuffix("]") { host = String(host.dropFirst().dropLast()) }
    guard !host.isEmpty else { throw .invalid("--listen takes HOST:PORT: name the address, such as 127.0.0.1.") }
    return (host, port)
  }

  /// Returns the delays before the retries of an unconfirmed delivery.
  static func deliverySchedule(_ parsed: Parsed) throws(LedgerError) -> DeliverySchedule {
    guard let text = parsed.value("--delivery-retries") else { return .standard }
    let minutes = text == "none" ? [] : text.split(separator: ",", omittingEmptySubsequences: false).map { Int64($0) }
    let known = minutes.compactMap(\.self)
    guard known.count == minutes.count, known.count <= 100, known.allSatisfy({ (1...43_200).contains($0) }),
      zip(known, known.dropFirst()).allSatisfy({ $0 < $1 })
    else {
      throw .invalid(
        "--delivery-retries takes at most 100 ascending numbers of minutes, 1 to 43200, such as 2,10,30; or none; got "
          + "\(text.quotedForPeople).")
    }
    return DeliverySchedule(retriesAfterMilliseconds: known.map { $0 * 60_000 })
  }

  /// Returns the verifiers of the stores with keys in the options.
  ///
  /// - Parameter appID: The app's number, as it was given; nil for none.
  static func verifiers(_ parsed: Parsed, appID: String?) throws(LedgerError) -> StoreVerifiers {
    let session = parsed.value("--test-receipts")
    var roots: [TrustedRoot] = []
    for path in parsed.values("--root") { roots.append(try TrustedRoot(certificate: try FileAccess.read(path))) }
    for text in parsed.values("--fingerprint") { roots.append(try TrustedRoot(fingerprint: text)) }
    var apple: AppleVerifier?
    if !roots.isEmpty {
      let appID = try appID.map { (text) throws(LedgerError) in
        guard let number = Int64(text), number > 0 else {
          throw .invalid("--app-id takes the app's number, such as 1234567890; got \(text.quotedForPeople).")
        }
        return number
      }
      var environments: Set<StoreEnvironment> = appID == nil ? [.sandbox] : [.sandbox, .production]
      // Purchases of a simulated store, under the store's root.
      if let session { environments.insert(try .localTesting(session: session)) }
      apple = try AppleVerifier(app: AppleApp(appAppleID: appID, environments: environments), roots: roots)
    }
    var google: PlayVerifier?
    if let path = parsed.value("--play-key") {
      google = try PlayVerifier(
        publicKey: try text(of: path).filter { !$0.isWhitespace }, environment: .production)
    }
    return StoreVerifiers(apple: apple, google: google, tests: try testVerifier(session))
  }

  /// Reads test receipts of Xcode, which cannot be verified.
  ///
  /// - Parameter session: The test session of the credits; nil to accept none.
  static func testVerifier(_ session: String?) throws(LedgerError) -> AppleVerifier? {
    guard let session else { return nil }
    return try AppleVerifier(
      app: AppleApp(environments: [], unverifiedEnvironments: [.xcode(session: session)]), roots: [])
  }

  /// Refuses test receipts, which can be forged, together with real purchases.
  static func checkTestReceipts(_ parsed: Parsed) throws {
    guard let session = parsed.value("--test-receipts") else { return }
    _ = try StoreEnvironment.xcode(session: session)
    for name in ["--app-id", "--play-key", "--google-service-account"] where parsed.has(name) {
      throw parsed.usageError(
        "--test-receipts cannot be used with \(name): test receipts can be forged, and \(name) accepts real "
          + "purchases")
    }
  }
}
#endif
