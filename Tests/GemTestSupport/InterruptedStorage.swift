package import GemLedger
internal import Synchronization

/// A storage that fails all commits after the first few, as if its process had been killed.
package final class InterruptedStorage: LedgerStorage {
  private let storage: any LedgerStorage
  private let commitsLeft: Atomic<Int>
  private let error: LedgerError

  package init(
    _ storage: any LedgerStorage, afterCommits count: Int,
    error: LedgerError = LedgerError(.storageUnavailable, "Killed.")
  ) {
    self.storage = storage
    self.error = error
    commitsLeft = Atomic(count)
  }

  package var traits: StorageTraits { storage.traits }
  package func lanes(of commands: [LedgerCommand]) throws(LedgerError) -> [[Int]] {
    try storage.lanes(of: commands)
  }

  package func read<R>(_ body: (any StorageSnapshot) throws(LedgerError) -> R) throws(LedgerError) -> R {
    try storage.read(body)
  }

  package func commit<R>(
    lanes: [Int], _ body: (any StorageSession) throws(LedgerError) -> R
  ) throws(LedgerError) -> R {
    guard commitsLeft.subtract(1, ordering: .sequentiallyConsistent).newValue >= 0 else {
      throw error
    }
    return try storage.commit(lanes: lanes, body)
  }

  package func close() { storage.close() }
}
