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

  package var wire: JSONValue {
    [
      "store": .string(store.description), "store_transaction_id": .string(storeTransactionID.text),
      "original_store_transaction_id": .string(originalTransactionID.text),
      "transaction_id": .string(transactionID.description), "product": .string(product.text),
      "product_type": .string(productType.description), "store_product_id": JSONValue(storeProductID),
      "quantity": .integer(quantity), "price": price?.wire ?? .null, "purchased_at": JSONValue(purchasedAt),
      "expires_at": JSONValue(expiresAt), "refunded_milli_percent": .integer(refundedMilliPercent),
      "sandbox": .bool(isSandbox), "announcement": announcement?.wire ?? .null,
    ]
  }
}

extension PurchaseRecord.Announcement: WireValue {
  package init(wire: WireObject) throws(LedgerError) {
    self.init(
      code: try wire["purchase_code"].identifier(), status: try wire["status"].word(Order.Status.init(rawValue:)),
      context: try wire["context"].read(), bundleID: try wire["bundle_id"].text(),
      createdAt: try wire["created_at"].instant(), updatedAt: try wire["updated_at"].instant())
  }

  package var wire: JSONValue {
    [
      "purchase_code": .string(code.text), "status": .string(status.rawValue), "context": context.wire,
      "bundle_id": .string(bundleID), "created_at": JSONValue(createdAt), "updated_at": JSONValue(updatedAt),
    ]
  }
}
