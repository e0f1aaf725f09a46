internal import GemLedger

/// Refunds with their parts, and the store's notices that booked none.
struct RefundTable {
  let statements: StatementRunner

  // MARK: Reading

  func refunds(of purchase: Int64) throws(LedgerError) -> [RefundRow] {
    try statements.rows("WHERE purchase = ?1 ORDER BY transaction_number") { $0.bind(1, purchase) }
  }

  func refundParts(of transaction: TransactionNumber) throws(LedgerError) -> [RefundPartRow] {
    try statements.all(
      """
      SELECT transaction_number, 1 AS position, lot, part_kind AS kind, source_lot, amount FROM refunds
      WHERE transaction_number = ?1 AND lot IS NOT NULL
      UNION ALL
      SELECT transaction_number, position, lot, kind, source_lot, amount FROM refund_parts
      WHERE transaction_number = ?1 ORDER BY position
      """, { $0.bind(1, transaction) }, ColumnReader.row)
  }

  func refundEvidence(_ identity: PurchaseIdentity) throws(LedgerError) -> [RefundEvidenceRow] {
    try statements.rows(
      "WHERE store_transaction = ?1 AND environment = ?2 AND store = ?3 ORDER BY kind, revoked_at"
    ) {
      $0.bind(1, identity.transactionID.text)
      $0.bind(2, identity.environment)
      $0.bind(3, identity.store.number)
    }
  }

  // MARK: Scanning

  func refundParts(after: RefundPartRow?, limit: Int) throws(LedgerError) -> [RefundPartRow] {
    try statements.scanned(
      """
      SELECT transaction_number, 1 AS position, lot, part_kind AS kind, source_lot, amount FROM refunds
      WHERE transaction_number >= ?1 AND (transaction_number > ?1 OR ?2 < 1) AND lot IS NOT NULL
      UNION ALL
      SELECT transaction_number, position, lot, kind, source_lot, amount FROM refund_parts
      WHERE (transaction_number, position) > (?1, ?2) ORDER BY transaction_number, position LIMIT ?3
      """, after: after, { ($0.transaction, $0.position) < ($1.transaction, $1.position) },
      {
        $0.bind(1, after?.transaction ?? -1)
        $0.bind(2, after?.position ?? -1)
        $0.bind(3, Int64(limit))
      }, ColumnReader.row)
  }

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

  /// A damaged share is none, so that verify can report it.
  static func share(_ row: SQLiteStatement, _ column: Int32) -> RefundShare {
    let (part, whole) = (row.integer(column), row.integer(column + 1))
    return whole > 0 && (0...whole).contains(part) ? RefundShare(part, of: whole) : .none
  }
}
