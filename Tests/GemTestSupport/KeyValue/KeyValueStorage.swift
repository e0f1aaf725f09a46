package import GemLedger
internal import Synchronization

/// A storage over a file of keys and values, written as one would write it for another engine.
///
/// It knows no table and no index of the ledger's: the descriptions of rows and indexes say all. Readers have a
/// snapshot; one writer at a time changes a copy, and its commit is one record of the file.
package final class KeyValueStorage: LedgerStorage {
  private let project: ProjectRow
  /// The last committed state; nil once the storage is closed.
  private let current: Mutex<KeyValueTables?>
  /// Held by the writer.
  private let file: Mutex<KeyValueFile>

  package init(path: String, project: ProjectRow) throws(LedgerError) {
    var tables = KeyValueTables()
    let file = try KeyValueFile(path: path, into: &tables)
    self.project = project
    current = Mutex(tables)
    self.file = Mutex(file)
  }

  package func read<R>(_ body: (any StorageSnapshot) throws(LedgerError) -> R) throws(LedgerError) -> R {
    try body(KeyValueSnapshot(tables(), project))
  }

  package func commit<R>(
    lanes: [Int], _ body: (any StorageSession) throws(LedgerError) -> R
  ) throws(LedgerError) -> R {
    var result: Result<R, LedgerError>?
    file.withLock { file in
      do throws(LedgerError) {
        let session = KeyValueSession(try tables(), project)
        let answer = try body(session)
        try file.append(session.tables.changes)
        session.tables.forgetChanges()
        current.withLock { $0 = session.tables }
        result = .success(answer)
      } catch {
        result = .failure(error)
      }
    }
    guard let result else { throw .defect("The lock did not run its body") }
    return try result.get()
  }

  package func close() {
    file.withLock { file in
      current.withLock { $0 = nil }
      file.close()
    }
  }

  private func tables() throws(LedgerError) -> KeyValueTables {
    guard let tables = current.withLock({ $0 }) else {
      throw LedgerError(.storageUnavailable, "The ledger was closed.")
    }
    return tables
  }
}
