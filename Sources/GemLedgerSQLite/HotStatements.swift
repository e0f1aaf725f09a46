/// The statements that nearly every command runs; each is prepared when it is first needed, and found by a number: a
/// look-up by text would cost as much as binding it.
final class HotStatements {
  enum Kind: Int, CaseIterable {
    case begin
    case commit
    case catalogVersion
    case lastTransaction
    case lastEntry
    case customer
    case account
    case key
    case addTransaction
    case addEntry
    case addKey
    case addNote
    case addAccount
    case setAccount
    case sums
    case setSums

    var sql: String {
      switch self {
      case .begin: "BEGIN IMMEDIATE"
      case .commit: "COMMIT"
      case .catalogVersion: SQL.catalogVersion
      case .lastTransaction: SQL.lastTransaction
      case .lastEntry: SQL.lastEntry
      case .customer: SQL.customer
      case .account: SQL.account
      case .key: SQL.key
      case .addTransaction: SQL.addTransaction
      case .addEntry: SQL.addEntry
      case .addKey: SQL.addKey
      case .addNote: SQL.addNote
      case .addAccount: SQL.addAccount
      case .setAccount: SQL.setAccount
      case .sums: SQL.sums
      case .setSums: SQL.setSums
      }
    }
  }

  private let connection: SQLiteConnection
  // One thread at a time uses a connection and what hangs on it, so this needs no checks of its own.
  @exclusivity(unchecked) private var prepared = [SQLiteStatement?](repeating: nil, count: Kind.allCases.count)

  init(_ connection: SQLiteConnection) { self.connection = connection }

  @inline(__always)
  func callAsFunction(_ kind: Kind) throws(SQLiteFailure) -> SQLiteStatement {
    if let statement = prepared[kind.rawValue] { return statement }
    return try prepare(kind)
  }

  private func prepare(_ kind: Kind) throws(SQLiteFailure) -> SQLiteStatement {
    let statement = try connection.prepare(kind.sql)
    prepared[kind.rawValue] = statement
    return statement
  }
}

/// The text of the statements that nearly every command runs; the bare loop of the benchmarks runs the same.
package enum SQL {
  /// What every connection is set to: whatever is acknowledged is durable, memory and log are bounded, and what is
  /// deleted is overwritten.
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
