internal import GemLedger

/// Each customer's open holds and transactions without entries.
///
/// A row that is stored by customer costs a page of the file and of the log, at a random place. So rows are first added
/// to a small table, whose few pages nearly every commit writes. Later they move to the large table together with their
/// neighbours, many rows per page. Most holds end before that. A read queries both tables.
final class CustomerListTable {
  /// The size of the small table from which rows are moved to the large one.
  private static let limit = 4096
  /// The number of rows moved at once; more if they belong to one customer.
  private static let step = 512

  private let statements: StatementRunner
  /// The number of rows in the small table, without changes by other processes.
  ///
  /// Nil before they are counted.
  private var count: Int?
  /// The last customer of the previous move to the large table.
  private var last: CustomerNumber = .min

  init(_ statements: StatementRunner) { self.statements = statements }

  /// Forces a new count: a commit that changed the count was rolled back.
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

  /// Runs a statement that adds rows to the small table, and updates the count.
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

  // MARK: Moving to the large table

  /// Moves rows of the next customers to the large table, if the small one is full.
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
