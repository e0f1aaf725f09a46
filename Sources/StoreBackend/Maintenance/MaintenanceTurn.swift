internal import GemLedger
internal import Synchronization

/// The right to maintain a ledger; one holder at a time in this process, across all runners.
struct MaintenanceTurn: ~Copyable {
  private static let taken = Mutex<Set<ObjectIdentifier>>([])

  // Retains the storage, so that no other storage gets its identity.
  private let storage: any LedgerStorage

  /// Takes the right; returns nil if another runner has it.
  init?(of ledger: Ledger) {
    let storage = ledger.storage
    guard Self.taken.withLock({ $0.insert(ObjectIdentifier(storage)).inserted }) else { return nil }
    self.storage = storage
  }

  deinit {
    let id = ObjectIdentifier(storage)
    Self.taken.withLock { _ = $0.remove(id) }
  }
}
