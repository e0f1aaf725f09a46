#if Server
import GemLedger
import GemServer
import SimulatedStores
import StoreBackend
import StoreClient

/// `serve --simulate`: the home's simulated store under control of the server's clients.
extension ServeCommand {
  var simulates: Bool { invocation.parsed.has("--simulate") }

  /// Refuses keys of real stores together with the simulated store: they would share a ledger.
  func checkSimulation() throws {
    guard simulates else { return }
    let others = [
      "--root", "--fingerprint", "--play-key", "--app-id", "--google-service-account", "--app-store-key", "--project",
    ]
    for name in others where invocation.parsed.has(name) {
      throw invocation.usageError(
        "--simulate and \(name) exclude each other: simulated and real purchases must not share a ledger")
    }
  }

  /// Whether the ledger uses the simulated store's clock; a shared ledger does not.
  private var ownsTime: Bool {
    get throws(LedgerError) {
      let choice = try StorageChoice(invocation.settings.storage)
      return choice == .home || choice == .memory
    }
  }

  /// Returns the clock of the simulated store, which is also the ledger's if nothing else uses the ledger.
  func simulatedClock() throws(LedgerError) -> (shop: VirtualClock, ledger: VirtualClock?)? {
    guard simulates else { return nil }
    let clock = try invocation.homeClock() ?? VirtualClock(following: .system)
    return (clock, try ownsTime ? clock : nil)
  }

  /// Opens the home's store and locks its file.
  func openShop(_ clock: VirtualClock?, _ ledger: Ledger) throws(LedgerError) -> HomeShop? {
    guard let clock else { return nil }
    try Simulator.checkBooks(of: ledger)
    let opened = try HomeShop(
      try invocation.clientState(), in: try invocation.clientHome(), selling: try ledger.currentCatalog(), clock: clock,
      timeout: invocation.timeout)
    for problem in opened.problems {
      invocation.terminal.error("warning: The simulated store's file was damaged: \(problem)\n")
    }
    return opened
  }

  /// The simulator, with the notices of an earlier process delivered.
  func simulator(of opened: HomeShop?, _ project: ServerProject) throws(LedgerError) -> Simulator? {
    guard let opened else { return nil }
    let simulator = try Simulator(shop: opened.shop, project: project, keepClock: try keepClock())
    do throws(LedgerError) {
      try Blocking.wait { () async throws(LedgerError) in try await simulator.deliverNotices() }
    } catch {
      invocation.terminal.error("warning: A notice of the simulated store was not taken, and waits: \(error)\n")
    }
    return simulator
  }

  private func keepClock() throws(LedgerError) -> (@Sendable (Int64) throws(LedgerError) -> Void)? {
    guard try ownsTime else { return nil }
    guard let home = try invocation.clientHome() else { return { _ in } }
    return { (ahead) throws(LedgerError) in try home.saveClock(ahead: ahead) }
  }

  /// Returns the announcement of the simulator.
  ///
  /// For a ledger in memory it has keys, since no other command can make them.
  func announcement(
    _ ledger: Ledger, _ opened: HomeShop?
  ) throws(LedgerError) -> (json: JSONObject, text: String)? {
    guard let store = opened?.shop.store else { return nil }
    let what = store == .google ? "Google Play" : "App Store"
    let text = "The simulated \(what) is on, under /simulator: for tests only.\n"
    guard try StorageChoice(invocation.settings.storage) == .memory else { return (["simulator": true], text) }
    let ring = KeyRing(ledger)
    let secret = try ring.create(.secret(scopes: [])).text
    let app = try ring.create(.app(store == .google ? .google : .apple)).text
    return (
      ["simulator": true, "secret_key": .string(secret), "public_key": .string(app)],
      text + "Keys until the server ends: \(secret) for a server, \(app) for an app.\n"
    )
  }
}
#endif
