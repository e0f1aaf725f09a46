import GemLedger
import GemLedgerSQLite

#if PostgreSQL
import GemLedgerPostgres
#endif

/// Files and schemas that ledgers are copied from, copied to and imported into.
extension StorageChoice {
  /// Opens the storage of a ledger to copy.
  func openSource() throws(LedgerError) -> any LedgerStorage {
    switch self {
    case .file(let path): return try SQLiteStorage(path: path)
    #if PostgreSQL
    case .postgres(let url): return try PostgresStorage(url: url)
    #endif
    default: throw .defect("A copy from an unsupported storage was not refused")
    }
  }

  /// Opens a new file or schema for a copy, or the rest of an interrupted copy.
  func openCopy(of project: ProjectRow, source: TransactionNumber = 0) throws(LedgerError) -> any LedgerStorage {
    switch self {
    case .file(let path):
      // SQLite gives its other files the mode of this file.
      _ = try FileAccess.create(path)
      return try SQLiteStorage.openCopy(path: path, project: project, source: source)
    #if PostgreSQL
    case .postgres(let url): return try PostgresStorage.openCopy(url: url, project: project, source: source)
    #endif
    default: throw .defect("A copy to an unsupported storage was not refused")
    }
  }

  /// Opens the ledger that an export continues.
  func openImport() throws(LedgerError) -> any LedgerStorage {
    switch self {
    case .file(let path): return try SQLiteStorage.openImport(path: path)
    #if PostgreSQL
    case .postgres(let url): return try PostgresStorage.openImport(url: url)
    #endif
    default: throw .defect("An import into an unsupported storage was not refused")
    }
  }

  /// Removes a copy that never was a ledger.
  func removeCopy() throws(LedgerError) {
    switch self {
    case .file(let path): FileAccess.remove(Home.files(ofLedger: path))
    #if PostgreSQL
    case .postgres(let url): _ = try PostgresStorage.removeCopy(url: url)
    #endif
    default: break
    }
  }
}
