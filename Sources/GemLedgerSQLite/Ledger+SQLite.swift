public import GemLedger

extension Ledger {
  /// Opens the ledger in a SQLite file, and applies missing schema steps.
  ///
  /// - Parameters:
  ///   - path: The file; SQLite keeps a write-ahead log and an index next to it.
  ///   - clock: The ledger's clock.
  /// - Throws: ``LedgerError`` with, in order of precedence, `input_output` (also for a missing file),
  ///   `storage_foreign`, `storage_damaged`, `storage_newer`, `storage_unavailable`. An error leaves the file
  ///   unchanged: a schema step is applied completely or not at all.
  public static func openSQLite(at path: String, clock: LedgerClock = .system) throws(LedgerError) -> Ledger {
    Ledger(storage: try SQLiteStorage(path: path, now: clock.now()), clock: clock)
  }

  /// Creates a ledger in a new SQLite file.
  ///
  /// - Parameters:
  ///   - path: The file; it must not exist, or be empty.
  ///   - clock: The ledger's clock.
  ///   - salt: Determines the transaction ids of this project; the same salt gives the same ids.
  /// - Throws: ``LedgerError`` with, in order of precedence, `input_output`, `storage_foreign`, `storage_damaged`,
  ///   `storage_newer`, `already_exists`, `storage_unavailable`.
  public static func createSQLite(
    at path: String, clock: LedgerClock = .system, salt: UInt64 = .random(in: 0 ... .max)
  ) throws(LedgerError) -> Ledger {
    let project = ProjectRow(salt: salt, createdAt: clock.now())
    return Ledger(storage: try SQLiteStorage.create(path: path, project: project), clock: clock)
  }
}
