package import GemLedger
internal import Synchronization

/// A storage in memory that stays open when its ledger is closed, so that a test can open it again.
package final class KeptStorage: LedgerStorage {
  package let storage: any LedgerStorage

  package init(_ storage: any LedgerStorage) { self.storage = storage }

  package var traits: StorageTraits { storage.traits }

  package func read<R>(_ body: (any StorageSnapshot) throws(LedgerError) -> R) throws(LedgerError) -> R {
    try storage.read(body)
  }

  package func commit<R>(
    lanes: [Int], _ body: (any StorageSession) throws(LedgerError) -> R
  ) throws(LedgerError) -> R {
    try storage.commit(lanes: lanes, body)
  }

  package func close() {}
}

/// Storages in memory by their names.
package final class KeptStorages: Sendable {
  private let storages = Mutex<[String: KeptStorage]>([:])

  package init() {}

  /// The storage of that name, made where there is none.
  package func storage(_ name: String, _ project: ProjectRow) -> KeptStorage {
    storages.withLock { storages in
      let storage = storages[name] ?? KeptStorage(MemoryStorage(project: project))
      storages[name] = storage
      return storage
    }
  }

  /// A ledger over the storage of that name.
  package func ledger(_ name: String, _ clock: LedgerClock) -> Ledger {
    Ledger(storage: storage(name, ProjectRow(salt: 7, createdAt: clock.now())), clock: clock)
  }
}
