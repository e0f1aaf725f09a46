internal import Foundation
package import GemLedger
internal import Synchronization

/// A storage over a file of keys and values, written as one would write it for another engine.
///
/// It knows no table and no index of the ledger's: the descriptions of rows and indexes say all. Readers have a
/// snapshot; one writer at a time changes a copy, and its commit is one record of the file.
package final class KeyValueStorage: LedgerStorage {
  /// The last committed state; nil once the storage is closed.
  private let current: Mutex<KeyValueTables?>
  /// Held by the writer.
  private let writing = NSLock()
  /// Protected by `writing`.
  private nonisolated(unsafe) let file: KeyValueFile

  /// Opens the ledger at the path, or makes it where there is none.
  package convenience init(path: String, project: ProjectRow) throws(LedgerError) {
    try self.init(path) { (session) throws(LedgerError) in
      guard session.last(CopyProgress.self) == nil else {
        throw LedgerError(.storageUnavailable, "\(path) holds a copy that is not complete.")
      }
      if session.last(ProjectRow.self) == nil { session.put(project) }
    }
  }

  /// Opens a copy that is to be made, or to be gone on with.
  package static func openCopy(
    path: String, project: ProjectRow, source: TransactionNumber
  ) throws(LedgerError) -> KeyValueStorage {
    try KeyValueStorage(path) { (session) throws(LedgerError) in
      guard let known = session.last(ProjectRow.self) else {
        session.put(project)
        return session.put(CopyProgress(source: source))
      }
      guard known == project, session.last(CopyProgress.self) != nil else {
        throw LedgerError(.alreadyExists, "There is a ledger at \(path) already.")
      }
    }
  }

  /// Opens a ledger that an export is to be imported into.
  package static func openImport(path: String) throws(LedgerError) -> KeyValueStorage {
    try KeyValueStorage(path) { _ in }
  }

  private init(_ path: String, begin: (KeyValueSession) throws(LedgerError) -> Void) throws(LedgerError) {
    var tables = KeyValueTables()
    file = try KeyValueFile(path: path, into: &tables)
    let session = KeyValueSession(tables)
    try begin(session)
    current = Mutex(try file.append(session.tables))
  }

  package func read<R>(_ body: (any StorageSnapshot) throws(LedgerError) -> R) throws(LedgerError) -> R {
    try body(KeyValueSnapshot(tables()))
  }

  package func commit<R>(
    lanes: [Int], _ body: (any StorageSession) throws(LedgerError) -> R
  ) throws(LedgerError) -> R {
    writing.lock()
    defer { writing.unlock() }
    let session = KeyValueSession(try tables())
    let answer = try body(session)
    let committed = try file.append(session.tables)
    current.withLock { $0 = committed }
    return answer
  }

  package func close() {
    writing.lock()
    defer { writing.unlock() }
    current.withLock { $0 = nil }
    file.close()
  }

  private func tables() throws(LedgerError) -> KeyValueTables {
    guard let tables = current.withLock({ $0 }) else {
      throw LedgerError(.storageUnavailable, "The ledger was closed.")
    }
    return tables
  }
}
