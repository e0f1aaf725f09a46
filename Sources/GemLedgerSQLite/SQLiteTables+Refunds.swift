internal import GemLedger

// Refunds, merges and the other things that few commands touch.

extension SQLiteTables {
  func mergedCustomers(into number: CustomerNumber) throws(LedgerError) -> [CustomerNumber] {
    try all(
      "SELECT customer FROM customers WHERE merged_into = ?1 AND merged_into <> 0 ORDER BY customer",
      { $0.bind(1, number) }, { (row) throws(SQLiteFailure) in try row.number(0) })
  }

  func addedIDs(of number: CustomerNumber) throws(LedgerError) -> [CustomerID] {
    try all(
      "SELECT id FROM added_ids WHERE customer = ?1", { $0.bind(1, number) }, { CustomerID(unchecked: $0.text(0)) })
  }

  func lotTerms(_ number: LotNumber) throws(LedgerError) -> LotTermsRow? {
    try first(
      """
      SELECT lot, source, environment, price, price_currency, purchase, expires_at, original_lot FROM lot_attributes WHERE lot = ?1
      """, { $0.bind(1, number) }, Self.lotTerms)
  }

  func purchases(of customer: CustomerNumber, below: Int64, limit: Int) throws(LedgerError) -> [PurchaseRow] {
    try ordered(
      """
      SELECT p.purchase, store, environment, store_transaction, customer, p.transaction_number, product, quantity,
        price, price_currency, purchased_at, t.document, original_transaction, expires_at, r.share, r.share_of,
        coalesce(r.evidence_at, r.signed_at), r.transaction_number, grant_currency, grant_lot, grant_amount
      FROM purchases p JOIN purchase_terms t USING (terms) LEFT JOIN refunds r
        ON r.transaction_number = (SELECT max(transaction_number) FROM refunds WHERE purchase = p.purchase)
      WHERE customer = ?1 AND p.purchase < ?2 ORDER BY p.purchase DESC LIMIT ?3
      """, after: below, \.number, >,
      {
        $0.bind(1, customer)
        $0.bind(2, below)
        $0.bind(3, Int64(limit))
      }, Self.purchase)
  }

  func ownedItems(of customer: CustomerNumber) throws(LedgerError) -> [OwnedItemRow] {
    try all(
      "SELECT customer, item, quantity FROM owned_items WHERE customer = ?1 ORDER BY item", { $0.bind(1, customer) },
      Self.ownedItem)
  }

