import GemLedger
import StoreBackend

#if Server
import GemConsole
import GemServer
import SimulatedStores
import StoreReceipts
import SystemHTTP
#endif

/// `serve`: ledgers over HTTP, until a signal asks for the end.
struct ServeCommand {
  let invocation: Invocation

  static let defaultListen = "127.0.0.1:8383"
}

#if Server
extension ServeCommand {
  func run() throws {
    try checkSimulation()
    try checkRefunds()
    try ServeSettings.checkTestReceipts(invocation.parsed)
    let settings = try ServeSettings(invocation).server
    let log = BufferedLog { [terminal = invocation.terminal] in terminal.error($0) }
    defer { log.flush() }
    OpenFiles.raiseLimit()
    let clock = try simulatedClock()
    try invocation.withLedger(clock: clock?.ledger) { (ledger) throws(LedgerError) in
      let lines = ServerLog(clock: ledger.clock) { log.write($0) }
      try serve(ledger, settings, try openShop(clock?.shop, ledger), lines)
    }
  }

  /// Fails at the start if refunds are requested but no store would issue them.
  private func checkRefunds() throws {
    guard invocation.parsed.has("--refund-undelivered") else { return }
    guard invocation.parsed.has("--delivery-url") else {
      throw invocation.usageError("--refund-undelivered needs a game server: --delivery-url")
    }
    guard simulates || invocation.parsed.has("--google-service-account") else {
      throw invocation.usageError(
        "--refund-undelivered needs --google-service-account or --simulate: the App Store refunds nothing for sellers")
    }
  }

  /// - Parameter shop: The simulated store; nil for none.
  private func serve(
    _ ledger: Ledger, _ settings: GemServer.Settings, _ shop: HomeShop?, _ log: ServerLog
  ) throws(LedgerError) {
    let others = try openOthers()
    defer { for other in others { other.ledger.close() } }
    let outgoing = try ServeOutgoing(invocation.parsed, ["default"] + others.map(\.id), log)
    let appIDs = try ProjectOption("--app-id", invocation.parsed, of: ["default"] + others.map(\.id))
    let first = try project("default", ledger, shop, outgoing, appIDs, log)
    var projects = [first]
    for other in others { projects.append(try project(other.id, other.ledger, nil, outgoing, appIDs, log)) }
    let console = try ServeSettings.console(invocation.parsed, settings.http).map { (settings) in
      Console(settings, projects: projects, log: log)
    }
    let server = try GemServer(
      settings, projects: projects, simulator: try simulator(of: shop, first),
      areas: [console?.area].compactMap(\.self),
      log: log)
    try announce(server, settings, hasConsole: console != nil, try announcement(ledger, shop))
    try Self.waitForTheEnd(of: server)
  }

  private func announce(
    _ server: GemServer, _ settings: GemServer.Settings, hasConsole: Bool,
    _ simulation: (json: JSONObject, text: String)?
  ) throws(LedgerError) {
    let host = settings.http.host.contains(":") ? "[\(settings.http.host)]" : settings.http.host
    let url = "\(settings.http.tls == nil ? "http" : "https")://\(host):\(server.port)"
    var json: JSONObject = ["listening": .string(url)]
    if hasConsole { json["console"] = .string(url + "/console") }
    json.members += simulation?.json.members ?? []
    let console = hasConsole ? "The console is at \(url)/console; sign in with a secret key.\n" : ""
    try invocation.print(.object(json), { _ in "Listening on \(url)\n" + console + (simulation?.text ?? "") })
  }

  private static func waitForTheEnd(of server: GemServer) throws(LedgerError) {
    try Blocking.wait { () async throws(LedgerError) in
      let (signals, continuation) = AsyncStream.makeStream(of: Void.self)
      let sources = Signals { continuation.finish() }
      for await _ in signals {}
      sources.forget()
      // If work has not ended in time, the server logs it.
      await server.stop()
    }
  }

  // MARK: Projects

