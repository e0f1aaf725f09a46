internal import GemLedger

/// All effects of transactions other than their entries.
struct JournalEventTable {
  let statements: StatementRunner

  /// Returns the events about transactions; a transaction's effects on itself are first and not in the index of
  /// targets.
  func events(about keys: [IndexKey]) throws(LedgerError) -> [JournalEventRow] {
    var found: [JournalEventRow] = []
    for key in keys {
      found += try statements.rows("WHERE transaction_number = ?1 AND target = ?1 ORDER BY position") {
        $0.bind(1, key.first)
      }
      found += try statements.rows(
        """
        WHERE target = ?1 AND target <> 0 AND target <> transaction_number ORDER BY transaction_number, position
        """
      ) { $0.bind(1, key.first) }
    }
    return found
  }

  /// Reads events through the lists of the customer's transactions: events have no index by customer.
  func events(
    of customer: CustomerNumber, before place: IndexPlace, limit: Int
  ) throws(LedgerError) -> [JournalEventRow] {
    try statements.all(
      """
      SELECT * FROM (
        SELECT e.* FROM customer_lists t CROSS JOIN journal_events e ON e.transaction_number = t.number
        WHERE t.customer = ?1 AND t.list = 1 AND t.number <= ?2 AND (t.number, e.position) < (?2, ?3)
          AND e.customer = ?1 AND e.kind BETWEEN 3 AND 6
        ORDER BY t.number DESC, e.position DESC LIMIT ?4)
      UNION ALL
      SELECT * FROM (
        SELECT e.* FROM customer_lists t CROSS JOIN journal_events e ON e.transaction_number = t.number
        WHERE t.customer = ?1 AND t.list = 2 AND t.number <= ?2 AND (t.number, e.position) < (?2, ?3)
          AND e.customer = ?1 AND e.kind BETWEEN 3 AND 6
        ORDER BY t.number DESC, e.position DESC LIMIT ?4)
      UNION ALL
      SELECT * FROM (
        SELECT e.* FROM customer_lists_buffer t CROSS JOIN journal_events e ON e.transaction_number = t.number
        WHERE t.customer = ?1 AND t.list = 1 AND t.number <= ?2 AND (t.number, e.position) < (?2, ?3)
          AND e.customer = ?1 AND e.kind BETWEEN 3 AND 6
        ORDER BY t.number DESC, e.position DESC LIMIT ?4)
      UNION ALL
      SELECT * FROM (
        SELECT e.* FROM customer_lists_buffer t CROSS JOIN journal_events e ON e.transaction_number = t.number
        WHERE t.customer = ?1 AND t.list = 2 AND t.number <= ?2 AND (t.number, e.position) < (?2, ?3)
          AND e.customer = ?1 AND e.kind BETWEEN 3 AND 6
        ORDER BY t.number DESC, e.position DESC LIMIT ?4)
      ORDER BY transaction_number DESC, position DESC LIMIT ?4
      """,
      {
        $0.bind(1, customer)
        $0.bind(2, place.first)
        $0.bind(3, place.second)
        $0.bind(4, Int64(limit))
      }, ColumnReader.row)
  }

  func add(_ events: [JournalEventRow]) throws(LedgerError) { try statements.insert(events) }
}
