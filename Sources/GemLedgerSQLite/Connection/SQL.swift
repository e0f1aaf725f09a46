/// The statements that nearly every command runs; the bare loop of the benchmarks runs them too.
package enum SQL {
  /// The number of pages after which the log is checkpointed; it bounds the log, and the time to open after a kill.
  package static let checkpointPages = 10_000
  /// The settings of every connection.
  ///
  /// An acknowledged commit is durable, memory and log are bounded, and deleted rows are overwritten.
  package static let settings = """
    PRAGMA synchronous = FULL;
    PRAGMA fullfsync = ON;
    PRAGMA checkpoint_fullfsync = ON;
    PRAGMA wal_autocheckpoint = \(checkpointPages);
    PRAGMA cache_size = -\(SQLiteConnection.cacheKibibytes);
    PRAGMA recursive_triggers = ON;
    PRAGMA secure_delete = ON;
    """
  package static let customer = """
    SELECT c.customer, c.frozen, c.merged_into, c.merged_count, c.id
    FROM aliases a JOIN customers c ON c.customer = a.customer WHERE a.id = ?1
    """
  package static let hintedCustomer = """
    SELECT customer, frozen, merged_into, merged_count, id FROM customers WHERE customer = ?1
    """
  package static let account = selectAccount("account_rows")
  package static let bufferedAccount = selectAccount("accounts_buffer")
  package static let lastAccount = "SELECT account FROM account_rows ORDER BY account DESC LIMIT 1"
  package static let lastBufferedAccount = "SELECT account FROM accounts_buffer ORDER BY account DESC LIMIT 1"

  private static func selectAccount(_ table: String) -> String {
    """
    SELECT balance, debt, held, version, last_entry, pool_lot, pool_source, pool_environment, pool_granted,
      pool_remaining, open_lots, next_expiry, account, next_scheduled_at FROM \(table) WHERE account = ?1
    """
  }
  package static let key = """
    SELECT request_digest, qualifier_digest, transaction_number, refusal FROM keys WHERE key = ?1 AND customer = ?2
    """
  package static let lastKey = "SELECT key FROM keys ORDER BY key DESC LIMIT 1"
  package static let addTransaction = """
    INSERT INTO transaction_rows (number, kind, customer, created_at, first_entry, digest, erasable_digest)
    VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)
    """
  package static let addEntry = "INSERT INTO entry_rows VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)"
  package static let addPlainTransaction = """
    INSERT INTO plain_transactions VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)
    """
  package static let addKey = "INSERT INTO keys VALUES (?1, ?2, ?3, ?4, ?5, ?6)"
  package static let addNote = "INSERT INTO notes VALUES (?1, ?2, ?3, ?4)"
  package static let accountsBuffer = RowBuffer.Text(
    count: "SELECT count(*) FROM accounts_buffer",
    end: "SELECT account FROM accounts_buffer WHERE account > ?1 ORDER BY account LIMIT 1 OFFSET ?2",
    move: """
      INSERT OR REPLACE INTO account_rows SELECT * FROM accounts_buffer
      WHERE account > ?1 AND account <= ?2 ORDER BY account
      """,
    remove: "DELETE FROM accounts_buffer WHERE account > ?1 AND account <= ?2")
  package static let addAccount = insertAccount("INSERT INTO account_rows")
  package static let bufferAccount = insertAccount("INSERT OR REPLACE INTO accounts_buffer")

  private static func insertAccount(_ verb: String) -> String {
    """
    \(verb) (balance, debt, held, version, last_entry, pool_lot, pool_source, pool_environment, pool_granted,
      pool_remaining, open_lots, next_expiry, account, next_scheduled_at)
    VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14)
    """
  }
  package static let setAccount = """
    UPDATE account_rows SET balance = ?1, debt = ?2, held = ?3, version = ?4, last_entry = ?5, pool_lot = ?6,
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
  package static let lastTransaction = "SELECT number, created_at FROM transaction_rows ORDER BY number DESC LIMIT 1"
  package static let lastPlainTransaction = """
    SELECT number, created_at FROM plain_transactions ORDER BY number DESC LIMIT 1
    """
  package static let lastEntry = "SELECT number FROM entry_rows ORDER BY number DESC LIMIT 1"
  package static let lastRun = """
    SELECT transaction_number, first_entry, \(isPlain) FROM entry_runs r ORDER BY transaction_number DESC LIMIT 1
    """
  package static let runOfTransaction = """
    SELECT transaction_number, first_entry, \(nextRun) FROM entry_runs r
    WHERE transaction_number <= ?1 AND \(isPlain) ORDER BY transaction_number DESC LIMIT 1
    """
  static let runOfEntry = """
    SELECT transaction_number, first_entry, \(nextRun) FROM entry_runs r
    WHERE first_entry <= ?1 AND \(isPlain)
      AND +transaction_number <= (SELECT max(number) FROM plain_transactions)
    ORDER BY first_entry DESC LIMIT 1
    """

  private static let nextRun = """
    (SELECT min(transaction_number) FROM entry_runs n WHERE n.transaction_number > r.transaction_number
      AND NOT EXISTS (SELECT 1 FROM transaction_rows t WHERE t.number = n.transaction_number)),
    (SELECT min(first_entry) FROM entry_runs n WHERE n.first_entry > r.first_entry
      AND NOT EXISTS (SELECT 1 FROM transaction_rows t WHERE t.number = n.transaction_number))
    """
  // A run of another transaction is damage, and holds for none.
  private static let isPlain = """
    +r.transaction_number > 0 AND NOT EXISTS (SELECT 1 FROM transaction_rows t WHERE t.number = r.transaction_number)
    """
  package static let catalogVersion = "SELECT version FROM catalog_versions ORDER BY version DESC LIMIT 1"

  /// The number of rows in a statement that inserts many.
  static let rowsPerInsertion = 16

  /// Returns the insertion of many rows.
  ///
  /// If it fails, it leaves the rows before the one that fails, and the transaction has to be rolled back. To remove
  /// them, SQLite would copy each page before it changes it, and more than 64 KiB of them into a temporary file.
  ///
  /// - Parameter text: The insertion of one row, which ends with the list of its values and parameters.
  static func inserting(manyRowsLike text: String) -> String {
    guard let start = text.firstRange(of: "VALUES (") else { return text }
    let parts = text[start.upperBound...].dropLast().split(separator: "?", omittingEmptySubsequences: false)
    let parameters = parts.dropFirst().map { part in
      let number = part.prefix { $0.isNumber }
      return (number: Int(number) ?? 0, rest: part[number.endIndex...])
    }
    let width = parameters.map(\.number).max() ?? 0
    let rows = (0..<rowsPerInsertion).map { row in
      "(" + parts[0] + parameters.map { "?\(row * width + $0.number)\($0.rest)" }.joined() + ")"
    }
    let beginning = text[..<start.lowerBound].replacing("INSERT INTO", with: "INSERT OR FAIL INTO", maxReplacements: 1)
    return beginning + "VALUES " + rows.joined(separator: ", ")
  }
}
