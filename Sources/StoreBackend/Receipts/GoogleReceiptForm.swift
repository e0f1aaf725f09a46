internal import GemLedger

/// Google Play's purchase, with the fields of its ProductPurchase and voided-purchase resources.
///
/// The identity is the purchase token; the order id may be missing. In addition to Google's fields there are
/// `environment`,
/// `signedDate`, `productType`, `initialPurchaseToken` (a renewal's first), `renewal` and `lineItem`.
enum GoogleReceiptForm {
  private static let types = [
    ProductType.consumable, .nonConsumable, .autoRenewableSubscription, .nonRenewingSubscription,
  ].map { ($0.description, $0) }

  static func write(_ transaction: StoreTransaction, to writer: inout JSONWriter) {
    writer.text("kind", "androidpublisher#productPurchase")
    writer.text("purchaseToken", transaction.id.text)
    if transaction.originalID != transaction.id { writer.text("initialPurchaseToken", transaction.originalID.text) }
    writer.text("orderId", transaction.orderID)
    writer.text("packageName", transaction.bundleID)
    writer.text("productId", transaction.storeProductID)
    writer.text("productType", transaction.productType.description)
    writer.text("subscriptionGroup", transaction.subscriptionGroupID)
    writer.text("purchaseTimeMillis", String(transaction.purchasedAt.milliseconds))
    if transaction.originalPurchasedAt != transaction.purchasedAt {
      writer.text("initialPurchaseTimeMillis", String(transaction.originalPurchasedAt.milliseconds))
    }
    writer.text("expiryTimeMillis", transaction.expiresAt.map { String($0.milliseconds) })
    writer.integer("purchaseState", transaction.revocation?.extent == .full ? 1 : 0)
    writer.integer("quantity", transaction.quantity)
    writer.text("obfuscatedExternalAccountId", transaction.accountToken?.description)
    writer.text("regionCode", transaction.storefront?.description)
    if let micros = transaction.price?.scaled(digits: 6) {
      writer.integer("priceAmountMicros", micros)
      writer.text("priceCurrencyCode", transaction.price?.currency)
    }
    if transaction.reason == .renewal { writer.integer("renewal", 1) }
    if transaction.isLineItem { writer.integer("lineItem", 1) }
    // A promotion code at Google Play results in a purchase of type 1, which is free.
    if transaction.offer?.kind == .code { writer.integer("purchaseType", 1) }
    writer.text("offerId", transaction.offer?.identifier)
    if let revocation = transaction.revocation { write(revocation, of: transaction.quantity, to: &writer) }
    writer.text("environment", ReceiptForm.name(of: transaction.environment))
    writer.instant("signedDate", transaction.signedAt)
  }

  private static func write(
    _ revocation: StoreTransaction.Revocation, of quantity: Int64, to writer: inout JSONWriter
  ) {
    writer.text("voidedTimeMillis", String(revocation.revokedAt.milliseconds))
    writer.integer("voidedReason", revocation.isAppIssue ? 3 : 0)
    switch revocation.extent {
    case .full: break
    case .milliPercent(let share): writer.integer("voidedMilliPercent", share)
    case .quantity(let units): writer.integer("voidedQuantity", units)
    case .totalQuantity(let units): writer.integer("refundableQuantity", max(0, quantity - units))
    }
  }

  static func transaction(
    from fields: ReceiptFields, environment: StoreEnvironment
  ) throws(LedgerError) -> StoreTransaction {
    let token = try fields["purchaseToken"].storeTransactionID()
    // Apps get other member names from the billing client than backends get from Google's server, and fewer members.
    let stated = (try fields["purchaseTimeMillis"].optional?.timeText(), try fields["purchaseTime"].optional?.time())
    guard let purchasedAt = stated.0 ?? stated.1 else { throw ReceiptFields.malformed("purchaseTimeMillis is missing") }
    let quantity = try fields["quantity"].optional?.integer(in: 0...Int64.max) ?? 1
    let revocation = try revocation(fields, of: quantity)
    return StoreTransaction(
      store: .google, environment: environment, id: token,
      originalID: (try fields["initialPurchaseToken"].optional?.shortText()).map(StoreTransactionID.init(unchecked:))
        ?? token,
      orderID: try fields["orderId"].nonEmpty?.shortText(), bundleID: try fields["packageName"].name(),
      storeProductID: try productID(fields), productType: try productType(fields),
      subscriptionGroupID: try fields["subscriptionGroup"].optional?.shortText(),
      quantity: quantity,
      price: fields.price("priceAmountMicros", currency: "priceCurrencyCode", scale: 6),
      storefront: (try fields["regionCode"].optional?.shortText()).flatMap(StorefrontCode.init(exactly:)),
      accountToken: try accountToken(fields), purchasedAt: purchasedAt,
      originalPurchasedAt: try fields["initialPurchaseTimeMillis"].optional?.timeText() ?? purchasedAt,
      expiresAt: try fields["expiryTimeMillis"].optional?.timeText(), revocation: revocation,
      reason: try fields["renewal"].optional?.integer(in: 0...1) == 1 ? .renewal : .purchase,
      offer: try offer(fields), isLineItem: try fields["lineItem"].optional?.integer(in: 0...1) == 1,
      signedAt: try fields["signedDate"].optional?.time() ?? purchasedAt)
  }

