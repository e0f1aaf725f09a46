/// The statements that nearly every command runs; the bare loop of the benchmarks runs the same statements.
package enum SQL {
  /// The settings of every connection.
  ///
  /// An acknowledged commit is durable, memory and log are bounded, and deleted rows are overwritten.
  package static let settings = """
    PRAGMA synchronous = FULL;
    PRAGMA fullfsync = ON;
    PRAGMA checkpoint_fullfsync = ON;
    PRAGMA wal_autocheckpoint = \(SQLiteConnection.checkpointPages);
    PRAGMA cache_size = -\(SQLiteConnection.cacheKibibytes);
    PRAGMA recursive_triggers = ON;
    PRAGMA secure_delete = ON;
    """
  package static let customer = """
    SELECT c.customer, c.frozen, c.merged_into, c.merged_count
    FROM aliases a JOIN customers c ON c.customer = a.customer WHERE a.id = ?1
    """
  package static let account = """
    SELECT balance, debt, held, version, last_entry, pool_lot, pool_source, pool_environment, pool_granted,
      pool_remaining, open_lots, next_expiry, account, next_scheduled_at FROM accounts WHERE account = ?1
    """
  package static let key = """
    SELECT request_digest, qualifier_digest, transaction_number, refusal FROM keys WHERE key = ?1 AND customer = ?2
    """
  package static let addTransaction = """
    INSERT INTO transactions (number, kind, customer, created_at, first_entry, digest, erasable_digest)
    VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)
    """
  package static let addEntry = "INSERT INTO entries VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)"
  package static let addKey = "INSERT INTO keys VALUES (?1, ?2, ?3, ?4, ?5, ?6)"
  package static let addNote = "INSERT INTO notes VALUES (?1, ?2, ?3, ?4)"
  package static let addAccount = """
    INSERT INTO accounts (balance, debt, held, version, last_entry, pool_lot, pool_source, pool_environment,
      pool_granted, pool_remaining, open_lots, next_expiry, account, next_scheduled_at)
    VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14)
    """
  package static let setAccount = """
    UPDATE accounts SET balance = ?1, debt = ?2, held = ?3, version = ?4, last_entry = ?5, pool_lot = ?6,
      pool_source = ?7, pool_environment = ?8, pool_granted = ?9, pool_remaining = ?10, open_lots = ?11,
      next_expiry = ?12, next_scheduled_at = ?14 WHERE account = ?13
    """
  package static let sums = """
    SELECT transactions, customers, added_ids, account_tokens, orders, environments, catalog_versions, catalog
    FROM record_sums WHERE one = 1
    """
  package static let setSums = """
    UPDATE record_sums SET transactions = ?1, customers = ?2, added_ids = ?3, account_tokens = ?4, orders = ?5,
      environments = ?6, catalog_versions = ?7, catalog = ?8 WHERE one = 1
    """
  package static let lastTransaction = "SELECT number, created_at FROM transactions ORDER BY number DESC LIMIT 1"
  package static let lastEntry = "SELECT number FROM entries ORDER BY number DESC LIMIT 1"
  package static let catalogVersion = "SELECT version FROM catalog_versions ORDER BY version DESC LIMIT 1"
}
