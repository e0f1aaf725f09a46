#if Server
internal import GemLedger
internal import SystemHTTP

/// Where a request comes from, as far as the connection and trusted proxies prove it.
struct RequestOrigin: Hashable, Sendable {
  /// The address of the browser.
  let client: String
  /// The origin of the console's pages, such as `https://ledger.example.com`.
  let origin: String
  let isSecure: Bool

  /// Checks the transport and the name by which the console was called.
  ///
  /// A foreign name would let a page of that name read the console's answers (DNS rebinding).
  ///
  /// - Throws: `LedgerError` with `forbidden`.
  init(_ request: HTTPRequest, _ settings: ConsoleSettings) throws(LedgerError) {
    let isProxied = settings.trustedProxies.contains(request.client)
    // A proxy adds to what its client sent: an element at the end, or a field at the end.
    let forwarded = { (name: String) in isProxied ? request.headers.values(of: name).last.map(Self.last) : nil }
    isSecure = settings.hasTLS || forwarded("X-Forwarded-Proto") == "https"
    client = forwarded("X-Forwarded-For") ?? request.client
    let host = forwarded("X-Forwarded-Host") ?? request.headers["Host"] ?? ""
    origin = "\(isSecure ? "https" : "http")://\(host)"
    guard isSecure || (Self.isLoopback(address: client) && Self.isLoopback(name: Self.name(of: host))) else {
      throw LedgerError(
        .forbidden,
        "The console is served over TLS, or on this machine only. Start the server with --tls-cert, or behind "
          + "a proxy with TLS that --trusted-proxy names.")
    }
    let name = Self.name(of: host)
    guard Self.isLoopback(name: name) || settings.hosts.contains(name) else {
      throw LedgerError(
        .forbidden, "The console is not served under the name \"\(name.prefix(100))\". Name it with --console-host.")
    }
  }

  /// Checks that a page of the console sent the form.
  ///
  /// - Throws: `LedgerError` with `forbidden`.
  func checkSender(of request: HTTPRequest) throws(LedgerError) {
    let sent = request.headers.values(of: "Origin")
    let site = request.headers["Sec-Fetch-Site"] ?? "same-origin"
    guard sent.count == 1, let sent = sent.first, sent.lowercased() == origin.lowercased(), site == "same-origin" else {
      throw LedgerError(
        .forbidden, "This form did not come from a page of this console. Open the console and repeat it.")
    }
  }

  private static func last(of list: String) -> String {
    let element = list.split(separator: ",").last ?? ""
    return String(element.drop { $0 == " " }.reversed().drop { $0 == " " }.reversed())
  }

  private static func name(of host: String) -> String {
    let lowered = host.lowercased()
    if lowered.hasPrefix("[") { return String(lowered.prefix { $0 != "]" }.dropFirst()) }
    return String(lowered.prefix { $0 != ":" })
  }

  private static func isLoopback(name: String) -> Bool {
    name == "localhost" || isLoopback(address: name)
  }

  private static func isLoopback(address: String) -> Bool {
    address == "::1" || address == "::ffff:127.0.0.1"
      || address.wholeMatch(of: /127\.[0-9]{1,3}\.[0-9]{1,3}\.[0-9]{1,3}/) != nil
  }
}
#endif
