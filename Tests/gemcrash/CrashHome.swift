internal import Foundation
package import GemLedger
internal import GemLedgerSQLite
package import SimulatedStores
package import StoreBackend
internal import StoreClient

#if Receipts
internal import StoreReceipts
#endif

/// The files of a cell: those of the store, of the app and of the backend, in one directory.
package struct CrashHome: Sendable {
  /// The product of every purchase; it gives 1,200 GEM.
  package static let product = "gems_1200"
  /// The store account, and the buyer.
  package static let buyer = "alice"
  /// The customer signed in after the crash; nothing may be credited to this customer.
  package static let other = "bob"

  private let directory: String
  package let access: Access

  package init(_ directory: String, _ access: Access = .direct) {
    self.directory = directory
    self.access = access
  }

  package var catalogPath: String { directory + "/catalog.json" }
  package var ledgerPath: String { directory + "/ledger.sqlite" }
  package var storePath: String { directory + "/store.records" }
  package var queuePath: String { directory + "/queue.records" }

  /// The receipts of the store's purchases: signed ones, where this build has the crypto library.
  package func receipts() throws(LedgerError) -> any SimulatedReceipts {
    #if Receipts
    let authority = try LocalAuthority(file: directory + "/authority.pem")
    return try LocalReceipts(authority: authority, environment: .localTesting(session: "crash"))
    #else
    return try UnsignedReceipts(session: "crash")
    #endif
  }

  /// The catalog with every product.
  package func catalog() throws -> Catalog { try Catalog.load(Array(Data(contentsOf: URL(filePath: catalogPath)))) }

  /// Opens the store as it was left; the clock goes on with it.
  package func store(selling catalog: Catalog, clock: VirtualClock) throws(LedgerError) -> SimulatedStore {
    try SimulatedStore(
      catalog: catalog, session: "crash", clock: clock, signer: try receipts(),
      eventLog: try FileEventLog(path: storePath))
  }

  /// Opens the ledger.
  package func ledger(clock: VirtualClock) throws(LedgerError) -> Ledger {
    try Ledger.openSQLite(at: ledgerPath, clock: clock.ledgerClock)
  }
}

/// An app with its store and its backend, all on the files of a home.
struct App {
  let clock = VirtualClock()
  let ledger: Ledger
  let store: SimulatedStore
  let backend: LocalBackend
  let storefront: WiredStorefront
  let client: StoreClient
  let wire: Wire
  /// How many updates the app is told of at its start.
  private let unfinishedCount: Int

  init(
    _ home: CrashHome, customer: String, _ scenario: Scenario, _ wire: Wire, _ build: Build = .real
  ) async throws {
    self.wire = wire
    ledger = try home.ledger(clock: clock)
    store = try home.store(selling: try home.catalog(), clock: clock)
    store.onStep = { step in
      switch step {
      case .paid: wire.pass(.paid, .after)
      case .finished: wire.pass(.finished, .after)
      case .asked, .delivered, .finishing: break
      }
    }
    backend = LocalBackend(
      ledger: ledger, verifier: WatchedVerifier(verifier: try home.receipts(), wire: wire))
    let reached = try home.access.backend(over: backend, wire)
    let phone = store.account(CrashHome.buyer).device("phone")
    unfinishedCount = try await phone.unfinished(after: nil, limit: 100).count
    storefront = WiredStorefront(device: phone, wire: wire, build: build)
    var configuration = StoreClient.Configuration(
      apiKey: "test_crash", appUserID: customer, mode: .payment(reached), storefront: storefront,
      eventLog: try FileEventLog(path: home.queuePath))
    configuration.clock = clock.storeClock
    configuration.bundleID = "com.example.gems"
    configuration.purchaseStyle = scenario == .twoStep ? .twoStep : .direct
    configuration.logLevel = .error
    configuration.logHandler = { _, _ in }
    configuration.onStep = { step in
      switch step {
      case .queued: wire.pass(.queued, .after)
      case .finishOnly: wire.pass(.finishOnly, .after)
      // The store and the backend say these, whether the app hears of them or not.
      case .paid, .credited, .finished: break
      }
    }
    client = try StoreClient(configuration: configuration)
  }

  /// Waits until the app has worked off the purchases that it found at its start.
  func launch() async {
    await wire.waitUntilHandled(unfinishedCount)
    // The shop is on the screen; without a network, the one that the app knows.
    _ = try? await client.offerings()
    await settle()
  }

  /// Waits until the app has dealt with so many more updates than before `act`, and with all that follows from them.
  func settle(afterUpdates count: Int = 1, of act: () throws -> Void) async throws {
    let target = wire.handledCount + count
    try act()
    await wire.waitUntilHandled(target)
    await settle()
  }

  /// Waits until nothing is left to do, as far as the network lets it.
  func settle() async {
    await client.syncPurchases()
    client.flush()
    wire.pass(.dropped, .after)
  }
}
