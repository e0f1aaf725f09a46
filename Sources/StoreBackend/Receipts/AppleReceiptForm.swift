internal import GemLedger

/// Apple's JWSTransaction payload.
///
/// In addition to Apple's fields there are `store` (except for the App Store) and `revokedQuantity` (a refund by units,
/// which Apple would state as a percentage).
enum AppleReceiptForm {
  private static let types: [(String, ProductType)] = [
    ("Consumable", .consumable), ("Non-Consumable", .nonConsumable),
    ("Auto-Renewable Subscription", .autoRenewableSubscription),
    ("Non-Renewing Subscription", .nonRenewingSubscription),
  ]

  static func write(_ transaction: StoreTransaction, to writer: inout JSONWriter) {
    writer.text("transactionId", transaction.id.text)
    writer.text("originalTransactionId", transaction.originalID.text)
    writer.text("webOrderLineItemId", transaction.orderID)
    writer.text("bundleId", transaction.bundleID)
    writer.text("productId", transaction.storeProductID)
    writer.text("subscriptionGroupIdentifier", transaction.subscriptionGroupID)
    writer.instant("purchaseDate", transaction.purchasedAt)
    writer.instant("originalPurchaseDate", transaction.originalPurchasedAt)
    writer.instant("expiresDate", transaction.expiresAt)
    writer.integer("quantity", transaction.quantity)
    writer.text("type", name(of: transaction.productType))
    writer.text("appAccountToken", transaction.accountToken?.description)
    writer.text("inAppOwnershipType", transaction.ownership.rawValue)
    if let offer = transaction.offer { write(offer, to: &writer) }
    writer.instant("signedDate", transaction.signedAt)
    if let revocation = transaction.revocation { write(revocation, to: &writer) }
    writer.text("environment", ReceiptForm.name(of: transaction.environment))
    writer.text("transactionReason", transaction.reason.rawValue)
    writer.text("storefront", transaction.storefront?.description)
    if let milliunits = transaction.price?.scaled(digits: 3) {
      writer.integer("price", milliunits)
      writer.text("currency", transaction.price?.currency)
    }
    if transaction.store != .apple { writer.text("store", transaction.store.description) }
  }

  /// Apple numbers the kinds of offers from 1.
  private static func write(_ offer: StoreTransaction.Offer, to writer: inout JSONWriter) {
    let number = offer.kind.flatMap { StoreTransaction.Offer.Kind.allCases.firstIndex(of: $0) }
    if let number { writer.integer("offerType", Int64(number) + 1) }
    writer.text("offerIdentifier", offer.identifier)
    if offer.isFreeTrial { writer.text("offerDiscountType", "FREE_TRIAL") }
  }

  private static func offer(_ fields: ReceiptFields) throws(LedgerError) -> StoreTransaction.Offer? {
    let number = try fields["offerType"].optional?.integer(in: 0...Int64.max)
    let offer = StoreTransaction.Offer(
      kind: number.flatMap { StoreTransaction.Offer.Kind.numbered($0) },
      identifier: try fields["offerIdentifier"].nonEmpty?.shortText(),
      isFreeTrial: try fields["offerDiscountType"].optional?.shortText() == "FREE_TRIAL")
    // An offer with only an unknown kind has no information.
    return offer == StoreTransaction.Offer(kind: nil) ? nil : offer
  }

  private static func write(_ revocation: StoreTransaction.Revocation, to writer: inout JSONWriter) {
    writer.instant("revocationDate", revocation.revokedAt)
    writer.integer("revocationReason", revocation.isAppIssue ? 1 : 0)
    switch revocation.extent {
    case .full: writer.text("revocationType", "REFUND_FULL")
    case .milliPercent(let share):
      writer.text("revocationType", "REFUND_PRORATED")
      writer.integer("revocationPercentage", share)
    case .totalQuantity(let units):
      writer.text("revocationType", "REFUND_PRORATED")
      writer.integer("revokedQuantity", units)
    case .quantity(let units):
      writer.text("revocationType", "REFUND_PRORATED")
      writer.integer("revokedUnits", units)
    }
  }

