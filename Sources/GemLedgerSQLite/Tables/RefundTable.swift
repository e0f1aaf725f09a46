internal import GemLedger

/// Refunds with their parts, and the store's notices that booked none.
struct RefundTable {
  let statements: StatementRunner

  // MARK: Reading

  func refunds(of purchase: Int64) throws(LedgerError) -> [RefundRow] {
    try statements.all(
      """
      SELECT transaction_number, purchase, kind, revoked_at, signed_at, extent_kind, extent, evidence_at, share,
        share_of, freezes
      FROM refunds WHERE purchase = ?1 ORDER BY transaction_number
      """, { $0.bind(1, purchase) }, Self.refund)
  }

  func refundParts(of transaction: TransactionNumber) throws(LedgerError) -> [RefundPartRow] {
    try statements.all(
      """
      SELECT transaction_number, 1 AS position, lot, part_kind AS kind, source_lot, amount FROM refunds
      WHERE transaction_number = ?1 AND lot IS NOT NULL
      UNION ALL
      SELECT transaction_number, position, lot, kind, source_lot, amount FROM refund_parts
      WHERE transaction_number = ?1 ORDER BY position
      """, { $0.bind(1, transaction) }, Self.refundPart)
  }

  func refundEvidence(_ identity: PurchaseIdentity) throws(LedgerError) -> [RefundEvidenceRow] {
    try statements.all(
      """
      SELECT kind, revoked_at, signed_at, extent_kind, extent FROM refund_evidence
      WHERE store_transaction = ?1 AND environment = ?2 AND store = ?3 ORDER BY kind, revoked_at
      """,
      {
        $0.bind(1, identity.transactionID.text)
        $0.bind(2, identity.environment)
        $0.bind(3, identity.store.number)
      },
      { (row) throws(SQLiteFailure) in try Self.refundEvidence(identity, row) })
  }

  // MARK: Scanning

  func refunds(after: TransactionNumber, limit: Int) throws(LedgerError) -> [RefundRow] {
    try statements.page(
      """
      SELECT transaction_number, purchase, kind, revoked_at, signed_at, extent_kind, extent, evidence_at, share,
        share_of, freezes
      FROM refunds WHERE transaction_number > ?1 ORDER BY transaction_number LIMIT ?2
      """, after: after, limit, Self.refund)
  }

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
      }, Self.refundPart)
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

  func refundEvidence(after: RefundEvidenceRow?, limit: Int) throws(LedgerError) -> [RefundEvidenceRow] {
    try statements.scanned(
      """
      SELECT kind, revoked_at, signed_at, extent_kind, extent, store_transaction, environment, store
      FROM refund_evidence
      WHERE (store_transaction, environment, store, kind, revoked_at) > (?1, ?2, ?3, ?4, ?5)
      ORDER BY store_transaction, environment, store, kind, revoked_at LIMIT ?6
      """, after: after, Self.precedes,
      {
        // Nothing sorts before the empty text, which is no id.
        $0.bind(1, after?.identity.transactionID.text ?? "")
        $0.bind(2, after?.identity.environment ?? -1)
        $0.bind(3, after?.identity.store.number ?? -1)
        $0.bind(4, after?.kind.rawValue ?? -1)
        $0.bind(5, after?.revokedAt.milliseconds ?? -1)
        $0.bind(6, Int64(limit))
      },
      { (row) throws(SQLiteFailure) in
        let identity = PurchaseIdentity(
          store: Store.numbered(row.integer(7)) ?? .test, environment: try row.number(6),
          transactionID: StoreTransactionID(unchecked: row.text(5)))
        return try Self.refundEvidence(identity, row)
      })
  }

  private static func precedes(_ one: RefundEvidenceRow, _ other: RefundEvidenceRow) -> Bool {
    let (store, otherStore) = (one.identity.store.number, other.identity.store.number)
    guard one.identity.transactionID.text.utf8.elementsEqual(other.identity.transactionID.text.utf8) else {
      return ByteOrder.precedes((one.identity.transactionID.text, 0), (other.identity.transactionID.text, 0))
    }
    return (one.identity.environment, store, one.kind.rawValue, one.revokedAt)
      < (other.identity.environment, otherStore, other.kind.rawValue, other.revokedAt)
  }

  // MARK: Rows

  private static func refundEvidence(
    _ identity: PurchaseIdentity, _ row: SQLiteStatement
  ) throws(SQLiteFailure) -> RefundEvidenceRow {
    RefundEvidenceRow(
      identity: identity, kind: RefundEvidenceRow.Kind(rawValue: row.integer(0)) ?? .refund,
      revokedAt: Timestamp(milliseconds: row.integer(1)), signedAt: Timestamp(milliseconds: row.integer(2)),
      extent: StoreRefund.Extent(kind: row.integer(3), amount: try row.amount(4)))
  }

  /// A damaged share is none, so that verify can report it.
  static func share(_ row: SQLiteStatement, _ column: Int32) -> RefundShare {
    let (part, whole) = (row.integer(column), row.integer(column + 1))
    return whole > 0 && (0...whole).contains(part) ? RefundShare(part, of: whole) : .none
  }

  private static func extent(_ row: SQLiteStatement, _ column: Int32) throws(SQLiteFailure) -> StoreRefund.Extent? {
    guard let kind = row.optionalInteger(column) else { return nil }
    return StoreRefund.Extent(kind: kind, amount: try row.amount(column + 1))
  }

  private static func refund(_ row: SQLiteStatement) throws(SQLiteFailure) -> RefundRow {
    RefundRow(
      transaction: try row.transaction(0), purchase: try row.number(1),
      kind: RefundEvidenceRow.Kind(rawValue: row.integer(2)) ?? .refund,
      revokedAt: Timestamp(milliseconds: row.integer(3)), signedAt: Timestamp(milliseconds: row.integer(4)),
      extent: try extent(row, 5),
      evidenceAt: row.optionalInteger(7).map(Timestamp.init(milliseconds:)), share: share(row, 8),
      freezes: try row.amount(10))
  }

  private static func refundPart(_ row: SQLiteStatement) throws(SQLiteFailure) -> RefundPartRow {
    RefundPartRow(
      transaction: try row.transaction(0), position: try row.number(1), lot: try row.number(2),
      kind: RefundPartRow.Kind(rawValue: row.integer(3)) ?? .short, source: try row.number(4),
      amount: try row.amount(5))
  }
}
