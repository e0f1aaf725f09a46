#if Server
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
    if parsed.flags.contains("--rate-limits") {
      for domain in RateDomain.allCases { settings.rateLimits[domain] = domain.defaultLimit }
    }
    switch (parsed.value("--tls-cert"), parsed.value("--tls-key")) {
    case (nil, nil): break
    case (let certificate?, let key?):
      settings.http.tls = HTTPServerSettings.TLS(
        certificate: try Self.text(of: certificate), key: try Self.text(of: key))
    default: throw UsageError("--tls-cert and --tls-key go together", verb: parsed.verb)
    }
    server = settings
  }

  private static func text(of path: String) throws(LedgerError) -> String {
    String(decoding: try FileAccess.read(path), as: UTF8.self)
  }

  /// Reads `HOST:PORT`; an IPv6 address stands in brackets.
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

  /// The stores whose receipts are taken: those that the options name keys of.
  static func verifiers(_ parsed: Parsed) throws(LedgerError) -> StoreVerifiers {
    var roots: [TrustedRoot] = []
    for path in parsed.values("--root") { roots.append(try TrustedRoot(certificate: try FileAccess.read(path))) }
    for text in parsed.values("--fingerprint") { roots.append(try TrustedRoot(fingerprint: text)) }
    var apple: AppleVerifier?
    if !roots.isEmpty {
      let appID = parsed.value("--app-id").flatMap { Int64($0) }
      let environments: Set<StoreEnvironment> = appID == nil ? [.sandbox] : [.sandbox, .production]
      apple = try AppleVerifier(app: AppleApp(appAppleID: appID, environments: environments), roots: roots)
    }
    var google: PlayVerifier?
    if let path = parsed.value("--play-key") {
      google = try PlayVerifier(
        publicKey: try text(of: path).filter { !$0.isWhitespace }, environment: .production)
    }
    return StoreVerifiers(apple: apple, google: google)
  }
}
#endif
