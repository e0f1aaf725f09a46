internal import GemLedger

/// What is found by customers: which transactions and open holds are theirs.
///
/// A row that lies by its customer costs a page of the file and of the log, wherever that is. So rows lie in a small
/// table first, a few pages that nearly every commit writes, and go on to the large one together with their neighbours,
/// many rows a page. Most holds end before that. Whoever reads asks both tables.
struct NewlyListed {
  /// How many rows the small table has at most before some go on.
  static let limit = 4096
  /// How many of them go on at once; more where they are one customer's.
  static let step = 512

  /// How many rows it has, but for what other processes did to it.
  ///
  /// Nil before they are counted.
  var count: Int?
  /// The customer whose rows went on last.
  var last: CustomerNumber = .min
}

extension SQLiteTables {
  // MARK: Reading

  func transactionsWithoutEntries(
    of customer: CustomerNumber, below: TransactionNumber, limit: Int
  ) throws(LedgerError) -> [TransactionNumber] {
    try all(
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
  }

  func holds(of customer: CustomerNumber) throws(LedgerError) -> [HoldRow] {
    try all(
      """
      SELECT h.* FROM customer_lists t CROSS JOIN open_holds h ON h.hold = t.number
      WHERE t.customer = ?1 AND t.list = 3
      UNION ALL
      SELECT h.* FROM customer_lists_buffer t CROSS JOIN open_holds h ON h.hold = t.number
      WHERE t.customer = ?1 AND t.list = 3
      ORDER BY deadline, hold
      """, { $0.bind(1, customer) }, Self.hold)
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
    _ effects: [EffectRow], but listed: [TransactionNumber: CustomerNumber], areNew: Bool
  ) throws(LedgerError) {
    let missing = effects.filter { $0.kind.isAskedByCustomer && listed[$0.transaction] != $0.customer }
    guard areNew else { return try listLater(missing) }
    try add("INSERT OR IGNORE INTO customer_lists_buffer VALUES (?1, 2, ?2)", missing) {
      $0.bind(1, $1.customer)
      $0.bind(2, $1.transaction)
    }
  }

  private func listLater(_ effects: [EffectRow]) throws(LedgerError) {
    try add(
      """
      INSERT OR IGNORE INTO customer_lists_buffer SELECT ?1, 2, ?2
      WHERE NOT EXISTS (
          SELECT 1 FROM customer_lists WHERE customer = ?1 AND list IN (1, 2) AND number = ?2)
        AND NOT EXISTS (
          SELECT 1 FROM customer_lists_buffer WHERE customer = ?1 AND list IN (1, 2) AND number = ?2)
      """, effects
    ) {
      $0.bind(1, $1.customer)
      $0.bind(2, $1.transaction)
    }
  }

  /// Lists holds under whom they are of, before they are written.
  ///
  /// - Parameter new: Has the numbers of those that begin now.
  func list(_ holds: [HoldRow], new: [TransactionNumber: CustomerNumber]) throws(LedgerError) {
    var moved: [HoldRow] = []
    for hold in holds where new[hold.number] == nil {
      let known = try self.hold(hold.number, ofAny: [])
      guard known?.customer != hold.customer else { continue }
      if let known { try unlist(known.number, of: known.customer) }
      moved.append(hold)
    }
    try add(
      "INSERT INTO customer_lists_buffer VALUES (?1, 3, ?2)", holds.filter { new[$0.number] != nil } + moved
    ) {
      $0.bind(1, $1.customer)
      $0.bind(2, $1.number)
    }
  }

  /// Runs a statement that adds rows to the small table, and counts them.
  private func add<Row>(
    _ sql: StaticString, _ rows: [Row], _ bind: (SQLiteStatement, Row) -> Void
  ) throws(LedgerError) {
    let before = connection.totalChangeCount
    try run(sql, rows, bind)
    newlyListed.count? += connection.totalChangeCount - before
  }

  func unlist(_ hold: TransactionNumber, of owner: CustomerNumber) throws(LedgerError) {
    try run("DELETE FROM customer_lists_buffer WHERE customer = ?1 AND list = 3 AND number = ?2", [hold]) {
      $0.bind(1, owner)
      $0.bind(2, $1)
    }
    guard connection.changeCount == 0 else {
      newlyListed.count? -= 1
      return
    }
    try run("DELETE FROM customer_lists WHERE customer = ?1 AND list = 3 AND number = ?2", [hold]) {
      $0.bind(1, owner)
      $0.bind(2, $1)
    }
  }

  // MARK: Going on to the large table

  /// Moves rows of the customers that come next on to the large table, where the small one is full.
  func moveNewlyListed() throws(LedgerError) {
    var count = newlyListed.count ?? 0
    if newlyListed.count == nil { count = try countNewlyListed() }
    while count > NewlyListed.limit {
      let last = try first(
        """
        SELECT customer FROM customer_lists_buffer WHERE customer > ?1 ORDER BY customer LIMIT 1 OFFSET ?2
        """,
        {
          $0.bind(1, newlyListed.last)
          $0.bind(2, Int64(NewlyListed.step) - 1)
        }, { $0.integer(0) })
      let moved = try moveNewlyListed(after: newlyListed.last, through: last ?? .max)
      count = moved == 0 && newlyListed.last == .min ? 0 : count - moved
      newlyListed.last = last ?? .min
    }
    newlyListed.count = count
  }

  private func moveNewlyListed(
    after first: CustomerNumber, through last: CustomerNumber
  ) throws(LedgerError) -> Int {
    func bind(_ statement: SQLiteStatement, _ bounds: (CustomerNumber, CustomerNumber)) {
      statement.bind(1, bounds.0)
      statement.bind(2, bounds.1)
    }
    try run(
      """
      INSERT OR IGNORE INTO customer_lists SELECT * FROM customer_lists_buffer
      WHERE customer > ?1 AND customer <= ?2 ORDER BY customer, list, number
      """, [(first, last)], bind)
    try run(
      "DELETE FROM customer_lists_buffer WHERE customer > ?1 AND customer <= ?2", [(first, last)], bind)
    return connection.changeCount
  }

  private func countNewlyListed() throws(LedgerError) -> Int {
    Int(try first("SELECT count(*) FROM customer_lists_buffer", { $0.integer(0) }) ?? 0)
  }
}
