internal import GemLedger
internal import GemLedgerAudit
internal import SimulatedStores
internal import StoreBackend
internal import StoreClient
internal import Synchronization

/// The world of a soak: one clock, the stores, a ledger with its backend, and the apps on the devices.
///
/// Events happen one after the other; within each, everything follows from the seed.
final class World {
  let settings: Simulation.Settings
  let wares: SimulationCatalog
  let catalog: Catalog
  let clock = VirtualClock()
  let ledger: Ledger
  let drivers: [any StoreDriver]
  let recorder: RecordingBackend
  let maintenance: MaintenanceRunner
  let faulty: FaultyBackend
  private(set) var apps: [App] = []
  /// The apps of store accounts that left their devices: their paid purchases are completed at the end.
  private(set) var leftApps: [App] = []

  /// Purchases that wait for an approval or a payment.
  var pending: [(floor: Int, id: StoreTransactionID)] = []
  /// Notices from the stores that are not delivered yet.
  var mail: [StoreTransaction] = []
  /// Products that the backend's catalog lacks now.
  var missing: Set<String> = []
  /// Spends with a lost answer.
  var openSpends: [Spend] = []
  /// The index of the event before which the backend is reachable again.
  var outageEnd = 0
  var eventCounts: [SimulationEvent.Kind: Int] = [:]
  var faultCounts: [String: Int] = [:]
  var playedCount = 0
  var checkCount = 0
  private let begin: Timestamp

  struct Spend {
    var amounts: [Adjustment]
    var customer: CustomerID
    var key: IdempotencyKey
  }

  init(
    _ settings: Simulation.Settings, ledger makeLedger: (LedgerClock) throws(LedgerError) -> Ledger,
    receipts makeReceipts: Simulation.ReceiptMaker, sabotage: Simulation.PlantedBug?
  ) throws(LedgerError) {
    guard settings.deviceCount > 0, settings.customerCount > 0, settings.hasAppleStore || settings.hasGoogleStore else {
      throw .invalid("A soak takes at least one device, one customer and one store.")
    }
    self.settings = settings
    wares = try SimulationCatalog()
    catalog = try wares.catalog()
    ledger = try makeLedger(clock.ledgerClock)
    try ledger.apply(catalog)
    begin = clock.now
    var drivers: [any StoreDriver] = []
    if settings.hasAppleStore {
      drivers.append(try AppleDriver(catalog: catalog, settings, clock: clock, receipts: makeReceipts))
    }
    if settings.hasGoogleStore {
      drivers.append(try PlayDriver(catalog: catalog, settings, clock: clock, receipts: makeReceipts))
    }
    self.drivers = drivers
    let receipts = drivers.map(\.receipts)
    let source = SeededSource(seed: settings.seed)
    let local = LocalBackend(
      ledger: ledger, verifier: EitherReceipts(forms: receipts, bug: sabotage),
      policy: BackendPolicy(clientSpending: .anyAmount), randomness: source.draw)
    maintenance = MaintenanceRunner(backend: local)
    recorder = RecordingBackend(
      local, receipts: receipts, ticket: wares.ticket, losesRefunds: sabotage == .loseRefunds)
    let backend: any PurchaseBackend =
      if case .creditTwice(let number) = sabotage {
        DoubleCreditBackend(recorder, receipts: receipts, atPost: number)
      } else {
        recorder
      }
    faulty = FaultyBackend(backend, seed: settings.seed)
    bug = sabotage
    try open(isHasty: sabotage == .finishBeforeCredit, source)
  }

  let bug: Simulation.PlantedBug?

  var now: Timestamp { clock.now }

  var virtualTime: Duration { .milliseconds(clock.now.milliseconds - begin.milliseconds) }

  private func open(isHasty: Bool, _ source: SeededSource) throws(LedgerError) {
    let (clock, faulty) = (clock.storeClock, faulty)
    for number in 0..<settings.deviceCount {
      let floor = drivers[(number / 2) % drivers.count]
      let app = try App(number: number, account: "account-\(number / 2)", floor: floor) {
        (app) throws(LedgerError) in
        let mortal = CrashingStorefront(app.storefront, life: app.life)
        var configuration = StoreClient.Configuration(
          apiKey: floor.store == .apple ? "appl_soak" : "goog_soak",
          mode: .payment(CrashingBackend(faulty, life: app.life)),
          storefront: isHasty ? EarlyFinishStorefront(decorated: mortal) : mortal,
          eventLog: CrashingEventLog(app.eventLog, life: app.life))
        configuration.bundleID = "com.example.gems"
        configuration.clock = clock
        configuration.randomness = source.draw
        configuration.logHandler = { _, _ in }
        configuration.validationTimeout = nil
        configuration.isFunnelEnabled = false
        configuration.isAutomatic = false
        configuration.purchaseStyle = app.number % 4 == 3 ? .twoStep : .direct
        return try StoreClient(configuration: configuration)
      }
      apps.append(app)
    }
  }
}

extension World {
  var everyApp: [App] { apps + leftApps }

  /// Gives the device to another person, with a new store account or the account of the neighbouring device.
  ///
  /// Without that, a long run would merge all customers of an account.
  func handOn(_ app: App, _ event: SimulationEvent) throws(LedgerError) {
    let beside = app.number ^ 1
    let joins = event.choice & 2 == 0 && beside < apps.count && apps[beside].account != app.account
    let account = joins ? apps[beside].account : "account-\(event.index)-of-\(app.number)"
    app.leave()
    leftApps.append(app)
    apps[app.number] = try app.another(account: account, owner: leftApps.count)
  }
}

/// A shared source of seeded randomness.
final class SeededSource: Sendable {
  private let generator: Mutex<SimulationGenerator>

  init(seed: UInt64) { generator = Mutex(SimulationGenerator(seed: seed)) }

  var draw: @Sendable () -> UInt64 { { self.generator.withLock { $0.next() } } }
}

/// Reads the receipts of any of the stores.
struct EitherReceipts: ReceiptVerifier {
  let forms: [any SimulatedReceipts]
  let bug: Simulation.PlantedBug?

  /// The stores' receipts state the paid price, which often differs from the catalog's price.
  var provesPrices: Bool { true }
  func digest(of text: String) -> [UInt8]? { forms.lazy.compactMap { $0.digest(of: text) }.first }

  func verify(_ receipt: StoreReceipt) throws(LedgerError) -> StoreTransaction {
    var refusal = LedgerError(.receiptUnverified, "No store of this world signed the receipt.")
    for form in forms {
      do throws(LedgerError) {
        return try form.verify(receipt).spoiled(by: bug)
      } catch { refusal = error }
    }
    throw refusal
  }
}
