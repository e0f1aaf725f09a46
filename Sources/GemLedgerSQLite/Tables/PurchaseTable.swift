internal import GemLedger

/// Purchases with their frozen products, and the entitlements that they gave.
final class PurchaseTable {
  private let statements: StatementRunner
  /// Frozen products by their numbers.
  private var knownFrozenProducts: [Int64: String] = [:]

  init(_ statements: StatementRunner) { self.statements = statements }

  /// Forgets the documents that an undone commit may have made.
  func forgetFrozenProducts() { knownFrozenProducts = [:] }

  // MARK: Reading

  func purchase(_ identity: PurchaseIdentity) throws(LedgerError) -> PurchaseRow? {
    let found = try statements.first(
      """
      SELECT p.purchase, store, environment, store_transaction, customer, p.transaction_number, product, quantity,
        price, price_currency, purchased_at, frozen_product, original_transaction, expires_at, r.share, r.share_of,
        coalesce(r.evidence_at, r.signed_at), r.transaction_number, grant_currency, grant_lot, grant_amount
      FROM purchases p LEFT JOIN refunds r
        ON r.transaction_number = (SELECT max(transaction_number) FROM refunds WHERE purchase = p.purchase)
      WHERE store_transaction = ?1 AND environment = ?2 AND store = ?3
      """,
      {
        $0.bind(1, identity.transactionID.text)
        $0.bind(2, identity.environment)
        $0.bind(3, identity.store.number)
      }, { (row) throws(SQLiteFailure) in (row.integer(11), try Self.purchase(row)) })
    guard let (product, row) = found else { return nil }
    var purchase = row
    // The row has the number of the frozen grant instead of the document.
    purchase.frozenProduct = try document(ofFrozenProduct: product)
    return purchase
  }

  /// Purchases share few frozen grants, which never change.
  private func document(ofFrozenProduct number: Int64) throws(LedgerError) -> String {
    if let known = knownFrozenProducts[number] { return known }
    let document = try statements.first(
      "SELECT document FROM frozen_products WHERE frozen_product = ?1", { $0.bind(1, number) }, { $0.text(0) })
    guard let document else {
      throw LedgerError(.storageDamaged, "\(statements.path) has a purchase without its frozen product. Run verify.")
    }
    if knownFrozenProducts.count >= 256 { knownFrozenProducts = [:] }
    knownFrozenProducts[number] = document
    return document
  }

  func purchases(of customer: CustomerNumber, below: Int64, limit: Int) throws(LedgerError) -> [PurchaseRow] {
    try statements.ordered(
      """
      SELECT p.purchase, store, environment, store_transaction, customer, p.transaction_number, product, quantity,
        price, price_currency, purchased_at, f.document, original_transaction, expires_at, r.share, r.share_of,
        coalesce(r.evidence_at, r.signed_at), r.transaction_number, grant_currency, grant_lot, grant_amount
      FROM purchases p JOIN frozen_products f USING (frozen_product) LEFT JOIN refunds r
        ON r.transaction_number = (SELECT max(transaction_number) FROM refunds WHERE purchase = p.purchase)
      WHERE customer = ?1 AND p.purchase < ?2 ORDER BY p.purchase DESC LIMIT ?3
      """, after: below, \.number, >,
      {
        $0.bind(1, customer)
        $0.bind(2, below)
        $0.bind(3, Int64(limit))
      }, Self.purchase)
  }

  func purchases(after: Int64, limit: Int) throws(LedgerError) -> [PurchaseRow] {
    try statements.page(
      """
      SELECT p.purchase, store, environment, store_transaction, customer, p.transaction_number, product, quantity,
        price, price_currency, purchased_at, f.document, original_transaction, expires_at, r.share, r.share_of,
        coalesce(r.evidence_at, r.signed_at), r.transaction_number, grant_currency, grant_lot, grant_amount
      FROM purchases p LEFT JOIN frozen_products f USING (frozen_product) LEFT JOIN refunds r
        ON r.transaction_number = (SELECT max(transaction_number) FROM refunds WHERE purchase = p.purchase)
      WHERE p.purchase > ?1 ORDER BY p.purchase LIMIT ?2
      """, after: after, limit, Self.purchase)
  }

  func purchase(number: Int64) throws(LedgerError) -> PurchaseRow? {
    try purchases(after: max(0, number) - 1, limit: 1).first { $0.number == number }
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

  // MARK: Rows

  /// The store's dates are stored unchanged, with any value; arithmetic on them must be checked.
  private static func purchase(_ row: SQLiteStatement) throws(SQLiteFailure) -> PurchaseRow {
    PurchaseRow(
      number: try row.number(0),
      identity: PurchaseIdentity(
        store: Store.numbered(row.integer(1)) ?? .test, environment: try row.number(2),
        transactionID: StoreTransactionID(unchecked: row.text(3))),
      customer: try row.number(4), transaction: try row.transaction(5), product: ProductCode(unchecked: row.text(6)),
      quantity: try row.amount(7), price: try row.money(8), purchasedAt: Timestamp(milliseconds: row.integer(10)),
      frozenProduct: row.text(11), originalTransactionID: row.optionalText(12).map(StoreTransactionID.init(unchecked:)),
      expiresAt: row.optionalInteger(13).map(Timestamp.init(milliseconds:)), grant: try grant(row),
      refund: try refundState(row))
  }

  private static func grant(_ row: SQLiteStatement) throws(SQLiteFailure) -> LotAmount? {
    guard try row.optionalNumber(18) != nil else { return nil }
    return LotAmount(currency: try row.currency(18), lot: try row.number(19), amount: try row.amount(20))
  }

  private static func refundState(_ row: SQLiteStatement) throws(SQLiteFailure) -> RefundStateRow? {
    guard let transaction = try row.optionalTransaction(17) else { return nil }
    return RefundStateRow(
      purchase: try row.number(0), share: RefundTable.share(row, 14),
      evidenceAt: Timestamp(milliseconds: row.integer(16)),
      transaction: transaction)
  }
}
