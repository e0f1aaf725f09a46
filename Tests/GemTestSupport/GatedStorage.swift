internal import Dispatch
package import GemLedger
internal import Synchronization

/// A storage that stops in mid-commit, after the rules and before the commit, until a test lets it go on.
package final class GatedStorage: LedgerStorage {
  private let storage: any LedgerStorage
  private let isArmed = Atomic(false)
  private let isArmedAtEntry = Atomic(false)
  private let entered = DispatchSemaphore(value: 0)
  private let opened = DispatchSemaphore(value: 0)

  package init(_ storage: any LedgerStorage) { self.storage = storage }

  /// The next commit stops.
  package func arm() { isArmed.store(true, ordering: .sequentiallyConsistent) }
  /// The next commit stops before it has hold of the storage, as behind another writer.
  package func armEntry() { isArmedAtEntry.store(true, ordering: .sequentiallyConsistent) }
  /// Waits until a commit has stopped.
  package func waitUntilEntered() { entered.wait() }
  /// Lets the stopped commit go on.
  package func open() { opened.signal() }

  package var traits: StorageTraits { storage.traits }
  package func knownLanes(of command: LedgerCommand) -> [Int]? { storage.knownLanes(of: command) }
  package func lanes(of commands: [LedgerCommand]) throws(LedgerError) -> [[Int]] {
    try storage.lanes(of: commands)
  }

  package func read<R>(_ body: (any StorageSnapshot) throws(LedgerError) -> R) throws(LedgerError) -> R {
    try storage.read(body)
  }

  package func commit<R>(
    lanes: [Int], _ body: (any StorageSession) throws(LedgerError) -> R
  ) throws(LedgerError) -> R {
    stop(isArmedAtEntry)
    return try storage.commit(lanes: lanes) { (session) throws(LedgerError) -> R in
      let answer = try body(session)
      stop(isArmed)
      return answer
    }
  }

  private func stop(_ isArmed: borrowing Atomic<Bool>) {
    guard isArmed.exchange(false, ordering: .sequentiallyConsistent) else { return }
    entered.signal()
    opened.wait()
  }

  package func close() { storage.close() }
}
