#if PostgreSQL
internal import GemLedger

extension PostgresScan {
  func events(after: JournalEventRow?, limit: Int) throws(LedgerError) -> [JournalEventRow] {
    func position(_ row: JournalEventRow) -> [CursorValue] { [.integer(row.transaction), .integer(row.position)] }
    return try page(
      "effects",
      """
      SELECT \(JournalEventRow.columns) FROM journal_events WHERE (transaction_number, position) > ($1, $2)
      ORDER BY transaction_number, position
      """, after: after.map(position) ?? [.integer(-1), .integer(-1)], limit, JournalEventRow.read, position: position)
  }

  func holds(after: TransactionNumber, limit: Int) throws(LedgerError) -> [HoldRow] {
    try page(
      "holds", "SELECT \(HoldRow.columns) FROM open_holds WHERE hold > $1 ORDER BY hold",
      after: [.integer(after)], limit, HoldRow.read
    ) { [.integer($0.number)] }
  }

  func counts(after: CountRow?, limit: Int) throws(LedgerError) -> [CountRow] {
    func position(_ row: CountRow) -> [CursorValue] {
      [.integer(row.customer), .integer(row.key.kind.rawValue), .text(row.key.subject)]
    }
    // No kind is below 1.
    return try page(
      "counts",
      """
      SELECT \(CountRow.columns) FROM counters WHERE (customer, kind, subject) > ($1, $2, $3)
      ORDER BY customer, kind, subject
      """, after: after.map(position) ?? [.integer(-1), .integer(0), .text("")], limit, CountRow.read,
      position: position)
  }
}
#endif
