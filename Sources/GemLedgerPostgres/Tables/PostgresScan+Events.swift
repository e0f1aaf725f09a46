#if PostgreSQL
internal import GemLedger

extension PostgresScan {
  func effects(after: EffectRow?, limit: Int) throws(LedgerError) -> [EffectRow] {
    func place(_ row: EffectRow) -> [Mark] { [.integer(row.transaction), .integer(row.position)] }
    return try page(
      "effects",
      """
      SELECT \(EffectRow.columns) FROM journal_events WHERE (transaction_number, position) > ($1, $2)
      ORDER BY transaction_number, position
      """, after: after.map(place) ?? [.integer(-1), .integer(-1)], limit, EffectRow.read, place: place)
  }

  func holds(after: TransactionNumber, limit: Int) throws(LedgerError) -> [HoldRow] {
    try page(
      "holds", "SELECT \(HoldRow.columns) FROM open_holds WHERE hold > $1 ORDER BY hold",
      after: [.integer(after)], limit, HoldRow.read
    ) { [.integer($0.number)] }
  }

  func counts(after: CountRow?, limit: Int) throws(LedgerError) -> [CountRow] {
    func place(_ row: CountRow) -> [Mark] {
      [.integer(row.customer), .integer(row.key.kind.rawValue), .text(row.key.subject)]
    }
    // No kind is below 1.
    return try page(
      "counts",
      """
      SELECT \(CountRow.columns) FROM counters WHERE (customer, kind, subject) > ($1, $2, $3)
      ORDER BY customer, kind, subject
      """, after: after.map(place) ?? [.integer(-1), .integer(0), .text("")], limit, CountRow.read,
      place: place)
  }
}
#endif
