internal import GemLedger

/// Purchases with their frozen products, and the entitlements that they gave.
struct PurchaseTable {
  let statements: StatementRunner
  /// Used instead of a table: purchases with the documents of their frozen products, and with their newest refunds.
  ///
  /// A purchase without its document is damaged; verify must see it all the same.
  static let source = """
    (SELECT p.purchase AS purchase, store, environment, store_transaction, customer,
      p.transaction_number AS transaction_number, product, quantity, price, price_currency, purchased_at, f.document AS
      document, original_transaction, expires_at, r.share AS share, r.share_of AS share_of,
      coalesce(r.evidence_at, r.signed_at) AS evidence_at, r.transaction_number AS refund, grant_currency, grant_lot,
      grant_amount
    FROM purchases p LEFT JOIN frozen_products f USING (frozen_product) LEFT JOIN refunds r
      ON r.transaction_number = (SELECT max(transaction_number) FROM refunds WHERE purchase = p.purchase))
    """

  /// The purchases that the transactions of these customers credited.
  func credited(by keys: [IndexKey]) throws(LedgerError) -> [PurchaseRow] {
    var found: [PurchaseRow] = []
    for key in keys {
      guard let owner = key.owner else { continue }
      let number = try statements.first(
        "SELECT purchase FROM purchases WHERE customer = ?1 AND transaction_number = ?2 LIMIT 1",
        {
          $0.bind(1, owner)
          $0.bind(2, key.first)
        }, { $0.integer(0) })
      if let number { found += try statements.rows(.byNumber, [IndexKey(number)]) }
    }
    return found
  }

  // MARK: Writing

  func add(_ row: PurchaseRow) throws(LedgerError) {
    try statements.run("INSERT INTO frozen_products (document) VALUES (?1) ON CONFLICT DO NOTHING", [row]) {
      $0.bind(1, $1.frozenProduct)
    }
    try statements.run(
      """
      INSERT INTO purchases SELECT ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, frozen_product, ?13, ?14, ?15, ?16, ?17
      FROM frozen_products WHERE document = ?12
      """, [row]
    ) {
      $0.bind(1, $1.number)
      $0.bind(2, $1.identity.store.number)
      $0.bind(3, $1.identity.environment)
      $0.bind(4, $1.identity.transactionID.text)
      $0.bind(5, $1.customer)
      $0.bind(6, $1.transaction)
      $0.bind(7, $1.product.text)
      $0.bind(8, $1.quantity)
      $0.bind(9, $1.price?.minorUnits)
      $0.bind(10, $1.price?.currency)
      $0.bind(11, $1.purchasedAt.milliseconds)
      $0.bind(12, $1.frozenProduct)
      $0.bind(13, $1.originalTransactionID?.text)
      $0.bind(14, $1.expiresAt?.milliseconds)
      $0.bind(15, $1.grant?.currency)
      $0.bind(16, $1.grant?.lot)
      $0.bind(17, $1.grant?.amount)
    }
  }
}
