public import GemLedger

extension Ledger {
  /// Opens the ledger in a SQLite file; steps of the schema that the file lacks are applied.
  ///
  /// - Parameters:
  ///   - path: The file; SQLite keeps a write-ahead log and an index beside it, named after it.
  ///   - clock: Where the ledger reads the time.
  /// - Throws: ``LedgerError`` with, in order of precedence, `input_output` (no such file too), `storage_foreign`,
  ///   `storage_damaged`, `storage_newer`, `storage_unavailable`. None of them leaves anything written to the file:
  ///   a step of the schema is applied all or nothing.
  public static func openSQLite(at path: String, clock: LedgerClock = .system) throws(LedgerError) -> Ledger {
    Ledger(storage: try SQLiteStorage(path: path, now: clock.now()), clock: clock)
  }

  /// Makes a ledger in a new SQLite file.
  ///
  /// - Parameters:
  ///   - path: The file; it must not exist, or be empty.
  ///   - clock: The clock that the ledger reads.
  ///   - salt: Makes the transaction ids of this project its own; the same salt gives the same ids.
  /// - Throws: ``LedgerError`` with, in order of precedence, `input_output`, `storage_foreign`, `storage_damaged`,
  ///   `storage_newer`, `already_exists`, `storage_unavailable`.
  public static func createSQLite(
    at path: String, clock: LedgerClock = .system, salt: UInt64 = .random(in: 0 ... .max)
  ) throws(LedgerError) -> Ledger {
    let project = ProjectRow(salt: salt, createdAt: clock.now())
    return Ledger(storage: try SQLiteStorage.create(path: path, project: project), clock: clock)
  }
}
