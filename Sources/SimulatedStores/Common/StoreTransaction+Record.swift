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
    let id = StoreTransactionID(unchecked: try record["id"].text())
    guard let type = ProductType.Kind(rawValue: try record["type"].text()) else {
      throw ShopRecordReader.damaged("there is no such product type")
    }
    let price: Money? =
      record["price"].optional == nil
      ? nil : Money(minorUnits: try record["price"].integer(), currency: try record["currency"].text())
    let purchasedAt = try record["purchased"].instant()
    self.init(
      store: record.identity.store, environment: record.identity.environment, id: id,
      originalID: (try record["original"].optional?.text()).map { StoreTransactionID(unchecked: $0) },
      orderID: try record["order"].optional?.text(), bundleID: record.identity.bundleID,
      storeProductID: try record["product"].text(), productType: ProductType(type),
      subscriptionGroupID: try record["group"].optional?.text(), quantity: try record["quantity"].integer(),
      price: price,
      storefront: try record["storefront"].optional?.storefront(), accountToken: try Self.token(record),
      purchasedAt: purchasedAt,
      originalPurchasedAt: try record["first_purchased"].optional?.instant(),
      expiresAt: try record["expires"].optional?.instant(),
      revocation: try record["revocation"].optional.map(Revocation.init(reading:)),
      reason: try record["reason"].optional?.word() ?? .purchase,
      offer: try record["offer"].optional.map(Offer.init(reading:)),
      ownership: try record["ownership"].optional?.word() ?? .purchased, signedAt: try record["signed"].instant())
  }

  private static func token(_ record: ShopRecordReader) throws(LedgerError) -> AccountToken? {
    guard let text = try record["token"].optional?.text() else { return nil }
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
      kind: try record["kind"].optional?.word(), identifier: try record["id"].optional?.text(),
      isFreeTrial: try record["free_trial"].flag())
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
    let share = (try record["milli_percent"].optional?.integer()).map(Extent.milliPercent)
    let quantity = (try record["quantity"].optional?.integer()).map(Extent.totalQuantity)
    let units = (try record["units"].optional?.integer()).map(Extent.quantity)
    self.init(
      revokedAt: try record["at"].instant(), extent: share ?? quantity ?? units ?? .full,
      isAppIssue: try record["app_issue"].flag())
  }
}
