#if Server
package import GemLedger
package import StoreBackend

/// A project of the server: a ledger with its receipt backend.
package final class ServerProject: Sendable {
  /// The id in paths; `default` unless the catalog names another id.
  package let id: String
  package let ledger: Ledger
  package let backend: LocalBackend
  package let clock: LedgerClock
  /// Creates and reads the session tokens of customers.
  package let sessions: SessionTokens
  /// Grants bought items; nil if the ledger alone counts them.
  package let itemGranter: (any ItemGranter)?
  /// Reads the ledger's catalog.
  package let catalogs: CatalogReader
  /// The open streams of the project's events.
  package let streams: EventStreams
  /// The webhooks of the project's events.
  package let webhooks: Webhooks
  /// Applies notifications of Google Play; nil without access to Google.
  let playNotices: PlayNotices?
  /// Looks up posted evidence at the App Store.
  let appStore: AppStoreReceipts
  /// The posts and notifications that cannot be verified yet.
  package let quarantine: Quarantine
  /// The proofs of the books.
  package let verifying: VerifyRuns
  let sweeping = SoleWork()

  /// - Parameter sender: Sends webhooks; nil if this server sends none.
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
    verifying = VerifyRuns(ledger, clock: self.clock)
    webhooks = Webhooks(ledger, projectID: id, clock: self.clock, sender: sender)
  }
}
#endif
