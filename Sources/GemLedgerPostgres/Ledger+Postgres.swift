#if PostgreSQL
public import GemLedger

extension Ledger {
  /// Opens the ledger in a PostgreSQL database; steps of the schema that it lacks are applied.
  ///
  /// - Parameters:
  ///   - url: `postgres://user@host:port/database` with any other parameter of libpq, and `schema=NAME` for another
  ///     schema than `gemledger`. Passwords may come from `PGPASSWORD` or a password file.
  ///   - clock: Where the ledger reads the time.
  /// - Throws: ``LedgerError`` with, in order of precedence, `invalid_request` (the URL), `storage_unavailable`,
  ///   `storage_foreign` (no ledger there), `storage_newer`.
  public static func openPostgres(at url: String, clock: LedgerClock = .system) throws(LedgerError) -> Ledger {
    Ledger(storage: try PostgresStorage(url: url), clock: clock)
  }

  /// Makes a ledger in a schema of an existing PostgreSQL database, all or nothing.
  ///
  /// After any error but `outcome_unknown` it can be made again. After that one it may be there: open it then.
  ///
  /// - Parameters:
  ///   - url: As for opening; `lanes=N`, 1 to 64, says how many groups may commit side by side (2 by default).
  ///   - clock: The clock that the ledger reads.
  ///   - salt: Makes the transaction ids of this project its own; the same salt gives the same ids.
  /// - Throws: ``LedgerError`` with, in order of precedence, `invalid_request` (the URL), `storage_unavailable`,
  ///   `already_exists`, `outcome_unknown` (the server was lost meanwhile and stays away).
  public static func createPostgres(
    at url: String, clock: LedgerClock = .system, salt: UInt64 = .random(in: 0 ... .max)
  ) throws(LedgerError) -> Ledger {
    let project = ProjectRow(salt: salt, createdAt: clock.now())
    return Ledger(storage: try PostgresStorage.create(url: url, project: project), clock: clock)
  }
}
#endif
