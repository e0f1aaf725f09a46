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
        .receiptFutureDated, "The receipt's \(check) \(date) lies in the future; here it is \(now).",
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
      .environmentNotAllowed, "The receipt comes from the \(environment) environment, which is not credited here.",
      details: [.text("environment", environment.description)])
  }

  /// Why a purchase is none of those that are credited here, whoever posts it; nil where it is one.
  func reasonOfForeign(_ transaction: StoreTransaction) -> HoldReason? {
    do throws(LedgerError) {
      try check(bundleID: transaction.bundleID)
      try check(environment: transaction.environment, customer: CustomerID(unchecked: ""))
      return nil
    } catch {
      return error.code == .bundleMismatch ? .app : .environment
    }
  }

  /// Until when a transaction waits for the customer of its token, whom no device has registered.
  ///
  /// Nil where another customer is credited instead.
  ///
  /// Another app on the same store account may have found the purchase first, and must not take it.
  func hold(
    forBuyerOf transaction: StoreTransaction, _ wait: BuyerWait, now: Timestamp
  ) -> (until: Timestamp, error: LedgerError)? {
    let end = transaction.purchasedAt.advanced(milliseconds: policy.unknownBuyerWaitMilliseconds)
    let seconds = (max(end.milliseconds(since: now), 0) + 999) / 1000
    guard wait == .poster, policy.unknownBuyerWaitMilliseconds > 0, seconds > 0 else { return nil }
    let error = LedgerError(
      .validationPending,
      "The purchase names a buyer whom this backend does not know yet. It is credited as soon as that is so, and in "
        + "\((seconds + 59) / 60) minutes to whoever posted it first.",
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
    // An offer has a price of its own, which catalogs do not list.
    guard policy.checksPrice, !product.type.isSubscription, transaction.offer == nil, let price = transaction.price
    else { return }
    try Self.check(price, quantity: transaction.quantity, product: product, storefront: transaction.storefront)
  }

  /// The price must be one that the catalog asks for: in the storefront, or anywhere for that currency where the store
  /// does not name one.
  ///
  /// Where the catalog has no price to compare with, there is nothing to compare: stores sell in more countries than
  /// catalogs list.
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

  /// The price that an app announces must be one that the catalog asks for, in a currency that the catalog has a price
  /// in: an app that cannot name one leaves the price out.
  ///
  /// - Throws: `amount_mismatch`.
  static func check(announced price: Money, quantity: Int64, product: Product) throws(LedgerError) {
    let asked = prices(of: product, in: price.currency)
    guard !asked.isEmpty else {
      throw mismatch(
        "The catalog has no price for \"\(product.code)\" in \(price.currency.prefix(100)); leave the price out where "
          + "it cannot be compared.", "currency")
    }
    try check(price, quantity: quantity, product: product, among: asked)
  }

  /// Whether the price is the one of any of these versions of the product.
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
      "\(quantity) of \"\(product.code)\" cost \(asked[0]) \(asked[0].currency) each; "
        + "\(price.minorUnits) \(price.currency) (minor units) is another price.", "price")
  }

  private static func mismatch(_ message: String, _ field: String) -> LedgerError {
    LedgerError(.amountMismatch, message, details: [.text("field", field)])
  }
}
