public import GemLedger
internal import StoreBackend
public import StoreClient

/// A shop in this process that behaves as Google Play does, and misbehaves on command.
///
/// A purchase is identified by its token, and may have no order id. The store refunds a purchase unless the app
/// acknowledges or consumes it within three days of payment. An account cannot buy a product that it owns again; a
/// consumable has to be consumed first. Payments can be pending. Refunds are by units. Devices are not notified of any
/// of this: they query, and the backend receives notices.
///
/// ```swift
/// let store = try SimulatedPlayStore(catalog: catalog, clock: clock, signer: signer)
/// let phone = store.account("alice").device("pixel")
/// let purchase = try await phone.launchBillingFlow(productID: "gems_1200")
/// try await phone.consume(purchase.purchaseToken)
/// ```
public final class SimulatedPlayStore: StoreControls {
  let engine: StoreEngine<PlayStoreState>

  /// Makes a store that sells the catalog's products under their ids at `google`.
  ///
  /// With an event log it outlives the process: reopened, it continues with its state and its first seed.
  ///
  /// - Throws: `LedgerError` with `invalid_identifier` if the session's name is invalid; `storage_foreign` if the
  ///   event log belongs to another store; `storage_newer`, `storage_damaged`, and errors of the event log.
  public init(
    catalog: Catalog, session: String = "simulated", seed: UInt64 = 1, clock: VirtualClock = VirtualClock(),
    signer: any ReceiptSigner, eventLog: (any EventLog)? = nil
  ) throws(LedgerError) {
    let identity = StoreIdentity(
      store: .google, environment: try .localTesting(session: session),
      bundleID: catalog.settings.bundleID ?? "com.example.app", seed: seed)
    engine = try StoreEngine(identity, clock: clock, signer: signer, eventLog: eventLog)
    try engine.start { $0.productIndex = ProductListing(catalog.products, at: .google) }
  }

  /// The running store that the controls act on.
  public var runtime: StoreRuntime { StoreRuntime(store: engine) }

  /// Returns a store account, which pays; it is made when it is first named.
  public func account(_ name: String) -> PlayAccount { PlayAccount(store: self, name: name) }
}

/// A Google account, which pays on any number of devices.
public struct PlayAccount: Sendable {
  /// The store.
  public let store: SimulatedPlayStore
  /// Its name.
  public let name: String

  /// A device that is signed in to the account; made when it is first named.
  public func device(_ name: String) -> PlayDevice { PlayDevice(account: self, name: name) }
}
