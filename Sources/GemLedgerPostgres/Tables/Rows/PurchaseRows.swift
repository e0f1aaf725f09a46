#if PostgreSQL
internal import GemLedger

// How rows of purchases, refunds and orders are read; each list of columns and its reader belong together.

extension PurchaseRow {
  /// Of `p`, `f` and `r`, as ``tables`` names them.
  static let columns = """
    p.purchase, p.store, p.environment, p.store_transaction, p.customer, p.transaction_number, p.product, p.quantity,
    p.price, p.price_currency, p.purchased_at, f.document, p.original_transaction, p.expires_at, r.share, r.share_of,
    coalesce(r.evidence_at, r.signed_at) AS evidence_at, r.transaction_number, p.grant_currency, p.grant_lot,
    p.grant_amount
    """

  /// Purchases with their refunds, of which ``isNewestRefund`` leaves the newest.
  ///
  /// A purchase without its frozen grant is damaged; verify must see it all the same. A distributed engine sorts no
  /// rows within a join, so the newest refund is the one without another behind it.
  static let tables = tables(of: { "\($0).customer = p.customer" })

  /// The condition that goes with it.
  static let isNewestRefund = "n.transaction_number IS NULL"

  /// - Parameter owner: Gives the condition on the customer of the table's rows.
  static func tables(of owner: (String) -> String) -> String {
    """
    purchases p LEFT JOIN frozen_products f ON f.frozen_product = p.frozen_product
    LEFT JOIN refunds r ON \(owner("r")) AND r.purchase = p.purchase
    LEFT JOIN refunds n ON \(owner("n")) AND n.purchase = p.purchase AND n.transaction_number > r.transaction_number
    """
  }

  static func read(_ rows: PostgresRows, _ row: Int) -> PurchaseRow {
    PurchaseRow(
      number: rows.integer(row, 0),
      identity: PurchaseIdentity(
        store: Store.numbered(rows.integer(row, 1)) ?? .test, environment: rows.integer(row, 2),
        transactionID: StoreTransactionID(unchecked: rows.text(row, 3))),
      customer: rows.integer(row, 4), transaction: rows.integer(row, 5),
      product: ProductCode(unchecked: rows.text(row, 6)), quantity: rows.integer(row, 7),
      price: rows.money(row, 8), purchasedAt: Timestamp(milliseconds: rows.integer(row, 10)),
      frozenProduct: rows.text(row, 11),
      originalTransactionID: rows.optionalText(row, 12).map(StoreTransactionID.init(unchecked:)),
      expiresAt: rows.optionalInteger(row, 13).map(Timestamp.init(milliseconds:)),
      grant: rows.optionalInteger(row, 18).map {
        LotAmount(currency: $0, lot: rows.integer(row, 19), amount: rows.integer(row, 20))
      }, refund: rows.isNull(row, 17) ? nil : refundState(rows, row))
  }

  private static func refundState(_ rows: PostgresRows, _ row: Int) -> RefundStateRow {
    RefundStateRow(
      purchase: rows.integer(row, 0), share: rows.share(row, 14),
      evidenceAt: Timestamp(milliseconds: rows.integer(row, 16)), transaction: rows.integer(row, 17))
  }
}

extension RefundPartRow {
  /// Used instead of a table: a part alone lies with its refund.
  static let source = """
    (
      SELECT customer, transaction_number, 1::bigint AS position, lot, part_kind AS kind, source_lot, amount
      FROM refunds WHERE lot IS NOT NULL
      UNION ALL
      SELECT customer, transaction_number, position, lot, kind, source_lot, amount FROM refund_parts
    ) parts
    """
}

extension PostgresRows {
  /// Minor units and the currency's code.
  func money(_ row: Int, _ at: Int) -> Money? {
    guard let units = optionalInteger(row, at), let code = optionalText(row, at + 1) else { return nil }
    return Money(minorUnits: units, currency: code)
  }

  /// A damaged share is none, so that verify can report it.
  func share(_ row: Int, _ at: Int) -> RefundShare {
    let (part, whole) = (integer(row, at), integer(row, at + 1))
    return whole > 0 && (0...whole).contains(part) ? RefundShare(part, of: whole) : .none
  }

  func purchaseIdentity(_ row: Int) -> PurchaseIdentity {
    PurchaseIdentity(
      store: Store.numbered(integer(row, 2)) ?? .test, environment: integer(row, 1),
      transactionID: StoreTransactionID(unchecked: text(row, 0)))
  }

  /// Behind the columns of ``purchaseIdentity(_:)``.
  func storeClaim(_ row: Int) -> GroupRows.StoreClaim {
    GroupRows.StoreClaim(customer: integer(row, 3), purchase: integer(row, 4))
  }

  /// - Parameter storageName: The name of the database, for the message.
  func keyOutcome(
    _ row: Int, _ at: Int, _ storageName: String
  ) throws(LedgerError) -> KeyRow.Outcome {
    if let transaction = optionalInteger(row, at) { return .booked(transaction) }
    guard let refusal = optionalText(row, at + 1).flatMap(LedgerError.init(stored:)) else {
      throw LedgerError(.storageDamaged, "\(storageName) has a key without an answer. Run verify.")
    }
    return .refused(refusal)
  }
}
#endif
