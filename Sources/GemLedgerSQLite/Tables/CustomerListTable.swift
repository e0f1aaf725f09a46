internal import GemLedger

/// Each customer's open holds and transactions without entries; most holds end before their rows leave the buffer.
struct CustomerListTable {
  private let statements: StatementRunner
  let buffer: RowBuffer

  init(_ statements: StatementRunner, sizes: TableSizes) {
    self.statements = statements
    buffer = RowBuffer(statements, Self.text, sizes: sizes)
  }

  private static let text = RowBuffer.Text(
    count: "SELECT count(*) FROM customer_lists_buffer",
    end: "SELECT customer FROM customer_lists_buffer WHERE customer > ?1 ORDER BY customer LIMIT 1 OFFSET ?2",
    move: """
      INSERT OR IGNORE INTO customer_lists SELECT * FROM customer_lists_buffer
      WHERE customer > ?1 AND customer <= ?2 ORDER BY customer, list, number
      """,
    remove: "DELETE FROM customer_lists_buffer WHERE customer > ?1 AND customer <= ?2")

  func transactionsWithoutEntries(
    of customer: CustomerNumber, below: TransactionNumber, limit: Int, in journal: JournalTable
  ) throws(LedgerError) -> [TransactionRow] {
    let numbers = try statements.all(
      """
      SELECT number FROM customer_lists WHERE customer = ?1 AND list = 1 AND number < ?2
      UNION ALL
      SELECT number FROM customer_lists_buffer WHERE customer = ?1 AND list = 1 AND number < ?2
      ORDER BY number DESC LIMIT ?3
      """,
      {
        $0.bind(1, customer)
        $0.bind(2, below)
        $0.bind(3, Int64(limit))
      }, { (row) throws(SQLiteFailure) in try row.transaction(0) })
    return try journal.transactions(numbers.map { IndexKey($0) }).reversed()
  }

  /// - Parameter keys: The customers and their transactions.
  func transactionsWithoutEntries(
    _ keys: [IndexKey], in journal: JournalTable
  ) throws(LedgerError) -> [TransactionRow] {
    var listed: [IndexKey] = []
    for key in keys {
      let isListed = try statements.first(
        """
        SELECT 1 FROM customer_lists WHERE customer = ?1 AND list = 1 AND number = ?2
        UNION ALL SELECT 1 FROM customer_lists_buffer WHERE customer = ?1 AND list = 1 AND number = ?2
        """,
        {
          $0.bind(1, key.first)
          $0.bind(2, key.second)
        }, { _ in true })
      if isListed != nil { listed.append(IndexKey(key.second)) }
    }
    return try journal.transactions(listed)
  }

  // MARK: Writing

  func list(_ transactions: [TransactionRow]) throws(LedgerError) {
    try add("INSERT INTO customer_lists_buffer VALUES (?1, 1, ?2)", transactions) {
      $0.bind(1, $1.customer)
      $0.bind(2, $1.number)
    }
  }

  /// Adds the transactions of effects that are looked up by customer.
  ///
  /// It omits those that are listed already because they have no entries.
  ///
  /// - Parameter areNew: Whether the transactions are written in the same commit; a copy writes effects much later.
  func list(
    _ events: [JournalEventRow], but listed: [TransactionNumber: CustomerNumber], areNew: Bool
  ) throws(LedgerError) {
    let missing = events.filter { $0.kind.isAskedByCustomer && listed[$0.transaction] != $0.customer }
    guard areNew else { return try listLater(missing) }
    try add("INSERT OR IGNORE INTO customer_lists_buffer VALUES (?1, 2, ?2)", missing) {
      $0.bind(1, $1.customer)
      $0.bind(2, $1.transaction)
    }
  }

  private func listLater(_ events: [JournalEventRow]) throws(LedgerError) {
    try add(
      """
      INSERT OR IGNORE INTO customer_lists_buffer SELECT ?1, 2, ?2
      WHERE NOT EXISTS (
          SELECT 1 FROM customer_lists WHERE customer = ?1 AND list IN (1, 2) AND number = ?2)
        AND NOT EXISTS (
          SELECT 1 FROM customer_lists_buffer WHERE customer = ?1 AND list IN (1, 2) AND number = ?2)
      """, events
    ) {
      $0.bind(1, $1.customer)
      $0.bind(2, $1.transaction)
    }
  }

  func add(holds: [HoldRow]) throws(LedgerError) {
    try add("INSERT INTO customer_lists_buffer VALUES (?1, 3, ?2)", holds) {
      $0.bind(1, $1.customer)
      $0.bind(2, $1.number)
    }
  }

  /// Runs a statement that adds rows to the buffer.
  private func add<Row>(
    _ sql: StaticString, _ rows: [Row], _ bind: (SQLiteStatement, Row) -> Void
  ) throws(LedgerError) {
    try statements.run(sql, rows, bind)
    buffer.add(rows.count)
  }

  func unlist(_ hold: TransactionNumber, of owner: CustomerNumber) throws(LedgerError) {
    try statements.run("DELETE FROM customer_lists_buffer WHERE customer = ?1 AND list = 3 AND number = ?2", [hold]) {
      $0.bind(1, owner)
      $0.bind(2, $1)
    }
    guard statements.connection.changeCount == 0 else { return }
    try statements.run("DELETE FROM customer_lists WHERE customer = ?1 AND list = 3 AND number = ?2", [hold]) {
      $0.bind(1, owner)
      $0.bind(2, $1)
    }
  }
}
