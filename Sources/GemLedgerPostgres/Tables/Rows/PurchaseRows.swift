#if PostgreSQL
internal import GemLedger

// Readers of purchases, refunds and orders; each list of columns and its reader must match.

extension PurchaseRow {
  /// The columns, with the names in ``tables``.
  static let selection = selection(splitsAccounts: true)

  /// Used instead of a table.
  static let source = "(SELECT \(selection) FROM \(tables) WHERE \(isNewestRefund)) purchases"

  /// Purchases with all their refunds; ``isNewestRefund`` selects the newest.
  ///
  /// A purchase without its frozen grant is damaged, but verify must see it. A distributed engine does not sort rows
  /// within a join, so the newest refund is the one without a later refund.
  static let tables = tables(of: { "\($0).customer = p.customer" })

  /// The condition for use with ``tables``.
  static let isNewestRefund = "n.transaction_number IS NULL"

  /// - Parameter owner: Returns the condition on the customer of a table's rows.
  static func tables(of owner: (String) -> String) -> String {
    """
    purchases p LEFT JOIN frozen_products f ON f.frozen_product = p.frozen_product
    LEFT JOIN refunds r ON \(owner("r")) AND r.purchase = p.purchase
    LEFT JOIN refunds n ON \(owner("n")) AND n.purchase = p.purchase AND n.transaction_number > r.transaction_number
    """
  }
}

extension RefundPartRow {
  /// Used instead of a table: a single part is stored in its refund's row.
  static let source = """
    (
      SELECT customer, transaction_number, 1::bigint AS position, lot, part_kind AS kind, source_lot, amount
      FROM refunds WHERE lot IS NOT NULL
      UNION ALL
      SELECT customer, transaction_number, position, lot, kind, source_lot, amount FROM refund_parts
    ) parts
    """

  /// The same with the purchase, so that both branches find their rows by the key of refunds.
  static let ofPurchase = """
    (
      SELECT customer, purchase, transaction_number, 1::bigint AS position, lot, part_kind AS kind, source_lot, amount
      FROM refunds WHERE lot IS NOT NULL
      UNION ALL
      SELECT r.customer, r.purchase, r.transaction_number, p.position, p.lot, p.kind, p.source_lot, p.amount
      FROM refunds r
      JOIN refund_parts p ON p.customer = r.customer AND p.transaction_number = r.transaction_number
    ) parts
    """
}

extension EvidenceRow {
  /// Returns the request for the evidence of store transactions with any of these texts.
  static func request(ofAny texts: [String]) -> PostgresRequest {
    PostgresRequest(
      "SELECT \(columns) FROM evidence WHERE store_transaction = ANY($1) ORDER BY kind, revoked_at, variant", texts)
  }
}

extension PurchaseIdentity {
  /// Returns the request for the credits of store transactions with any of these texts.
  static func credits(ofAny identities: [Self]) -> PostgresRequest {
    PostgresRequest(
      """
      SELECT store_transaction, environment, store, customer, purchase FROM store_transactions
      WHERE store_transaction = ANY($1) AND purchase <> 0
      """, identities.map(\.transactionID.text))
  }
}

extension PostgresRows {
  func purchaseIdentity(_ row: Int) -> PurchaseIdentity {
    PurchaseIdentity(
      store: Store.numbered(integer(row, 2)) ?? .test, environment: integer(row, 1),
      transactionID: StoreTransactionID(unchecked: text(row, 0)))
  }

  /// Reads the columns after those of ``purchaseIdentity(_:)``.
  func storeClaim(_ row: Int) -> GroupRows.StoreClaim {
    GroupRows.StoreClaim(customer: integer(row, 3), purchase: integer(row, 4))
  }
}
#endif