  static func transaction(
    from fields: ReceiptFields, environment: StoreEnvironment
  ) throws(LedgerError) -> StoreTransaction {
    let purchasedAt = try fields["purchaseDate"].time()
    return StoreTransaction(
      store: try store(fields), environment: environment, id: try fields["transactionId"].storeTransactionID(),
      originalID: (try fields["originalTransactionId"].optional?.shortText()).map(StoreTransactionID.init(unchecked:)),
      orderID: try fields["webOrderLineItemId"].nonEmpty?.shortText(), bundleID: try fields["bundleId"].name(),
      storeProductID: try fields["productId"].name(),
      productType: types.first { $0.0 == fields["type"].value?.text }?.1 ?? .consumable,
      subscriptionGroupID: try fields["subscriptionGroupIdentifier"].nonEmpty?.shortText(),
      quantity: try fields["quantity"].optional?.integer(in: 0...Int64.max) ?? 1,
      price: fields.price("price", currency: "currency", scale: 3), storefront: try storefront(fields),
      accountToken: try fields["appAccountToken"].nonEmpty?.accountToken(), purchasedAt: purchasedAt,
      originalPurchasedAt: try fields["originalPurchaseDate"].optional?.time() ?? purchasedAt,
      expiresAt: try fields["expiresDate"].optional?.time(), revocation: try revocation(fields),
      reason: (try fields["transactionReason"].optional?.shortText()).flatMap(StoreTransaction.Reason.init)
        ?? .purchase,
      offer: try offer(fields),
      ownership: (try fields["inAppOwnershipType"].optional?.shortText()).flatMap(StoreTransaction.Ownership.init)
        ?? .purchased,
      signedAt: try fields["signedDate"].time())
  }

  private static func store(_ fields: ReceiptFields) throws(LedgerError) -> Store {
    guard let name = try fields["store"].optional?.shortText() else { return .apple }
    guard let store = Store(name: name), store != .google else {
      throw ReceiptFields.malformed("store is \"\(name.prefix(60))\", which is not known")
    }
    return store
  }

  private static func storefront(_ fields: ReceiptFields) throws(LedgerError) -> StorefrontCode? {
    // An unknown storefront is no reason to refuse a paid purchase.
    (try fields["storefront"].nonEmpty?.shortText()).flatMap(StorefrontCode.init(exactly:))
  }

  private static func revocation(_ fields: ReceiptFields) throws(LedgerError) -> StoreTransaction.Revocation? {
    guard let revokedAt = try fields["revocationDate"].optional?.time() else { return nil }
    let share = try fields["revocationPercentage"].optional?.integer(in: 0...100_000)
    // Nothing was given back.
    if share == 0, fields["revocationType"].value?.text == "REFUND_PRORATED" { return nil }
    let units = try fields["revokedQuantity"].optional?.integer(in: 1...Limits.quantity)
    let single = try fields["revokedUnits"].optional?.integer(in: 1...Limits.quantity)
    let extent: StoreTransaction.Revocation.Extent =
      if let units {
        .totalQuantity(units)
      } else if let single {
        .quantity(single)
      } else if let share, (1..<100_000).contains(share) {
        .milliPercent(share)
      } else {
        .full
      }
    return StoreTransaction.Revocation(
      revokedAt: revokedAt, extent: extent,
      isAppIssue: try fields["revocationReason"].optional?.integer(in: 0...Int64.max) == 1)
  }

  private static func name(of type: ProductType) -> String {
    types.first { $0.1 == type }?.0 ?? "Consumable"
  }
}

extension StoreTransaction.Offer.Kind {
  /// The kind with Apple's number.
  fileprivate static func numbered(_ number: Int64) -> Self? {
    (1...Int64(allCases.count)).contains(number) ? allCases[Int(number) - 1] : nil
  }
}
