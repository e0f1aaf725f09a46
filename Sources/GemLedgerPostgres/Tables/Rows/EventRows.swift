#if PostgreSQL
internal import GemLedger

// How rows of effects, holds and counts are read; each list of columns and its reader belong together.

extension JournalEventRow {
  static let columns = """
    transaction_number, position, customer, kind, target, currency, lot, amount, value, counter_kind, subject, period,
    created_at, held_after
    """

  static func read(_ rows: PostgresRows, _ row: Int) -> JournalEventRow {
    JournalEventRow(
      transaction: rows.integer(row, 0), position: rows.integer(row, 1), customer: rows.integer(row, 2),
      kind: JournalEventRow.Kind(rawValue: rows.integer(row, 3)) ?? .linked, target: rows.integer(row, 4),
      currency: rows.integer(row, 5), lot: rows.integer(row, 6), amount: rows.integer(row, 7),
      value: rows.integer(row, 8),
      count: CountKey.Kind(rawValue: rows.integer(row, 9)).map { CountKey($0, rows.text(row, 10)) },
      period: rows.integer(row, 11), createdAt: Timestamp(milliseconds: rows.integer(row, 12)),
      heldAfter: rows.integer(row, 13))
  }

  static let byTarget = RowsByNumber(
    isWanted: "target = wanted AND target <> 0", isAny: "target = ANY($2) AND target <> 0")
}

extension HoldRow {
  static let columns = "hold, customer, deadline, begun_at, currency, lot, amount"

  static func read(_ rows: PostgresRows, _ row: Int) -> HoldRow {
    HoldRow(
      number: rows.integer(row, 0), customer: rows.integer(row, 1),
      deadline: Timestamp(milliseconds: rows.integer(row, 2)),
      begunAt: rows.optionalInteger(row, 3).map(Timestamp.init(milliseconds:)),
      sole: rows.optionalInteger(row, 4).map {
        LotAmount(currency: $0, lot: rows.integer(row, 5), amount: rows.integer(row, 6))
      })
  }
}

extension CountRow {
  static let columns = "customer, kind, subject, period, value"

  static func read(_ rows: PostgresRows, _ row: Int) -> CountRow {
    CountRow(
      customer: rows.integer(row, 0),
      key: CountKey(CountKey.Kind(rawValue: rows.integer(row, 1)) ?? .bought, rows.text(row, 2)),
      period: rows.integer(row, 3), value: rows.integer(row, 4))
  }
}
#endif
