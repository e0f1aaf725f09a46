package import GemLedger
package import SimulatedStores
package import StoreBackend
package import StoreClient
package import Synchronization

/// A simulated store, a ledger and the crediting side between them.
package struct World {
  package static let session = "test"

  package let clock = VirtualClock()
  package let receipts: UnsignedReceipts
  package let store: SimulatedStore
  package let ledger: Ledger
  package let backend: LocalBackend
  /// The crediting side as clients reach it.
  package let access: any PurchaseBackend

  /// Puts something between the clients of new worlds and their crediting side, such as a network.
  package static let connection = Mutex<(@Sendable (LocalBackend) throws(LedgerError) -> any PurchaseBackend)?>(nil)

  /// - Parameters:
  ///   - catalog: The catalog of the store.
  ///   - credited: The catalog of the crediting side, where that is another one.
  ///   - accepted: The test session of the receipts that the crediting side trusts.
  ///   - backendClock: The clock of the crediting side, where that is wrong.
  ///   - delivery: The game server.
  package init(
    seed: UInt64 = 7, catalog: Catalog? = nil, credited: Catalog? = nil,
    policy: BackendPolicy = BackendPolicy(clientSpending: .anyAmount),
    accepted: String = session, backendClock: LedgerClock? = nil, delivery: (any DeliveryTarget)? = nil
  ) throws {
    let sold = try catalog ?? SimulatedShop.catalog()
    receipts = try UnsignedReceipts(session: Self.session)
    store = try SimulatedStore(catalog: sold, session: Self.session, seed: seed, clock: clock, signer: receipts)
    ledger = Ledger.inMemory(clock: clock.ledgerClock)
    try ledger.apply(credited ?? sold)
    backend = LocalBackend(
      ledger: ledger, verifier: try UnsignedReceipts(session: accepted), policy: policy, delivery: delivery,
      clock: backendClock)
    access = try Self.connection.withLock({ $0 })?(backend) ?? backend
  }

  package var phone: StoreDevice { store.account("family").device("phone") }
  package var tablet: StoreDevice { store.account("family").device("tablet") }

  package func client(
    _ customer: String?, on device: any Storefront, eventLog: (any EventLog)? = nil,
    backend: (any PurchaseBackend)? = nil, isAutomatic: Bool = false, style: StoreClient.PurchaseStyle = .direct
  ) throws -> StoreClient {
    var configuration = StoreClient.Configuration(
      apiKey: "test_key", appUserID: customer, mode: .payment(backend ?? access), storefront: device,
      eventLog: eventLog)
    configuration.clock = clock.storeClock
    configuration.isAutomatic = isAutomatic
    configuration.purchaseStyle = style
    configuration.bundleID = "com.example.gems"
    configuration.logHandler = { _, _ in }
    return try StoreClient(configuration: configuration)
  }

  package func balance(_ customer: String) throws -> Int64 {
    do { return try ledger.balance(of: CurrencyCode("GEM"), customer: CustomerID(customer)).balance } catch {
      return 0
    }
  }
}
