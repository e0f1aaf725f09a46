package import GemLedger
package import StoreBackend
package import StoreClient

/// The parameters with which a local shop is opened.
package struct ShopSetUp: Hashable, Sendable {
  /// The store that it simulates: the App Store or Google Play.
  package var store: Store
  /// The test session: equal store transaction ids of different sessions are different purchases.
  package var session: String
  /// The country in which it sells.
  package var storefront: StorefrontCode
  /// The language and region of its listings.
  package var locale: String
  /// The settings of an App-Store-like shop at its first start.
  package var switches: StoreKitConfiguration.Switches

  package init(
    store: Store = .apple, session: String, storefront: StorefrontCode = .unitedStates, locale: String = "en_US",
    switches: StoreKitConfiguration.Switches = StoreKitConfiguration.Switches()
  ) {
    self.store = store
    self.session = session
    self.storefront = storefront
    self.locale = locale
    self.switches = switches
  }

  /// The environment of its purchases.
  ///
  /// - Throws: `LedgerError` with `invalid_identifier` if the session's name is invalid.
  package var environment: StoreEnvironment {
    get throws(LedgerError) { try .localTesting(session: session) }
  }

  /// The seed for ids and random faults, derived from the session.
  var seed: UInt64 {
    var hash = StableHash()
    hash.combine(session)
    return hash.value
  }

  /// Opens the shop: a new one, or the one in the event log.
  ///
  /// - Throws: `LedgerError` as the stores' initialisers.
  package func open(
    selling catalog: Catalog, clock: VirtualClock, signer: any ReceiptSigner, eventLog: (any EventLog)?
  ) throws(LedgerError) -> any LocalShop {
    store == .google
      ? try PlayShop(self, catalog, clock: clock, signer: signer, eventLog: eventLog)
      : try AppleShop(self, catalog, clock: clock, signer: signer, eventLog: eventLog)
  }

  /// Moves the shop to the country and the language.
  func place(_ controls: some StoreControls) {
    if controls.storefront != storefront { controls.storefront = storefront }
    if controls.locale != locale { controls.locale = locale }
  }
}