  /// The product; newer billing clients write a list of products.
  ///
  /// - Throws: `receipt_malformed`; `receipt_unverified` with the check `line_items` for several products, because the
  ///   signed purchase does not state their quantities: Google's server does.
  private static func productID(_ fields: ReceiptFields) throws(LedgerError) -> String {
    guard let list = fields["productIds"].value?.array, !list.isEmpty else { return try fields["productId"].name() }
    guard list.count == 1 else {
      throw LedgerError(
        .receiptUnverified,
        "The purchase is of \(list.count) products, and its signed form states no quantities. Start the server with "
          + "--google-service-account, so that it asks Google Play for them.",
        details: [.text("check", "line_items")])
    }
    return try fields["productIds"].elements()[0].name()
  }

  private static func offer(_ fields: ReceiptFields) throws(LedgerError) -> StoreTransaction.Offer? {
    let isPromotion = try fields["purchaseType"].optional?.integer(in: 0...Int64.max) == 1
    let identifier = try fields["offerId"].nonEmpty?.shortText()
    guard isPromotion || identifier != nil else { return nil }
    return StoreTransaction.Offer(kind: isPromotion ? .code : nil, identifier: identifier)
  }

  private static func canceledAt(_ fields: ReceiptFields) throws(LedgerError) -> Timestamp? {
    let dates = (
      try fields["signedDate"].optional?.time(), try fields["purchaseTimeMillis"].optional?.timeText(),
      try fields["purchaseTime"].optional?.time()
    )
    return dates.0 ?? dates.1 ?? dates.2
  }

  private static func productType(_ fields: ReceiptFields) throws(LedgerError) -> ProductType {
    if try fields["productType"].optional?.shortText() != nil { return try fields["productType"].word(types) }
    return fields["autoRenewing"].value == nil ? .consumable : .autoRenewableSubscription
  }

  /// Apps may put any text there; only a customer's derived token and the digest of an id name a buyer.
  private static func accountToken(_ fields: ReceiptFields) throws(LedgerError) -> AccountToken? {
    let stated = (
      try fields["obfuscatedExternalAccountId"].nonEmpty?.shortText(),
      try fields["obfuscatedAccountId"].nonEmpty?.shortText()
    )
    return (stated.0 ?? stated.1).flatMap(AccountToken.init(obfuscated:))
  }

  private static func revocation(
    _ fields: ReceiptFields, of quantity: Int64
  ) throws(LedgerError) -> StoreTransaction.Revocation? {
    let state = try fields["purchaseState"].optional?.integer(in: 0...Int64.max)
    // The developer API uses 2, the billing client 4.
    guard state != 2, state != 4 else { throw ReceiptFields.malformed("the purchase is pending: it is not paid yet") }
    guard let revokedAt = try fields["voidedTimeMillis"].optional?.timeText() else {
      // A cancelled purchase gives nothing, even without a date of the cancellation.
      guard state == 1, let at = try canceledAt(fields) else { return nil }
      return StoreTransaction.Revocation(revokedAt: at)
    }
    let units = try fields["voidedQuantity"].optional?.integer(in: 1...Limits.quantity)
    let share = try fields["voidedMilliPercent"].optional?.integer(in: 1...100_000)
    let left = try fields["refundableQuantity"].optional?.integer(in: 0...Int64.max)
    let extent: StoreTransaction.Revocation.Extent =
      if let units {
        .quantity(units)
      } else if let share {
        .milliPercent(share)
      } else if let left, (1..<quantity).contains(left) {
        .totalQuantity(quantity - left)
      } else {
        .full
      }
    return StoreTransaction.Revocation(
      revokedAt: revokedAt, extent: extent,
      isAppIssue: try fields["voidedReason"].optional?.integer(in: 0...Int64.max) == 3)
  }
}
