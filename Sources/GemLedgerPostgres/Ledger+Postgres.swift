#if PostgreSQL
public import GemLedger

extension Ledger {
  /// Opens the ledger in a PostgreSQL database, and applies missing schema steps.
  ///
  /// - Parameters:
  ///   - url: `postgres://user@host:port/database` with other parameters of libpq, and `schema=NAME` for a schema other
  ///     than `gemledger`. Passwords can also be set with `PGPASSWORD` or a password file. On a distributed ledger,
  ///     `nodes=direct` sends groups of one lane to the node that holds the lane.
  ///   - clock: The ledger's clock.
  /// - Throws: ``LedgerError`` with, in order of precedence, `invalid_request` (the URL), `storage_unavailable`,
  ///   `storage_foreign` (no ledger there), `storage_newer`.
  public static func openPostgres(at url: String, clock: LedgerClock = .system) throws(LedgerError) -> Ledger {
    Ledger(storage: try PostgresStorage(url: url), clock: clock)
  }

  /// Creates a ledger in a schema of an existing PostgreSQL database, completely or not at all.
  ///
  /// After any error except `outcome_unknown` the call can be repeated. After `outcome_unknown` the ledger may exist:
  /// try to open it.
  ///
  /// - Parameters:
  ///   - url: As for opening; `lanes=N`, 1 to 64, sets the number of groups that may commit in parallel (default 2).
  ///   - clock: The ledger's clock.
  ///   - salt: Determines the transaction ids of this project; the same salt gives the same ids.
  /// - Throws: ``LedgerError`` with, in order of precedence, `invalid_request` (the URL), `storage_unavailable`,
  ///   `already_exists`, `outcome_unknown` (the connection was lost and could not be restored).
  public static func createPostgres(
    at url: String, clock: LedgerClock = .system, salt: UInt64 = .random(in: 0 ... .max)
  ) throws(LedgerError) -> Ledger {
    let project = ProjectRow(salt: salt, createdAt: clock.now())
    return Ledger(storage: try PostgresStorage.create(url: url, project: project), clock: clock)
  }
}
#endif
