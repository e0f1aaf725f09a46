import GemLedger
import StoreBackend

#if Server
import GemServer
import StoreReceipts
import SystemHTTP
#endif

/// `serve`: the ledger over HTTP, until a signal asks for the end.
struct ServeCommand {
  let invocation: Invocation

  static let defaultListen = "127.0.0.1:8383"
}

#if Server
extension ServeCommand {
  func run() throws {
    let settings = try settings()
    let (terminal, isJSON) = (invocation.terminal, invocation.isJSON)
    let log = BufferedLog { terminal.error($0) }
    defer { log.flush() }
    try invocation.withLedger { (ledger) throws(LedgerError) in
      let backend = LocalBackend(ledger: ledger, verifier: try verifiers())
      let server = try GemServer(
        settings, projects: [ServerProject(ledger: ledger, backend: backend)],
        log: ServerLog(clock: ledger.clock) { log.write($0) })
      let url = "\(settings.http.tls == nil ? "http" : "https")://\(settings.http.host):\(server.port)"
      try terminal.output(isJSON ? #"{"listening":"\#(url)"}"# + "\n" : "Listening on \(url)\n")
      try Blocking.wait { () async throws(LedgerError) in
        await Self.signal()
        let isClean = await server.stop()
        guard isClean else {
          throw LedgerError(.timedOut, "Some requests took longer than the server may wait for them at its end.")
        }
      }
    }
  }

  /// Waits for SIGINT or SIGTERM.
  private static func signal() async {
    let (signals, continuation) = AsyncStream.makeStream(of: Void.self)
    let sources = Signals { continuation.finish() }
    for await _ in signals {}
    sources.forget()
  }

  private func settings() throws -> GemServer.Settings {
    let parsed = invocation.parsed
    var settings = GemServer.Settings()
    (settings.http.host, settings.http.port) = try Self.address(parsed.value("--listen") ?? Self.defaultListen)
    settings.http.threads = Int(try parsed.integer("--threads", in: 1...64) ?? 2)
    if let limit = try parsed.integer("--max-body", in: 1024...16_777_216) {
      settings.http.bodyByteCountMax = Int(limit)
    }
    if parsed.flags.contains("--rate-limits") {
      settings.rateLimits = Dictionary(
        uniqueKeysWithValues: RateDomain.allCases.map { ($0, $0.defaultLimit) })
    }
    switch (parsed.value("--tls-cert"), parsed.value("--tls-key")) {
    case (nil, nil): break
    case (let certificate?, let key?):
      settings.http.tls = HTTPServerSettings.TLS(
        certificate: String(decoding: try FileAccess.read(certificate), as: UTF8.self),
        key: String(decoding: try FileAccess.read(key), as: UTF8.self))
    default: throw UsageError("--tls-cert and --tls-key go together", verb: parsed.verb)
    }
    return settings
  }

  /// Reads `HOST:PORT`; an IPv6 address stands in brackets.
  private static func address(_ text: String) throws(LedgerError) -> (host: String, port: UInt16) {
    guard let colon = text.lastIndex(of: ":"), let port = UInt16(text[text.index(after: colon)...]) else {
      throw .invalid("--listen takes HOST:PORT, such as \(defaultListen); got \(text.quotedForPeople).")
    }
    var host = String(text[..<colon])
    if host.hasPrefix("["), host.hasSuffix("]") { host = String(host.dropFirst().dropLast()) }
    guard !host.isEmpty else { throw .invalid("--listen takes HOST:PORT: name the address, such as 127.0.0.1.") }
    return (host, port)
  }

  /// The stores whose receipts are taken: those that the options name keys of.
  private func verifiers() throws(LedgerError) -> StoreVerifiers {
    let parsed = invocation.parsed
    var roots: [TrustedRoot] = []
    for path in parsed.values("--root") { roots.append(try TrustedRoot(certificate: try FileAccess.read(path))) }
    for text in parsed.values("--fingerprint") { roots.append(try TrustedRoot(fingerprint: text)) }
    var apple: (any ReceiptVerifier)?
    if !roots.isEmpty {
      let appID = parsed.value("--app-id").flatMap { Int64($0) }
      let environments: Set<StoreEnvironment> = appID == nil ? [.sandbox] : [.sandbox, .production]
      apple = try AppleVerifier(app: AppleApp(appAppleID: appID, environments: environments), roots: roots)
    }
    let google = try parsed.value("--play-key").map { (path) throws(LedgerError) in
      let text = String(decoding: try FileAccess.read(path), as: UTF8.self)
      return try PlayVerifier(publicKey: text.filter { !$0.isWhitespace }, environment: .production)
    }
    return StoreVerifiers(apple: apple, google: google)
  }
}
#else
extension ServeCommand {
  func run() throws { throw LedgerError.withoutServer }
}
#endif

extension LedgerError {
  /// A build without the server.
  static var withoutServer: LedgerError {
    .invalid(
      "This build has no server. Build one that has it, with libmicrohttpd, libcurl and libcrypto installed: swift "
        + "build -c release --traits Server")
  }
}
