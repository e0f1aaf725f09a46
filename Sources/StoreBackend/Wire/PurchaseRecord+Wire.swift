package import GemLedger

extension PurchaseRecord: WireValue {
  package init(wire: WireObject) throws(LedgerError) {
    self.init(
      store: try wire["store"].word(Store.init(name:)),
      storeTransactionID: try wire["store_transaction_id"].identifier(),
      transactionID: try TransactionID(try wire["transaction_id"].text()), product: try wire["product"].identifier(),
      productType: try wire["product_type"].word { ProductType.Kind(rawValue: $0).map(ProductType.init) },
      quantity: try wire["quantity"].integer(), price: try wire["price"].optional?.read(),
      purchasedAt: try wire["purchased_at"].instant(), expiresAt: try wire["expires_at"].optional?.instant(),
      refundedMilliPercent: try wire["refunded_milli_percent"].integer(), isSandbox: try wire["sandbox"].flag(),
      originalTransactionID: try wire["original_store_transaction_id"].identifier(),
      storeProductID: try wire["store_product_id"].optional?.text())
    announcement = try wire["announcement"].optional?.read()
  }

  package static let form = JSONForm<PurchaseRecord>([
    .always("store", \.store, .store), .always("store_transaction_id", \.storeTransactionID, .identifier()),
    .always("original_store_transaction_id", \.originalTransactionID, .identifier()),
    .always("transaction_id", \.transactionID, .transactionID), .always("product", \.product, .identifier()),
    .always("product_type", \.productType.kind, .word(ProductType.Kind.allCases, \.rawValue)),
    .always("store_product_id", \.storeProductID, .nullable(.text())), .always("quantity", \.quantity, .integer()),
    .always("price", \.price, .nullable(.value)), .always("purchased_at", \.purchasedAt, .instant),
    .always("expires_at", \.expiresAt, .nullable(.instant)),
    .always("refunded_milli_percent", \.refundedMilliPercent, .integer(0...100_000), "In thousandths of a percent."),
    .always("sandbox", \.isSandbox, .boolean),
    .always("announcement", \.announcement, .nullable(.value), "The order that it paid for."),
  ])
}

extension PurchaseRecord.Announcement: WireValue {
  package init(wire: WireObject) throws(LedgerError) {
    self.init(
      code: try wire["purchase_code"].identifier(), status: try wire["status"].word(Order.Status.init(rawValue:)),
      context: try wire["context"].read(), bundleID: try wire["bundle_id"].text(),
      createdAt: try wire["created_at"].instant(), updatedAt: try wire["updated_at"].instant())
  }

  package static let form = JSONForm<PurchaseRecord.Announcement>([
    .always("purchase_code", \.code, .identifier()),
    .always("status", \.status, .word(Order.Status.allCases, \.rawValue)), .always("context", \.context, .value),
    .always("bundle_id", \.bundleID, .text()), .always("created_at", \.createdAt, .instant),
    .always("updated_at", \.updatedAt, .instant),
  ])
}
