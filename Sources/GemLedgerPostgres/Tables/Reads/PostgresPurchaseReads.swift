#if PostgreSQL
internal import GemLedger

/// Reads of purchases, their refunds and their entitlements.
protocol PostgresPurchaseReads: PostgresReads {}

extension PostgresPurchaseReads {
  func purchase(_ identity: PurchaseIdentity) throws(LedgerError) -> PurchaseRow? {
    let claim = try claim(identity)
    guard let claim, claim.purchase != 0 else { return nil }
    if let deciding { return try deciding.rows(deciding.purchases, claim.purchase, ofAny: [claim.customer]).first }
    return try first(
      """
      SELECT \(PurchaseRow.columns) FROM \(PurchaseRow.tables)
      WHERE p.customer = $1 AND p.purchase = $2 AND \(PurchaseRow.isNewestRefund)
      """,
      {
        $0.add(claim.customer)
        $0.add(claim.purchase)
      }, PurchaseRow.read)
  }

  private func claim(_ identity: PurchaseIdentity) throws(LedgerError) -> GroupRows.StoreClaim? {
    if let held = prefetched?.claims[identity] { return held }
    return try first(
      """
      SELECT customer, purchase FROM store_transactions
      WHERE store_transaction = $1 AND environment = $2 AND store = $3
      """,
      {
        $0.add(identity.transactionID.text)
        $0.add(identity.environment)
        $0.add(identity.store.number)
      }, { GroupRows.StoreClaim(customer: $0.integer($1, 0), purchase: $0.integer($1, 1)) })
  }

  func purchase(number: Int64) throws(LedgerError) -> PurchaseRow? {
    if let deciding {
      if let known = deciding.purchasesByNumber[number] { return known }
      return try deciding.purchasesAnywhere.first(number)
    }
    return try first(
      """
      SELECT \(PurchaseRow.columns) FROM \(PurchaseRow.tables)
      WHERE p.purchase = $1 AND \(PurchaseRow.isNewestRefund)
      """,
      { $0.add(number) }, PurchaseRow.read)
  }

  func purchases(of customer: CustomerNumber, below: Int64, limit: Int) throws(LedgerError) -> [PurchaseRow] {
    try all(
      """
      SELECT \(PurchaseRow.columns) FROM \(PurchaseRow.tables)
      WHERE p.customer = $1 AND p.purchase < $2 AND \(PurchaseRow.isNewestRefund) ORDER BY p.purchase DESC LIMIT $3
      """,
      {
        $0.add(customer)
        $0.add(below)
        $0.add(Int64(limit))
      }, PurchaseRow.read)
  }

  func refundEvidence(_ identity: PurchaseIdentity) throws(LedgerError) -> [RefundEvidenceRow] {
    if let known = prefetched?.evidence[identity] { return known }
    return try all(
      """
      SELECT \(RefundEvidenceRow.columns) FROM refund_evidence
      WHERE store_transaction = $1 AND environment = $2 AND store = $3 ORDER BY kind, revoked_at
      """
    ) {
      $0.add(identity.transactionID.text)
      $0.add(identity.environment)
      $0.add(identity.store.number)
    } _: { rows, row in
      RefundEvidenceRow.read(rows, row)
    }
  }

  func refunds(of purchase: Int64, of owner: CustomerNumber) throws(LedgerError) -> [RefundRow] {
    if let deciding {
      return try deciding.rows(deciding.refunds, purchase, ofAny: [owner]).sorted { $0.transaction < $1.transaction }
    }
    return try all(
      """
      SELECT \(RefundRow.columns) FROM refunds WHERE customer = $1 AND purchase = $2 ORDER BY transaction_number
      """,
      {
        $0.add(owner)
        $0.add(purchase)
      }, RefundRow.read)
  }

  func refunds(of purchase: Int64) throws(LedgerError) -> [RefundRow] {
    guard let row = try self.purchase(number: purchase) else { return [] }
    return try refunds(of: purchase, of: row.customer)
  }

  func refundParts(
    of transaction: TransactionNumber, of owner: CustomerNumber
  ) throws(LedgerError) -> [RefundPartRow] {
    if let deciding {
      return try deciding.rows(deciding.refundParts, transaction, ofAny: [owner]).sorted { $0.position < $1.position }
    }
    return try all(
      """
      SELECT \(RefundPartRow.columns) FROM \(RefundPartRow.source) WHERE customer = $1 AND transaction_number = $2
      ORDER BY position
      """,
      {
        $0.add(owner)
        $0.add(transaction)
      }, RefundPartRow.read)
  }

  /// Looks through the parts of all refunds: the customer that the purchase was credited to may have been merged.
  func refundParts(of transaction: TransactionNumber) throws(LedgerError) -> [RefundPartRow] {
    try all(
      "SELECT \(RefundPartRow.columns) FROM \(RefundPartRow.source) WHERE transaction_number = $1 ORDER BY position",
      { $0.add(transaction) }, RefundPartRow.read)
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
