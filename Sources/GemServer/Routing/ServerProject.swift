#if Server
package import GemLedger
package import StoreBackend

/// A project that the server serves: a ledger with its crediting side.
package final class ServerProject: Sendable {
  /// The id in paths, `default` unless the catalog names one.
  package let id: String
  package let ledger: Ledger
  package let backend: LocalBackend
  package let clock: LedgerClock
  /// Makes and reads the tokens by which customers' apps spend.
  package let sessions: SessionTokens
  /// Gives the items that customers buy; nil where the ledger alone counts them.
  package let itemGranter: (any ItemGranter)?
  /// Reads the ledger's catalog.
  package let catalogs: CatalogReader
  /// The open streams of its events.
  package let streams: EventStreams
  /// The endpoints that its events go out to.
  package let webhooks: Webhooks
  /// Applies what Google Play notifies of; nil where Google cannot be asked.
  let playNotices: PlayNotices?
  /// Asks the App Store about posted evidence.
  let appStore: AppStoreReceipts
  /// What cannot be verified yet.
  package let quarantine: Quarantine
  let verifying = SoleWork()
  let sweeping = SoleWork()

  /// - Parameter sender: Sends webhooks; nil where none go out.
  package init(
    id: String = "default", ledger: Ledger, backend: LocalBackend, sessions: SessionTokens, clock: LedgerClock? = nil,
    itemGranter: (any ItemGranter)? = nil, sender: (any WebhookSender)? = nil,
    playNotices: PlayNotices? = nil, appStore: AppStoreReceipts = .none
  ) {
    self.id = id
    self.sessions = sessions
    catalogs = CatalogReader(ledger)
    self.ledger = ledger
    self.backend = backend
    self.clock = clock ?? ledger.clock
    self.itemGranter = itemGranter
    self.playNotices = playNotices
    self.appStore = appStore
    quarantine = Quarantine(ledger, clock: self.clock)
    streams = EventStreams(ledger)
    webhooks = Webhooks(ledger, projectID: id, clock: self.clock, sender: sender)
  }
}
#endif
