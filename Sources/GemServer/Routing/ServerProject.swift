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
  /// Gives the items that customers buy; nil where the ledger alone counts them.
  package let itemGranter: (any ItemGranter)?

  package init(
    id: String = "default", ledger: Ledger, backend: LocalBackend, clock: LedgerClock? = nil,
    itemGranter: (any ItemGranter)? = nil
  ) {
    self.id = id
    self.ledger = ledger
    self.backend = backend
    self.clock = clock ?? ledger.clock
    self.itemGranter = itemGranter
  }
}
#endif
