internal import Synchronization

/// Storage in memory: for tests, previews, and apps without persistence.
///
/// Nothing outlives the process. Memory grows with the history: about 300 bytes for a plain adjustment with a key. A
/// read waits at most for the group being written, which performs no I/O.
package final class MemoryStorage: LedgerStorage {
  /// Locks the tables; its value is whether the storage was closed.
  private let lock = Mutex(false)
  /// Protected by `lock`.
  private nonisolated(unsafe) let tables: MemoryTables

  package init(project: ProjectRow) { tables = MemoryTables(project: project) }

  package func read<R>(
    _ body: (any StorageSnapshot) throws(LedgerError) -> R
  ) throws(LedgerError) -> R {
    try exclusively { () throws(LedgerError) -> R in try body(tables) }
  }

  package func commit<R>(
    lanes: [Int], _ body: (any StorageSession) throws(LedgerError) -> R
  ) throws(LedgerError) -> R {
    try exclusively { () throws(LedgerError) -> R in try body(tables) }
  }

  package func close() { lock.withLock { $0 = true } }

  private func exclusively<R>(_ body: () throws(LedgerError) -> R) throws(LedgerError) -> R {
    // The result may be of any type, so a variable returns it instead of the lock's closure.
    var result: Result<R, LedgerError>?
    lock.withLock { isClosed in
      guard !isClosed else {
        result = .failure(LedgerError(.storageUnavailable, "The ledger was closed."))
        return
      }
      do throws(LedgerError) { result = .success(try body()) } catch { result = .failure(error) }
    }
    guard let result else { throw .defect("The lock did not run its body") }
    return try result.get()
  }
}
