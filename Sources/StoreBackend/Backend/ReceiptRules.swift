internal import GemLedger

/// The conditions under which a verified receipt is credited; pure.
struct ReceiptRules {
  let policy: BackendPolicy
  let settings: CatalogSettings

  /// - Throws: `receipt_future_dated` with the detail `check`.
  static func check(
    datesOf transaction: StoreTransaction, now: Timestamp, skewMilliseconds: Int64
  ) throws(LedgerError) {
    let latest = now.advanced(milliseconds: skewMilliseconds)
    for (check, date) in [("signed_date", transaction.signedAt), ("purchase_date", transaction.purchasedAt)]
    where date > latest {
      throw LedgerError(
        .receiptFutureDated, "The receipt's \(check) \(date) is in the future; the time of this server is \(now).",
        details: [.text("check", check)])
    }
  }

  /// - Throws: `bundle_mismatch`.
  func check(bundleID: String) throws(LedgerError) {
    let wanted = policy.bundleIDs ?? settings.bundleID.map { [$0] }
    guard let wanted, !wanted.contains(where: { $0.hasBytes(of: bundleID) }) else { return }
    throw LedgerError(
      .bundleMismatch,
      "The receipt is for the app \"\(bundleID.prefix(100))\"; this backend credits "
        + "\(wanted.sorted().prefix(5).joined(separator: ", ")).", details: [.text("bundle_id", bundleID)])
  }

  /// - Throws: `environment_not_allowed`.
  func check(environment: StoreEnvironment, customer: CustomerID) throws(LedgerError) {
    guard environment != .production else { return }
    switch (policy.sandboxReceipts ?? settings.sandboxReceipts).kind {
    case .anybody: return
    case .listed where policy.testers.contains(customer): return
    case .listed, .nobody: break
    }
    throw LedgerError(
      .environmentNotAllowed, "The receipt is of the \(environment) environment, which is not credited here.",
      details: [.text("environment", environment.description)])
  }

  /// Returns why a purchase is not credited here for any poster; nil if it is credited here.
  func reasonOfForeign(_ transaction: StoreTransaction) -> HoldReason? {
    do throws(LedgerError) {
      try check(bundleID: transaction.bundleID)
      try check(environment: transaction.environment, customer: CustomerID(unchecked: ""))
      return nil
    } catch {
      return error.code == .bundleMismatch ? .app : .environment
    }
  }

  /// Returns until when a transaction waits for its token's customer to be registered by a device.
  ///
  /// Nil if another customer is credited instead. Another app on the store account may have found the purchase first,
  /// and must not take it.
  func hold(
    forBuyerOf transaction: StoreTransaction, _ wait: BuyerWait, now: Timestamp
  ) -> (until: Timestamp, error: LedgerError)? {
    let end = transaction.purchasedAt.advanced(milliseconds: policy.unknownBuyerWaitMilliseconds)
    let seconds = (max(end.milliseconds(since: now), 0) + 999) / 1000
    guard wait == .poster, policy.unknownBuyerWaitMilliseconds > 0, seconds > 0 else { return nil }
    let error = LedgerError(
      .validationPending,
      "The purchase waits for its buyer to be registered. It is credited when the buyer registers, or in "
        + "\((seconds + 59) / 60) minutes to the customer that posted it first.",
      details: [.text("reason", HoldReason.buyer.name), .integer("retry_after", seconds)])
    return (end, error)
  }

  /// - Throws: `amount_mismatch`.
  func check(quantityOf transaction: StoreTransaction, product: Product) throws(LedgerError) {
    let (quantity, isConsumable) = (transaction.quantity, product.type == .consumable)
    guard quantity == 1 || isConsumable && (1...Limits.quantity).contains(quantity) else {
      throw Self.mismatch(
        "The receipt is for \(quantity) of \"\(product.code)\", which is sold one at a time.", "quantity")
    }
  }

  /// - Throws: `amount_mismatch`.
  func check(priceOf transaction: StoreTransaction, product: Product) throws(LedgerError) {
    // An offer has a separate price, which catalogs do not list.
    guard policy.checksPrice, !product.type.isSubscription, transaction.offer == nil, let price = transaction.price
    else { return }
    try Self.check(price, quantity: transaction.quantity, product: product, storefront: transaction.storefront)
  }

  /// Checks that the price is in the catalog: for the storefront or, if the store does not name one, for any storefront
  /// with that currency.
  ///
  /// If the catalog has no such price, nothing is compared: stores sell in more countries than catalogs list.
  ///
  /// - Throws: `amount_mismatch`.
  static func check(
    _ price: Money, quantity: Int64, product: Product, storefront: StorefrontCode?
  ) throws(LedgerError) {
    let asked: [Price] =
      if let storefront {
        [product.prices[storefront], product.discountPrices[storefront]].compactMap(\.self)
      } else {
        prices(of: product, in: price.currency)
      }
    guard !asked.isEmpty else { return }
    try check(price, quantity: quantity, product: product, among: asked)
  }

  /// Checks that the announced price is in the catalog, which must have a price in its currency.
  ///
  /// An app that cannot name such a price omits it.
  ///
  /// - Throws: `amount_mismatch`.
  static func check(announced price: Money, quantity: Int64, product: Product) throws(LedgerError) {
    let asked = prices(of: product, in: price.currency)
    guard !asked.isEmpty else {
      throw mismatch(
        "The catalog has no price for \"\(product.code)\" in \(price.currency.prefix(100)). "
          + "Omit the price if it cannot be compared.", "currency")
    }
    try check(price, quantity: quantity, product: product, among: asked)
  }

  /// Returns whether any of these versions of the product has the price.
  func isPrice(of transaction: StoreTransaction, amongThoseOf versions: [Product]) -> Bool {
    versions.contains { version in
      do throws(LedgerError) {
        try check(priceOf: transaction, product: version)
        return true
      } catch {
        return false
      }
    }
  }

  private static func prices(of product: Product, in currency: String) -> [Price] {
    (Array(product.prices.values) + product.discountPrices.values).filter { $0.currency.code.hasBytes(of: currency) }
  }

  private static func check(
    _ price: Money, quantity: Int64, product: Product, among asked: [Price]
  ) throws(LedgerError) {
    let fits = asked.contains { asked in
      let (total, overflow) = asked.minorUnits.multipliedReportingOverflow(by: quantity)
      return !overflow && total == price.minorUnits && asked.currency.code.hasBytes(of: price.currency)
    }
    guard !fits else { return }
    throw mismatch(
      "\(quantity) of \"\(product.code)\" cost \(asked[0]) \(asked[0].currency) each, "
        + "not \(price.minorUnits) \(price.currency) (minor units) in total.", "price")
  }

  private static func mismatch(_ message: String, _ field: String) -> LedgerError {
    LedgerError(.amountMismatch, message, details: [.text("field", field)])
  }
}