  func refundEvidence(_ identity: PurchaseIdentity) throws(LedgerError) -> [RefundEvidenceRow] {
    try all(
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

  static func refundEvidence(
    _ identity: PurchaseIdentity, _ row: SQLiteStatement
  ) throws(SQLiteFailure) -> RefundEvidenceRow {
    RefundEvidenceRow(
      identity: identity, kind: RefundEvidenceRow.Kind(rawValue: row.integer(0)) ?? .refund,
      revokedAt: Timestamp(milliseconds: row.integer(1)), signedAt: Timestamp(milliseconds: row.integer(2)),
      extent: StoreRefund.Extent(kind: row.integer(3), amount: try row.amount(4)))
  }

  func refunds(of purchase: Int64) throws(LedgerError) -> [RefundRow] {
    try all(
      """
      SELECT transaction_number, purchase, kind, revoked_at, signed_at, extent_kind, extent, evidence_at, share,
        share_of, freezes
      FROM refunds WHERE purchase = ?1 ORDER BY transaction_number
      """, { $0.bind(1, purchase) }, Self.refund)
  }

  func refundParts(of transaction: TransactionNumber) throws(LedgerError) -> [RefundPartRow] {
    try all(
      """
      SELECT transaction_number, 1 AS position, lot, part_kind AS kind, source_lot, amount FROM refunds
      WHERE transaction_number = ?1 AND lot IS NOT NULL
      UNION ALL
      SELECT transaction_number, position, lot, kind, source_lot, amount FROM refund_parts
      WHERE transaction_number = ?1 ORDER BY position
      """, { $0.bind(1, transaction) }, Self.refundPart)
  }

  // MARK: Scanning

  func lotTerms(after: LotNumber, limit: Int) throws(LedgerError) -> [LotTermsRow] {
    try page(
      """
      SELECT lot, source, environment, price, price_currency, purchase, expires_at, original_lot FROM lot_attributes
      WHERE lot > ?1 ORDER BY lot LIMIT ?2
      """, after: after, limit, Self.lotTerms)
  }

  func merges(after: TransactionNumber, limit: Int) throws(LedgerError) -> [MergeRow] {
    try page(
      """
      SELECT transaction_number, from_customer, into_customer FROM merges
      WHERE transaction_number > ?1 ORDER BY transaction_number LIMIT ?2
      """, after: after, limit
    ) { (row) throws(SQLiteFailure) in
      MergeRow(transaction: try row.transaction(0), from: try row.number(1), into: try row.number(2))
    }
  }

  func refunds(after: TransactionNumber, limit: Int) throws(LedgerError) -> [RefundRow] {
    try page(
      """
      SELECT transaction_number, purchase, kind, revoked_at, signed_at, extent_kind, extent, evidence_at, share,
        share_of, freezes
      FROM refunds WHERE transaction_number > ?1 ORDER BY transaction_number LIMIT ?2
      """, after: after, limit, Self.refund)
  }

  func refundParts(after: RefundPartRow?, limit: Int) throws(LedgerError) -> [RefundPartRow] {
    try scanned(
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
    try page(
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

  func customerIDs(after: CustomerID?, limit: Int) throws(LedgerError) -> [AddedIDRow] {
    try scanned(
      "SELECT customer, id FROM aliases WHERE id > ?1 ORDER BY id LIMIT ?2",
      after: after.map { AddedIDRow(customer: 0, id: $0) },
      { Self.precedes(($0.id.text, 0), ($1.id.text, 0)) },
      {
        // Nothing sorts before the empty text, which is no id.
        $0.bind(1, after?.text ?? "")
        $0.bind(2, Int64(limit))
      },
      { (row) throws(SQLiteFailure) in
        AddedIDRow(customer: try row.number(0), id: CustomerID(unchecked: row.text(1)))
      })
  }

  // MARK: Rows

  static func lotTerms(_ row: SQLiteStatement) throws(SQLiteFailure) -> LotTermsRow {
    LotTermsRow(
      lot: try row.number(0), source: LotSource(rawValue: row.integer(1)) ?? .admin, environment: try row.number(2),
      price: try money(row, 3), purchase: try row.optionalNumber(5), expiresAt: Never.loaded(try row.value(6)),
      origin: try row.number(7))
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

// MARK: Writing

extension SQLiteTables {
  /// - Parameter listed: The commit's transactions that are found by their customers.
  func write(_ changes: RareChanges, listed: [TransactionNumber: CustomerNumber]) throws(LedgerError) {
    try write(lots: changes)
    try write(customers: changes)
    try write(refunds: changes)
    try write(effects: changes, listed: listed)
  }

  private func write(lots changes: RareChanges) throws(LedgerError) {
    try run("INSERT INTO lot_attributes VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)", changes.lotTerms) {
      $0.bind(1, $1.lot)
      $0.bind(2, $1.source.rawValue)
      $0.bind(3, $1.environment)
      $0.bind(4, $1.price?.minorUnits)
      $0.bind(5, $1.price?.currency)
      $0.bind(6, $1.purchase)
      $0.bind(7, Never.stored($1.expiresAt))
      $0.bind(8, $1.origin)
    }
    try run("UPDATE lots SET account = ?2 WHERE lot = ?1", changes.movedLots) {
      $0.bind(1, $1.number)
      $0.bind(2, $1.account.rawValue)
    }
  }

  private func write(customers changes: RareChanges) throws(LedgerError) {
    try run(
      """
      UPDATE customers SET id = ?2, frozen = ?3, frozen_reason = ?4, merged_into = ?5, merged_count = ?6
      WHERE customer = ?1
      """, changes.changedCustomers
    ) {
      $0.bind(1, $1.number)
      $0.bind(2, $1.id.text)
      $0.bind(3, $1.frozen)
      $0.bind(4, $1.frozenReason?.text)
      $0.bind(5, $1.mergedInto)
      $0.bind(6, $1.merged)
    }
    for sql in ["INSERT INTO added_ids VALUES (?1, ?2)", "INSERT INTO aliases (customer, id) VALUES (?1, ?2)"]
      as [StaticString]
    {
      try run(sql, changes.addedIDs) {
        $0.bind(1, $1.customer)
        $0.bind(2, $1.id.text)
      }
    }
    try run("INSERT INTO merges VALUES (?1, ?2, ?3)", changes.merges) {
      $0.bind(1, $1.transaction)
      $0.bind(2, $1.from)
      $0.bind(3, $1.into)
    }
  }

  private func write(refunds changes: RareChanges) throws(LedgerError) {
    let parts = changes.partsOfRefunds()
    try run(
      "INSERT INTO refunds VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15)", parts.rows
    ) {
      let (refund, part) = $1
      $0.bind(1, refund.transaction)
      $0.bind(2, refund.purchase)
      $0.bind(3, refund.kind.rawValue)
      $0.bind(4, refund.revokedAt.milliseconds)
      $0.bind(5, refund.signedAt.milliseconds)
      $0.bind(6, refund.share.part)
      $0.bind(7, refund.share.whole)
      $0.bind(8, refund.freezes)
      $0.bind(9, refund.evidenceAt == refund.signedAt ? nil : refund.evidenceAt.milliseconds)
      $0.bind(10, refund.extent?.stored.kind)
      $0.bind(11, refund.extent?.stored.amount)
      $0.bind(12, part?.lot)
      $0.bind(13, part?.kind.rawValue)
      $0.bind(14, part?.source)
      $0.bind(15, part?.amount)
    }
    try run("INSERT INTO refund_parts VALUES (?1, ?2, ?3, ?4, ?5, ?6)", parts.others) {
      $0.bind(1, $1.transaction)
      $0.bind(2, $1.position)
      $0.bind(3, $1.lot)
      $0.bind(4, $1.kind.rawValue)
      $0.bind(5, $1.source)
      $0.bind(6, $1.amount)
    }
    try run(
      """
      INSERT INTO refund_evidence VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)
      ON CONFLICT DO UPDATE SET signed_at = excluded.signed_at, extent_kind = excluded.extent_kind,
        extent = excluded.extent
      """, changes.refundEvidence
    ) {
      $0.bind(1, $1.identity.transactionID.text)
      $0.bind(2, $1.identity.environment)
      $0.bind(3, $1.identity.store.number)
      $0.bind(4, $1.kind.rawValue)
      $0.bind(5, $1.revokedAt.milliseconds)
      $0.bind(6, $1.signedAt.milliseconds)
      $0.bind(7, $1.extent.stored.kind)
      $0.bind(8, $1.extent.stored.amount)
    }
  }
}