  /// Opens the ledgers that `--project ID=STORAGE` names.
  private func openOthers() throws(LedgerError) -> [(id: String, ledger: Ledger)] {
    var opened: [(id: String, ledger: Ledger)] = []
    do throws(LedgerError) {
      for text in invocation.parsed.values("--project") {
        let parts = text.split(separator: "=", maxSplits: 1).map(String.init)
        guard parts.count == 2 else {
          throw .invalid("--project takes ID=STORAGE, such as shop2=sqlite:shop2.sqlite.")
        }
        guard parts[0].wholeMatch(of: /[A-Za-z0-9_-]{1,64}/) != nil else {
          throw .invalid(
            "A project's id has 1 to 64 letters of ASCII, digits, \"_\" and \"-\"; got "
              + "\(parts[0].quotedForPeople).")
        }
        guard parts[0] != "default", !opened.contains(where: { $0.id == parts[0] }) else {
          throw .invalid("There are two projects \(parts[0].quotedForPeople); give each a different id.")
        }
        opened.append((parts[0], try StorageChoice(parts[1]).open(invocation.home)))
      }
    } catch {
      for other in opened { other.ledger.close() }
      throw error
    }
    return opened
  }

  /// Refuses or warns of a catalog that accepts receipts of more than one app's buyers.
  private func checkReceipts(
    of id: String, _ ledger: Ledger, takesProduction: Bool, _ log: ServerLog
  ) throws(LedgerError) {
    let settings = try ledger.currentCatalog().settings
    guard
      settings.sandboxReceipts != .anybody || !takesProduction
        || invocation.parsed.has("--allow-sandbox-receipts")
    else {
      throw .invalid(
        "The catalog of the project \(id.quotedForPeople) accepts sandbox receipts of all customers, and "
          + "--app-id accepts production: testers of the app would get its currency for free. Set "
          + "\"sandbox_receipts\" to \"listed\" or \"nobody\" in the catalog's settings and apply it, "
          + "or start with --allow-sandbox-receipts.")
    }
    guard settings.bundleID == nil else { return }
    log.event(
      .warning,
      "The catalog has no bundle_id: receipts of every app are credited. Set it in its settings and apply it.",
      ["project": .string(id)])
  }

  private func project(
    _ id: String, _ ledger: Ledger, _ shop: HomeShop?, _ outgoing: ServeOutgoing, _ appIDs: ProjectOption,
    _ log: ServerLog
  ) throws(LedgerError) -> ServerProject {
    // It accepts receipts of the simulated store alone, or of the real stores.
    var policy = BackendPolicy(sandboxReceipts: shop == nil ? nil : .anybody)
    policy.deliverySchedule = try ServeSettings.deliverySchedule(invocation.parsed)
    if invocation.parsed.has("--client-spends") { policy.clientSpending = .anyAmount }
    let verifier = try verifier(shop, appID: appIDs[id])
    if shop == nil { try checkReceipts(of: id, ledger, takesProduction: appIDs[id] != nil, log) }
    if invocation.parsed.has("--test-receipts") { try warnOfTestReceipts(in: id, ledger, log) }
    return ServerProject(
      id: id, ledger: ledger,
      backend: LocalBackend(
        ledger: ledger, verifier: verifier, policy: policy, delivery: outgoing.delivery(of: id),
        refundIssuer: outgoing.refundIssuer(of: id, ledger, shop),
        onWarning: { log.warning($0, project: id) }),
      sessions: try SessionTokens(projectID: id, keptIn: ledger), itemGranter: outgoing.granter(of: id),
      sender: outgoing.webhooks, playNotices: outgoing.playNotices(of: id),
      appStore: outgoing.appStore(verifier: verifier))
  }

  private func verifier(_ shop: HomeShop?, appID: String?) throws(LedgerError) -> any ReceiptVerifier {
    guard let shop else { return try ServeSettings.verifiers(invocation.parsed, appID: appID) }
    guard let tests = try ServeSettings.testVerifier(invocation.parsed.value("--test-receipts")) else {
      return shop.receipts
    }
    return StoreVerifiers(apple: shop.receipts, google: shop.receipts, tests: tests)
  }

  private func warnOfTestReceipts(in id: String, _ ledger: Ledger, _ log: ServerLog) throws(LedgerError) {
    try Simulator.checkBooks(of: ledger)
    log.event(
      .warning, "Test receipts are credited, and they can be forged. Do not sell for money on this server.",
      ["project": .string(id)])
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
