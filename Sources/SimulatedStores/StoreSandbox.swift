public import GemLedger
public import StoreBackend
public import StoreClient

/// A simulated App Store, an in-memory ledger and a crediting backend: everything that an app's store code needs in a
/// test.
///
/// ```swift
/// let sandbox = try StoreSandbox.asDefault(catalog)
/// Purchases.configure(withAPIKey: "appl_YOUR_PUBLIC_SDK_KEY")
/// ```
///
/// After these two lines the app's code runs unchanged: it configures with a key alone, buys in the simulated store,
/// and reads its balances from the ledger.
public struct StoreSandbox: Sendable {
  /// The shop and its controls: refunds, approvals, faults.
  public let store: SimulatedStore
  /// The customer's device, which is the shop that the app sees.
  public let device: StoreDevice
  /// The books.
  public let ledger: Ledger
  /// The backend that credits purchases.
  public let backend: LocalBackend
  /// The connection from the client to the backend, which fails on command.
  public let network: FaultyBackend
  /// The shared clock of shop, ledger and client.
  public let clock: VirtualClock
  /// The client's state, which outlives a client as a file does.
  public let eventLog = MemoryEventLog()

  /// Makes an independent world; any number of them can exist at once.
  ///
  /// - Parameters:
  ///   - catalog: The products, offerings, items and currencies.
  ///   - policy: The rules by which receipts are accepted or refused; clients may spend any amount in a test.
  ///   - seed: Chooses ids and random faults.
  /// - Throws: `LedgerError` with `invalid_catalog`.
  public init(_ catalog: Catalog, policy: BackendPolicy = BackendPolicy(clientSpending: .anyAmount), seed: UInt64 = 1)
    throws(LedgerError)
  {
    let receipts = try UnsignedReceipts(session: Self.session)
    clock = VirtualClock()
    store = try SimulatedStore(catalog: catalog, session: Self.session, seed: seed, clock: clock, signer: receipts)
    device = store.account("customer").device("phone")
    ledger = Ledger.inMemory(clock: clock.ledgerClock)
    try ledger.apply(catalog)
    backend = LocalBackend(ledger: ledger, verifier: receipts, policy: policy)
    network = FaultyBackend(backend, seed: seed)
  }

  /// Makes a world, and has every client that is configured with a key alone live in it.
  ///
  /// - Throws: `LedgerError` with `invalid_catalog`.
  public static func asDefault(
    _ catalog: Catalog, policy: BackendPolicy = BackendPolicy(clientSpending: .anyAmount), seed: UInt64 = 1
  ) throws(LedgerError) -> StoreSandbox {
    let sandbox = try StoreSandbox(catalog, policy: policy, seed: seed)
    StoreClient.defaults = sandbox.defaults
    return sandbox
  }

  /// The settings of a client in this world.
  public var defaults: StoreClient.Defaults {
    var defaults = StoreClient.Defaults()
    defaults.mode = .payment(network)
    defaults.storefront = device
    let eventLog = eventLog
    defaults.eventLog = { (_) throws(LedgerError) in eventLog }
    let clock = clock.storeClock
    defaults.adjust = { $0.clock = clock }
    return defaults
  }

  private static let session = "sandbox"
}
