internal import GemLedger

/// Refunds with their parts, and the store's notices that caused no refund.
struct RefundTable {
  let statements: StatementRunner

  /// Used instead of a table: a single part is stored in its refund's row.
  static let parts = """
    (SELECT transaction_number, 1 AS position, lot, part_kind AS kind, source_lot, amount FROM refunds
      WHERE lot IS NOT NULL
      UNION ALL SELECT transaction_number, position, lot, kind, source_lot, amount FROM refund_parts)
    """

  // MARK: Scanning

  func refundStates(after: Int64, limit: Int) throws(LedgerError) -> [RefundStateRow] {
    try statements.page(
      """
      SELECT r.purchase, r.share, r.share_of, coalesce(r.evidence_at, r.signed_at), r.transaction_number
      FROM (
        SELECT max(transaction_number) AS newest FROM refunds WHERE purchase > ?1
        GROUP BY purchase ORDER BY purchase LIMIT ?2
      ) CROSS JOIN refunds r ON r.transaction_number = newest ORDER BY r.purchase
      """, after: after, limit
    ) { (row) throws(SQLiteFailure) in
      RefundStateRow(
        purchase: try row.number(0), share: Self.share(row, 1), evidenceAt: Timestamp(milliseconds: row.integer(3)),
        transaction: try row.transaction(4))
    }
  }

  // MARK: Rows

  /// Treats a damaged share as none, so that verify can report it.
  static func share(_ row: SQLiteStatement, _ column: Int32) -> RefundShare {
    let (part, whole) = (row.integer(column), row.integer(column + 1))
    return whole > 0 && (0...whole).contains(part) ? RefundShare(part, of: whole) : .none
  }
}
