/// The statements that nearly every command runs, prepared together when the first of them is needed.
final class HotStatements {
  private let connection: SQLiteConnection
  private var prepared: Prepared?

  struct Prepared {
    let begin: SQLiteStatement
    let commit: SQLiteStatement
    let customer: SQLiteStatement
    let account: SQLiteStatement
    let key: SQLiteStatement
    let addTransaction: SQLiteStatement
    let addEntry: SQLiteStatement
    let addKey: SQLiteStatement
    let addNote: SQLiteStatement
    let addAccount: SQLiteStatement
    let setAccount: SQLiteStatement
  }

  init(_ connection: SQLiteConnection) { self.connection = connection }

  func callAsFunction() throws(SQLiteFailure) -> Prepared {
    if let prepared { return prepared }
    let made = Prepared(
      begin: try connection.prepare("BEGIN IMMEDIATE"), commit: try connection.prepare("COMMIT"),
      customer: try connection.prepare(SQL.customer), account: try connection.prepare(SQL.account),
      key: try connection.prepare(SQL.key), addTransaction: try connection.prepare(SQL.addTransaction),
      addEntry: try connection.prepare(SQL.addEntry), addKey: try connection.prepare(SQL.addKey),
      addNote: try connection.prepare(SQL.addNote), addAccount: try connection.prepare(SQL.addAccount),
      setAccount: try connection.prepare(SQL.setAccount))
    prepared = made
    return made
  }
}

/// The text of the statements that nearly every command runs; the bare loop of the benchmarks runs the same.
package enum SQL {
  /// What every connection is set to: whatever is acknowledged is durable, and memory and log are bounded.
  package static let settings = """
    PRAGMA synchronous = FULL;
    PRAGMA fullfsync = ON;
    PRAGMA checkpoint_fullfsync = ON;
    PRAGMA wal_autocheckpoint = \(SQLiteConnection.checkpointPages);
    PRAGMA cache_size = -\(SQLiteConnection.cacheKibibytes);
    PRAGMA recursive_triggers = ON;
    """
  package static let customer = """
    SELECT c.customer, c.frozen FROM aliases a JOIN customers c ON c.customer = a.customer WHERE a.id = ?1
    """
  package static let account = """
    SELECT balance, debt, held, version, last_entry, pool_lot, pool_source, pool_environment, pool_granted,
      pool_remaining, open_lots, next_expiry, account FROM accounts WHERE account = ?1
    """
  package static let key = """
    SELECT asked, qualifiers, transaction_number, refusal FROM keys WHERE key = ?1 AND customer = ?2
    """
  package static let addTransaction = "INSERT INTO transactions VALUES (?1, ?2, ?3, ?4, ?5)"
  package static let addEntry = "INSERT INTO entries VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)"
  package static let addKey = "INSERT INTO keys VALUES (?1, ?2, ?3, ?4, ?5, ?6)"
  package static let addNote = "INSERT INTO notes VALUES (?1, ?2, ?3, ?4)"
  package static let addAccount = """
    INSERT INTO accounts (balance, debt, held, version, last_entry, pool_lot, pool_source, pool_environment,
      pool_granted, pool_remaining, open_lots, next_expiry, account)
    VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13)
    """
  package static let setAccount = """
    UPDATE accounts SET balance = ?1, debt = ?2, held = ?3, version = ?4, last_entry = ?5, pool_lot = ?6,
      pool_source = ?7, pool_environment = ?8, pool_granted = ?9, pool_remaining = ?10, open_lots = ?11,
      next_expiry = ?12 WHERE account = ?13
    """
  package static let lastTransaction = "SELECT number, created_at FROM transactions ORDER BY number DESC LIMIT 1"
  package static let lastEntry = "SELECT number FROM entries ORDER BY number DESC LIMIT 1"
  package static let catalogVersion = "SELECT version FROM catalog_versions ORDER BY version DESC LIMIT 1"
}
