internal import GemLedger

/// Everything that transactions did beside their entries.
struct JournalEventTable {
  let statements: StatementRunner

  func events(of transaction: TransactionNumber) throws(LedgerError) -> [JournalEventRow] {
    try statements.all(
      "SELECT * FROM journal_events WHERE transaction_number = ?1 ORDER BY position", { $0.bind(1, transaction) },
      Self.event)
  }

  func events(about target: TransactionNumber) throws(LedgerError) -> [JournalEventRow] {
    // A transaction's effects on itself come before the effects of others on it, and are not in that index.
    let own = try statements.all(
      "SELECT * FROM journal_events WHERE transaction_number = ?1 AND target = ?1 ORDER BY position",
      { $0.bind(1, target) }, Self.event)
    return try own
      + statements.all(
        """
        SELECT * FROM journal_events WHERE target = ?1 AND target <> 0 AND target <> transaction_number
        ORDER BY transaction_number, position
        """, { $0.bind(1, target) }, Self.event)
  }

  func events(
    of customer: CustomerNumber, below: TransactionNumber, limit: Int
  ) throws(LedgerError) -> [JournalEventRow] {
    let found = try statements.all(
      """
      SELECT * FROM (
        SELECT e.* FROM customer_lists t CROSS JOIN journal_events e ON e.transaction_number = t.number
        WHERE t.customer = ?1 AND t.list = 1 AND t.number < ?2 AND e.customer = ?1 AND e.kind BETWEEN 3 AND 6
        ORDER BY t.number DESC, e.position DESC LIMIT ?3)
      UNION ALL
      SELECT * FROM (
        SELECT e.* FROM customer_lists t CROSS JOIN journal_events e ON e.transaction_number = t.number
        WHERE t.customer = ?1 AND t.list = 2 AND t.number < ?2 AND e.customer = ?1 AND e.kind BETWEEN 3 AND 6
        ORDER BY t.number DESC, e.position DESC LIMIT ?3)
      UNION ALL
      SELECT * FROM (
        SELECT e.* FROM customer_lists_buffer t CROSS JOIN journal_events e ON e.transaction_number = t.number
        WHERE t.customer = ?1 AND t.list = 1 AND t.number < ?2 AND e.customer = ?1 AND e.kind BETWEEN 3 AND 6
        ORDER BY t.number DESC, e.position DESC LIMIT ?3)
      UNION ALL
      SELECT * FROM (
        SELECT e.* FROM customer_lists_buffer t CROSS JOIN journal_events e ON e.transaction_number = t.number
        WHERE t.customer = ?1 AND t.list = 2 AND t.number < ?2 AND e.customer = ?1 AND e.kind BETWEEN 3 AND 6
        ORDER BY t.number DESC, e.position DESC LIMIT ?3)
      ORDER BY transaction_number DESC, position DESC LIMIT ?3
      """,
      {
        $0.bind(1, customer)
        $0.bind(2, below)
        $0.bind(3, Int64(limit))
      }, Self.event)
    guard found.count >= limit, let last = found.last else { return found }
    // The last transaction is given whole.
    return try found
      + statements.all(
        """
        SELECT * FROM journal_events
        WHERE transaction_number = ?2 AND position < ?3 AND customer = ?1 AND kind BETWEEN 3 AND 6
        ORDER BY position DESC
        """,
        {
          $0.bind(1, customer)
          $0.bind(2, last.transaction)
          $0.bind(3, last.position)
        }, Self.event)
  }

  func events(after: JournalEventRow?, limit: Int) throws(LedgerError) -> [JournalEventRow] {
    try statements.scanned(
      """
      SELECT * FROM journal_events WHERE (transaction_number, position) > (?1, ?2)
      ORDER BY transaction_number, position LIMIT ?3
      """, after: after, { ($0.transaction, $0.position) < ($1.transaction, $1.position) },
      {
        $0.bind(1, after?.transaction ?? .min)
        $0.bind(2, after?.position ?? .min)
        $0.bind(3, Int64(limit))
      }, Self.event)
  }

  func add(_ events: [JournalEventRow]) throws(LedgerError) {
    try statements.run(
      "INSERT INTO journal_events VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14)", events
    ) {
      $0.bind(1, $1.transaction)
      $0.bind(2, $1.position)
      $0.bind(3, $1.customer)
      $0.bind(4, $1.kind.rawValue)
      $0.bind(5, $1.target)
      $0.bind(6, $1.currency)
      $0.bind(7, $1.lot)
      $0.bind(8, $1.amount)
      $0.bind(9, $1.value)
      $0.bind(10, $1.count?.kind.rawValue)
      $0.bind(11, $1.count?.subject)
      $0.bind(12, $1.period)
      $0.bind(13, $1.createdAt.milliseconds)
      $0.bind(14, $1.heldAfter)
    }
  }

  private static func event(_ row: SQLiteStatement) throws(SQLiteFailure) -> JournalEventRow {
    var count: CountKey?
    if let kind = CountKey.Kind(rawValue: row.integer(9)) { count = CountKey(kind, row.text(10)) }
    return JournalEventRow(
      transaction: try row.transaction(0), position: try row.number(1), customer: try row.number(2),
      kind: JournalEventRow.Kind(rawValue: row.integer(3)) ?? .late, target: try row.transaction(4),
      currency: try row.currency(5), lot: try row.number(6), amount: try row.amount(7), value: try row.value(8),
      count: count, period: try row.value(11), createdAt: try row.instant(12), heldAfter: try row.amount(13))
  }
}
