internal import GemLedger
internal import StoreBackend

extension StoreTransaction {
  func record() -> JSONValue {
    var writer = ShopRecordWriter()
    writer.put("id", id.text)
    if originalID != id { writer.put("original", originalID.text) }
    writer.put("order", orderID)
    writer.put("product", storeProductID)
    writer.put("type", productType.description)
    writer.put("group", subscriptionGroupID)
    writer.put("quantity", quantity)
    writer.put("price", price?.minorUnits)
    writer.put("currency", price?.currency)
    writer.put("storefront", storefront?.description)
    writer.put("token", accountToken?.description)
    writer.put("purchased", purchasedAt)
    if originalPurchasedAt != purchasedAt { writer.put("first_purchased", originalPurchasedAt) }
    writer.put("expires", expiresAt)
    if let revocation { writer["revocation"] = revocation.record() }
    if reason != .purchase { writer.put("reason", reason.rawValue) }
    if let offer { writer["offer"] = offer.record() }
    if ownership != .purchased { writer.put("ownership", ownership.rawValue) }
    writer.put("signed", signedAt)
    return writer.json
  }

  init(reading record: ShopRecordReader) throws(LedgerError) {
    let id = StoreTransactionID(unchecked: try record.text("id"))
    guard let type = ProductType.Kind(rawValue: try record.text("type")) else {
      throw ShopRecordReader.damaged("there is no such product type")
    }
    let price: Money? =
      record.optional("price") == nil
      ? nil : Money(minorUnits: try record.integer("price"), currency: try record.text("currency"))
    let purchasedAt = try record.time("purchased")
    self.init(
      store: record.identity.store, environment: record.identity.environment, id: id,
      originalID: try record.optionalText("original").map { StoreTransactionID(unchecked: $0) },
      orderID: try record.optionalText("order"), bundleID: record.identity.bundleID,
      storeProductID: try record.text("product"), productType: ProductType(type),
      subscriptionGroupID: try record.optionalText("group"), quantity: try record.integer("quantity"), price: price,
      storefront: try record.storefront("storefront"), accountToken: try Self.token(record), purchasedAt: purchasedAt,
      originalPurchasedAt: try record.optionalTime("first_purchased"), expiresAt: try record.optionalTime("expires"),
      revocation: record.optional("revocation") == nil
        ? nil : try Revocation(reading: try record.reader("revocation")),
      reason: try record.optionalOption("reason") ?? .purchase,
      offer: record.optional("offer") == nil ? nil : try Offer(reading: try record.reader("offer")),
      ownership: try record.optionalOption("ownership") ?? .purchased, signedAt: try record.time("signed"))
  }

  private static func token(_ record: ShopRecordReader) throws(LedgerError) -> AccountToken? {
    guard let text = try record.optionalText("token") else { return nil }
    guard let token = AccountToken(text) else { throw ShopRecordReader.damaged("an account token is none") }
    return token
  }
}

extension StoreTransaction.Offer {
  func record() -> JSONValue {
    var writer = ShopRecordWriter()
    writer.put("kind", kind?.rawValue)
    writer.put("id", identifier)
    writer.put("free_trial", flag: isFreeTrial)
    return writer.json
  }

  init(reading record: ShopRecordReader) throws(LedgerError) {
    self.init(
      kind: try record.optionalOption("kind"), identifier: try record.optionalText("id"),
      isFreeTrial: record.flag("free_trial"))
  }
}

extension StoreTransaction.Revocation {
  func record() -> JSONValue {
    var writer = ShopRecordWriter()
    writer.put("at", revokedAt)
    switch extent {
    case .full: break
    case .milliPercent(let share): writer.put("milli_percent", share)
    case .totalQuantity(let quantity): writer.put("quantity", quantity)
    case .quantity(let units): writer.put("units", units)
    }
    writer.put("app_issue", flag: isAppIssue)
    return writer.json
  }

  init(reading record: ShopRecordReader) throws(LedgerError) {
    let share = try record.optionalInteger("milli_percent").map(Extent.milliPercent)
    let quantity = try record.optionalInteger("quantity").map(Extent.totalQuantity)
    let units = try record.optionalInteger("units").map(Extent.quantity)
    self.init(
      revokedAt: try record.time("at"), extent: share ?? quantity ?? units ?? .full,
      isAppIssue: record.flag("app_issue"))
  }
}
