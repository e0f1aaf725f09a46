package import GemLedger

extension PurchaseRecord: WireValue {
  package init(wire: WireObject) throws(LedgerError) {
    self.init(
      store: try wire.word("store", Store.init(name:)),
      storeTransactionID: try wire.identifier("store_transaction_id"),
      transactionID: try TransactionID(try wire.text("transaction_id")), product: try wire.identifier("product"),
      productType: try wire.word("product_type") { ProductType.Kind(rawValue: $0).map(ProductType.init) },
      quantity: try wire.integer("quantity"), price: try wire.optionalValue("price"),
      purchasedAt: try wire.instant("purchased_at"), expiresAt: try wire.optionalInstant("expires_at"),
      refundedMilliPercent: try wire.integer("refunded_milli_percent"), isSandbox: try wire.flag("sandbox"),
      originalTransactionID: try wire.identifier("original_store_transaction_id"),
      storeProductID: try wire.optionalText("store_product_id"))
    announcement = try wire.optionalValue("announcement")
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
      code: try wire.identifier("purchase_code"), status: try wire.word("status", Order.Status.init(rawValue:)),
      context: try wire.value("context"), bundleID: try wire.text("bundle_id"),
      createdAt: try wire.instant("created_at"), updatedAt: try wire.instant("updated_at"))
  }

  package var wire: JSONValue {
    [
      "purchase_code": .string(code.text), "status": .string(status.rawValue), "context": context.wire,
      "bundle_id": .string(bundleID), "created_at": JSONValue(createdAt), "updated_at": JSONValue(updatedAt),
    ]
  }
}
