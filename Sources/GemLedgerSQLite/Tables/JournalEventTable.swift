internal import GemLedger

/// Everything that transactions did beside their entries.
struct JournalEventTable {
  let statements: StatementRunner

  func events(of transaction: TransactionNumber) throws(LedgerError) -> [JournalEventRow] {
    try statements.rows("WHERE transaction_number = ?1 ORDER BY position") { $0.bind(1, transaction) }
  }

  func events(about target: TransactionNumber) throws(LedgerError) -> [JournalEventRow] {
    // A transaction's effects on itself come before the effects of others on it, and are not in that index.
    let own: [JournalEventRow] = try statements.rows(
      "WHERE transaction_number = ?1 AND target = ?1 ORDER BY position"
    ) { $0.bind(1, target) }
    return try own
      + statements.rows(
        """
        WHERE target = ?1 AND target <> 0 AND target <> transaction_number ORDER BY transaction_number, position
        """
      ) { $0.bind(1, target) }
  }

  func events(
    of customer: CustomerNumber, below: TransactionNumber, limit: Int
  ) throws(LedgerError) -> [JournalEventRow] {
    let found: [JournalEventRow] = try statements.all(
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
      }, ColumnReader.row)
    guard found.count >= limit, let last = found.last else { return found }
    // The last transaction is given whole.
    return try found
      + statements.rows(
        """
        WHERE transaction_number = ?2 AND position < ?3 AND customer = ?1 AND kind BETWEEN 3 AND 6
        ORDER BY position DESC
        """
      ) {
        $0.bind(1, customer)
        $0.bind(2, last.transaction)
        $0.bind(3, last.position)
      }
  }

  func add(_ events: [JournalEventRow]) throws(LedgerError) { try statements.insert(events) }
}
