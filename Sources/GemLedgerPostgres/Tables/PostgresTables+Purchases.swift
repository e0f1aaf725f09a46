#if PostgreSQL
  internal import GemLedger

  // Purchases, what was refunded of them, and whose their entitlements are.

  extension PostgresTables {
    /// Of `p`, `t` and `r`, as ``purchaseTables`` names them.
    static let purchaseColumns = """
      p.purchase, p.store, p.environment, p.store_transaction, p.customer, p.transaction_number, p.product, p.quantity,
      p.price, p.price_currency, p.purchased_at, t.document, p.original_transaction, p.expires_at, r.share, r.share_of,
      coalesce(r.evidence_at, r.signed_at) AS evidence_at, r.transaction_number, p.grant_currency, p.grant_lot,
      p.grant_amount
      """

    /// Purchases with their refunds, of which ``isNewestRefund`` leaves the newest.
    ///
    /// A purchase without terms is damaged; verify is to see it all the same. A distributed engine sorts no rows within
    /// a join, hence the newest by there being none behind it.
    static let purchaseTables = purchaseTables(of: { "\($0).customer = p.customer" })

    /// What goes with it into the condition.
    static let isNewestRefund = "n.transaction_number IS NULL"

    /// - Parameter owner: Says whose the rows of the table are.
    static func purchaseTables(of owner: (String) -> String) -> String {
      """
      purchases p LEFT JOIN purchase_terms t ON t.terms = p.terms
      LEFT JOIN refunds r ON \(owner("r")) AND r.purchase = p.purchase
      LEFT JOIN refunds n ON \(owner("n")) AND n.purchase = p.purchase AND n.transaction_number > r.transaction_number
      """
    }

    static func purchase(_ rows: PostgresRows, _ row: Int) -> PurchaseRow {
      PurchaseRow(
        number: rows.integer(row, 0),
        identity: PurchaseIdentity(
          store: Store.numbered(rows.integer(row, 1)) ?? .test, environment: rows.integer(row, 2),
          transactionID: StoreTransactionID(unchecked: rows.text(row, 3))),
        customer: rows.integer(row, 4), transaction: rows.integer(row, 5),
        product: ProductCode(unchecked: rows.text(row, 6)), quantity: rows.integer(row, 7),
        price: money(rows, row, 8), purchasedAt: Timestamp(milliseconds: rows.integer(row, 10)),
        terms: rows.text(row, 11),
        originalTransactionID: rows.optionalText(row, 12).map(StoreTransactionID.init(unchecked:)),
        expiresAt: rows.optionalInteger(row, 13).map(Timestamp.init(milliseconds:)),
        grant: rows.optionalInteger(row, 18).map {
          LotAmount(currency: $0, lot: rows.integer(row, 19), amount: rows.integer(row, 20))
        }, refund: rows.isNull(row, 17) ? nil : refundState(rows, row))
    }

    private static func refundState(_ rows: PostgresRows, _ row: Int) -> RefundStateRow {
      RefundStateRow(
        purchase: rows.integer(row, 0), share: share(rows, row, 14),
        evidenceAt: Timestamp(milliseconds: rows.integer(row, 16)), transaction: rows.integer(row, 17))
    }

    func purchase(number: Int64) throws(LedgerError) -> PurchaseRow? {
      if let booked = prefetched?.booked, booked.knows(purchase: number) { return booked.purchases[number] }
      return try first(
        "SELECT \(Self.purchaseColumns) FROM \(Self.purchaseTables) WHERE p.purchase = $1 AND \(Self.isNewestRefund)",
        { $0.add(number) }, Self.purchase)
    }

    func purchases(of customer: CustomerNumber, below: Int64, limit: Int) throws(LedgerError) -> [PurchaseRow] {
      try all(
        """
        SELECT \(Self.purchaseColumns) FROM \(Self.purchaseTables)
        WHERE p.customer = $1 AND p.purchase < $2 AND \(Self.isNewestRefund) ORDER BY p.purchase DESC LIMIT $3
        """,
        {
          $0.add(customer)
          $0.add(below)
          $0.add(Int64(limit))
        }, Self.purchase)
    }

    // MARK: Refunds

    static let refundEvidenceColumns = "kind, revoked_at, signed_at, extent_kind, extent"

    func refundEvidence(_ identity: PurchaseIdentity) throws(LedgerError) -> [RefundEvidenceRow] {
      if let known = prefetched?.evidence[identity] { return known }
      return try all(
        """
        SELECT \(Self.refundEvidenceColumns) FROM refund_evidence
        WHERE store_transaction = $1 AND environment = $2 AND store = $3 ORDER BY kind, revoked_at
        """
      ) {
        $0.add(identity.transactionID.text)
        $0.add(identity.environment)
        $0.add(identity.store.number)
      } _: { rows, row in
        Self.refundEvidence(identity, rows, row)
      }
    }

    static func refundEvidence(_ identity: PurchaseIdentity, _ rows: PostgresRows, _ row: Int) -> RefundEvidenceRow {
      RefundEvidenceRow(
        identity: identity, kind: RefundEvidenceRow.Kind(rawValue: rows.integer(row, 0)) ?? .refund,
        revokedAt: Timestamp(milliseconds: rows.integer(row, 1)),
        signedAt: Timestamp(milliseconds: rows.integer(row, 2)),
        extent: StoreRefund.Extent(kind: rows.integer(row, 3), amount: rows.integer(row, 4)))
    }

    /// With the purchase that it is about in the columns behind ``refundEvidenceColumns``.
    static func refundEvidence(_ rows: PostgresRows, _ row: Int) -> RefundEvidenceRow {
      let identity = PurchaseIdentity(
        store: Store.numbered(rows.integer(row, 7)) ?? .test, environment: rows.integer(row, 6),
        transactionID: StoreTransactionID(unchecked: rows.text(row, 5)))
      return refundEvidence(identity, rows, row)
    }

    static let refundColumns =
      "transaction_number, purchase, kind, revoked_at, signed_at, extent_kind, extent, evidence_at, share, share_of, "
      + "freezes"

    static func refund(_ rows: PostgresRows, _ row: Int) -> RefundRow {
      RefundRow(
        transaction: rows.integer(row, 0), purchase: rows.integer(row, 1),
        kind: RefundEvidenceRow.Kind(rawValue: rows.integer(row, 2)) ?? .refund,
        revokedAt: Timestamp(milliseconds: rows.integer(row, 3)),
        signedAt: Timestamp(milliseconds: rows.integer(row, 4)),
        extent: rows.optionalInteger(row, 5).map { StoreRefund.Extent(kind: $0, amount: rows.integer(row, 6)) },
        evidenceAt: rows.optionalInteger(row, 7).map(Timestamp.init(milliseconds:)), share: share(rows, row, 8),
        freezes: rows.integer(row, 10))
    }

    /// A damaged share is none, so that verify can report it.
    static func share(_ rows: PostgresRows, _ row: Int, _ at: Int) -> RefundShare {
      let (part, whole) = (rows.integer(row, at), rows.integer(row, at + 1))
      return whole > 0 && (0...whole).contains(part) ? RefundShare(part, of: whole) : .none
    }

    func refunds(of purchase: Int64, of owner: CustomerNumber) throws(LedgerError) -> [RefundRow] {
      if let known = try refundsInGroup(of: purchase) { return known }
      return try all(
        """
        SELECT \(Self.refundColumns) FROM refunds WHERE customer = $1 AND purchase = $2 ORDER BY transaction_number
        """,
        {
          $0.add(owner)
          $0.add(purchase)
        }, Self.refund)
    }

    func refunds(of purchase: Int64) throws(LedgerError) -> [RefundRow] {
      guard let row = try self.purchase(number: purchase) else { return [] }
      return try refunds(of: purchase, of: row.customer)
    }

    static let refundPartColumns = "transaction_number, position, lot, kind, source_lot, amount"

    /// In the place of a table: a part alone lies with its refund.
    static let refundPartRows = """
      (
        SELECT customer, transaction_number, 1::bigint AS position, lot, part_kind AS kind, source_lot, amount
        FROM refunds WHERE lot IS NOT NULL
        UNION ALL
        SELECT customer, transaction_number, position, lot, kind, source_lot, amount FROM refund_parts
      ) parts
      """

    static func refundPart(_ rows: PostgresRows, _ row: Int) -> RefundPartRow {
      RefundPartRow(
        transaction: rows.integer(row, 0), position: rows.integer(row, 1), lot: rows.integer(row, 2),
        kind: RefundPartRow.Kind(rawValue: rows.integer(row, 3)) ?? .short, source: rows.integer(row, 4),
        amount: rows.integer(row, 5))
    }

    func refundParts(
      of transaction: TransactionNumber, of owner: CustomerNumber
    ) throws(LedgerError) -> [RefundPartRow] {
      if let known = prefetched?.refundParts[transaction] { return known }
      return try all(
        """
        SELECT \(Self.refundPartColumns) FROM \(Self.refundPartRows) WHERE customer = $1 AND transaction_number = $2
        ORDER BY position
        """,
        {
          $0.add(owner)
          $0.add(transaction)
        }, Self.refundPart)
    }

    /// Looks through the parts of all refunds: whom the purchase was credited to may have become part of another.
    func refundParts(of transaction: TransactionNumber) throws(LedgerError) -> [RefundPartRow] {
      try all(
        "SELECT \(Self.refundPartColumns) FROM \(Self.refundPartRows) WHERE transaction_number = $1 ORDER BY position",
        { $0.add(transaction) }, Self.refundPart)
    }

    // MARK: Entitlements

    func entitlementHolder(purchase: Int64) throws(LedgerError) -> CustomerNumber? {
      let holder = try first(
        "SELECT holder FROM entitlement_holders WHERE purchase = $1", { $0.add(purchase) }, { $0.integer($1, 0) })
      prefetched?.holders[purchase] = holder
      return holder
    }

    func entitlements(
      of customer: CustomerNumber, below purchase: Int64, limit: Int
    ) throws(LedgerError) -> [Int64] {
      try all(
        "SELECT purchase FROM entitlements WHERE customer = $1 AND purchase < $2 ORDER BY purchase DESC LIMIT $3",
        {
          $0.add(customer)
          $0.add(purchase)
          $0.add(Int64(limit))
        }, { $0.integer($1, 0) })
    }
  }
#endif
