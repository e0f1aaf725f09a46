public import GemLedger
package import StoreBackend
public import StoreClient

/// A shop in this process that behaves as the App Store does through StoreKit 2, and misbehaves on command.
///
/// It has store accounts with devices; a device is the `Storefront` of a client. Any number of independent stores can
/// exist at once. Time is read from a ``VirtualClock`` and randomness from a seed, so a test runs the same way every
/// time. Every control of `SKTestSession` exists here under its name.
///
/// ```swift
/// let store = try SimulatedStore(catalog: catalog, clock: clock, signer: signer)
/// let phone = store.account("alice").device("phone")
/// let result = try await phone.purchase(StorePaymentRequest(productID: "gems_1200"))
/// ```
///
/// Controls that change nothing durable return at once. Throwing controls throw `LedgerError` with the code that they
/// name or a code of the persistence. If the persistence fails, a setting is kept and written before anything else
/// happens; until then every call fails with `systemError`.
public final class SimulatedStore: StoreControls {
  let engine: StoreEngine<AppleStoreState>
  /// The settings after a reset.
  private let defaults: AppleSettings

  /// Makes a store that sells the catalog's products.
  ///
  /// With an event log it outlives the process: reopened, it continues with its state and its first seed.
  ///
  /// - Parameters:
  ///   - catalog: Its products and prices; the app's bundle id too.
  ///   - store: The store's name, which chooses the products' ids.
  ///   - session: Names the test session: store transaction ids of different sessions are different purchases.
  ///   - seed: Chooses ids and random faults.
  ///   - clock: The time.
  ///   - signer: Signs its receipts.
  ///   - eventLog: The event log that keeps its state; nil for in memory.
  /// - Throws: `LedgerError` with `invalid_identifier` if the session's name is invalid; `storage_foreign` if the
  ///   event log belongs to another store; `storage_newer`, `storage_damaged`, and errors of the event log.
  public convenience init(
    catalog: Catalog, store: Store = .apple, session: String = "simulated", seed: UInt64 = 1,
    clock: VirtualClock = VirtualClock(), signer: any ReceiptSigner, eventLog: (any EventLog)? = nil
  ) throws(LedgerError) {
    let identity = StoreIdentity(
      store: store, environment: try .localTesting(session: session),
      bundleID: catalog.settings.bundleID ?? "com.example.app", seed: seed)
    let productIndex = ProductListing(catalog.products, at: store)
    try self.init(identity, productIndex, AppleSettings(), clock, signer, eventLog)
  }

  /// Makes a store that sells the catalog's products, with the switches and the language of a `.storekit` file.
  ///
  /// A store that is in the event log already keeps its settings.
  package convenience init(
    catalog: Catalog, switches: StoreKitConfiguration.Switches, locale: String, session: String, seed: UInt64,
    clock: VirtualClock, signer: any ReceiptSigner, eventLog: (any EventLog)?
  ) throws(LedgerError) {
    let identity = StoreIdentity(
      store: .apple, environment: try .localTesting(session: session),
      bundleID: catalog.settings.bundleID ?? "com.example.app", seed: seed)
    let productIndex = ProductListing(catalog.products, at: .apple)
    try self.init(identity, productIndex, AppleSettings(switches, locale: locale), clock, signer, eventLog)
  }

  /// Makes a store that sells the products of a `.storekit` file, with its storefront, language and settings.
  ///
  /// - Throws: `LedgerError`, as with a catalog.
  public convenience init(
    storeKit: StoreKitConfiguration, bundleID: String = "com.example.app", session: String = "simulated",
    seed: UInt64 = 1, clock: VirtualClock = VirtualClock(), signer: any ReceiptSigner,
    eventLog: (any EventLog)? = nil
  ) throws(LedgerError) {
    let identity = StoreIdentity(
      store: .apple, environment: try .localTesting(session: session), bundleID: bundleID, seed: seed)
    let groups = storeKit.subscriptionGroups.map { (ByteString($0.key.text), $0.value) }
    let productIndex = ProductListing(
      storeKit.products, at: .apple, groups: Dictionary(uniqueKeysWithValues: groups))
    try self.init(identity, productIndex, AppleSettings(storeKit), clock, signer, eventLog)
  }

  private init(
    _ identity: StoreIdentity, _ productIndex: ProductListing, _ settings: AppleSettings, _ clock: VirtualClock,
    _ signer: any ReceiptSigner, _ eventLog: (any EventLog)?
  ) throws(LedgerError) {
    defaults = settings
    engine = try StoreEngine(identity, clock: clock, signer: signer, eventLog: eventLog)
    try engine.start { shop in
      shop.productIndex = productIndex
      if !shop.hasSettings { shop.change { $0 = settings } }
    }
  }

  /// The running store that the controls act on.
  public var runtime: StoreRuntime { StoreRuntime(store: engine) }

  /// The ids of the subscriptions of a group.
  package func subscriptions(inGroup group: String) -> [String] {
    engine.look { $0.productIndex.subscriptions(inGroup: group) }
  }

  /// Signs its receipts.
  package var signer: any ReceiptSigner { engine.signer }

  /// Returns the signed evidence of a transaction, without a device that could distrust it.
  package func evidence(of transaction: StoreTransaction) -> StoreEvidence { engine.evidence(transaction) }

  /// Returns a store account, which pays; it is made when it is first named.
  public func account(_ name: String) -> StoreAccount { StoreAccount(store: self, name: name) }

  /// The accounts that have transactions, by name.
  public func accounts() -> [String] {
    engine.look { shop in Set(shop.rows.values.map(\.account)).sorted() }
  }

  /// Restores the initial settings: flags, errors, faults, product states, storefront, locale, time rate.
  ///
  /// Transactions stay; ``clearTransactions()`` removes those.
  public func resetToDefaultState() throws(LedgerError) {
    let defaults = defaults
    try engine.act { shop, _ in
      shop.record(.faults([]))
      shop.change { $0 = defaults }
    }
  }
}
