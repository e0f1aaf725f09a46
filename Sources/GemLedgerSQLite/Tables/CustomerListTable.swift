internal import GemLedger

/// Each customer's transactions without entries and open holds, by customers.
///
/// A row that lies by its customer costs a page of the file and of the log, wherever that is. So rows lie in a small
/// table first, a few pages that nearly every commit writes, and go on to the large one together with their neighbours,
/// many rows a page. Most holds end before that. A read asks both tables.
final class CustomerListTable {
  /// How many rows the small table has at most before some go on.
  private static let limit = 4096
  /// How many of them go on at once; more where they are one customer's.
  private static let step = 512

  private let statements: StatementRunner
  /// How many rows the small table has, but for changes by other processes.
  ///
  /// Nil before they are counted.
  private var count: Int?
  /// The last customer of the previous move to the large table.
  private var last: CustomerNumber = .min

  init(_ statements: StatementRunner) { self.statements = statements }

  /// Counts again: a commit that changed the count is undone.
  func forgetCount() { count = nil }

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

  /// Lists the transactions of effects that are asked for by customers, but for those that are listed for want of
  /// entries.
  ///
  /// - Parameter areNew: Whether the transactions are written with them; a copy comes to effects long after those.
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

  /// Runs a statement that adds rows to the small table, and counts them.
  private func add<Row>(
    _ sql: StaticString, _ rows: [Row], _ bind: (SQLiteStatement, Row) -> Void
  ) throws(LedgerError) {
    let before = statements.connection.totalChangeCount
    try statements.run(sql, rows, bind)
    count? += statements.connection.totalChangeCount - before
  }

  func unlist(_ hold: TransactionNumber, of owner: CustomerNumber) throws(LedgerError) {
    try statements.run("DELETE FROM customer_lists_buffer WHERE customer = ?1 AND list = 3 AND number = ?2", [hold]) {
      $0.bind(1, owner)
      $0.bind(2, $1)
    }
    guard statements.connection.changeCount == 0 else {
      count? -= 1
      return
    }
    try statements.run("DELETE FROM customer_lists WHERE customer = ?1 AND list = 3 AND number = ?2", [hold]) {
      $0.bind(1, owner)
      $0.bind(2, $1)
    }
  }

  // MARK: Going on to the large table

  /// Moves rows of the customers that come next on to the large table, where the small one is full.
  func flushBuffer() throws(LedgerError) {
    var count = if let count { count } else { try countBuffer() }
    while count > Self.limit {
      let last = try statements.first(
        """
        SELECT customer FROM customer_lists_buffer WHERE customer > ?1 ORDER BY customer LIMIT 1 OFFSET ?2
        """,
        {
          $0.bind(1, self.last)
          $0.bind(2, Int64(Self.step) - 1)
        }, { $0.integer(0) })
      let moved = try flushBuffer(after: self.last, through: last ?? .max)
      count = moved == 0 && self.last == .min ? 0 : count - moved
      self.last = last ?? .min
    }
    self.count = count
  }

  private func flushBuffer(
    after first: CustomerNumber, through last: CustomerNumber
  ) throws(LedgerError) -> Int {
    func bind(_ statement: SQLiteStatement, _ bounds: (CustomerNumber, CustomerNumber)) {
      statement.bind(1, bounds.0)
      statement.bind(2, bounds.1)
    }
    try statements.run(
      """
      INSERT OR IGNORE INTO customer_lists SELECT * FROM customer_lists_buffer
      WHERE customer > ?1 AND customer <= ?2 ORDER BY customer, list, number
      """, [(first, last)], bind)
    try statements.run(
      "DELETE FROM customer_lists_buffer WHERE customer > ?1 AND customer <= ?2", [(first, last)], bind)
    return statements.connection.changeCount
  }

  private func countBuffer() throws(LedgerError) -> Int {
    Int(try statements.first("SELECT count(*) FROM customer_lists_buffer", { $0.integer(0) }) ?? 0)
  }
}
