internal import GemLedger

extension PurchaseRecord {
  /// The record of what was credited just now.
  init(_ transaction: StoreTransaction, _ product: Product, transactionID: TransactionID) {
    self.init(
      store: transaction.store, storeTransactionID: transaction.creditID, transactionID: transactionID,
      product: product.code, productType: product.type, quantity: transaction.quantity, price: transaction.price,
      purchasedAt: transaction.purchasedAt, expiresAt: transaction.expiresAt,
      isSandbox: transaction.environment != .production)
  }
}

extension LocalBackend {
  /// The record of a purchase as it stands.
  func record(
    _ row: PurchaseRow, _ snapshot: any StorageSnapshot, _ shelf: Shelf
  ) throws(LedgerError) -> PurchaseRecord {
    guard let transaction = try snapshot.transaction(row.transaction, of: row.customer) else {
      throw LedgerError(.storageDamaged, "The journal lacks transaction \(row.transaction); run verify.")
    }
    let ids = try ledger.catalog.terms(in: snapshot).transactionIDs
    return PurchaseRecord(
      store: row.identity.store, storeTransactionID: row.identity.transactionID,
      transactionID: ids.id(number: row.transaction, createdAt: transaction.createdAt), product: row.product,
      productType: try shelf.terms(of: row).type, quantity: row.quantity, price: row.price,
      purchasedAt: row.purchasedAt, expiresAt: row.expiresAt,
      refundedMilliPercent: row.refund?.share.milliPercent ?? 0,
      isSandbox: row.identity.environment != StoreEnvironment.production.kind.rawValue)
  }
}

extension Shelf {
  /// The product as it was when the purchase was credited; most often as it still is, which saves reading it.
  func terms(of row: PurchaseRow) throws(LedgerError) -> Product {
    if let place = place(of: row.product), place.document.hasBytes(of: row.terms) { return place.product }
    do {
      return try Product(json: try JSONValue.parse(row.terms))
    } catch {
      throw LedgerError(.storageDamaged, "The terms of purchase \(row.number) cannot be read: \(error)")
    }
  }
}
