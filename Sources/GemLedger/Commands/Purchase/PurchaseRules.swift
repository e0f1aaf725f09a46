/// The credits of a purchase; pure.
package enum PurchaseRules {
  /// - Throws: in order of precedence `invalid_request`, `amount_out_of_range`.
  static func check(_ purchase: StorePurchase) throws(LedgerError) {
    if let price = purchase.price {
      guard price.currency.utf8.count == 3, price.currency.utf8.allSatisfy({ (0x41...0x5A).contains($0) }) else {
        throw .invalid(
          "\"\(price.currency.prefix(20))\" is not a price currency: use three capital letters, such as USD.")
      }
    }
    try RequestRules.check(quantity: purchase.quantity, of: purchase.product.text)
    guard purchase.price.map({ (0...Limits.amount).contains($0.minorUnits) }) ?? true else {
      throw RequestRules.outOfRange(
        "The price of a purchase is out of range: 0 to \(Limits.amount).", purchase.price?.minorUnits ?? 0)
    }
  }

  /// Returns the lots of the purchase by currency, in the order of codes.
  ///
  /// Paid and bonus parts are separate lots; a purchase without payment makes bonus lots only. The price is spread
  /// evenly over the paid currencies; shares round down and the last takes the rest.
  ///
  /// - Throws: `amount_out_of_range` when amount times quantity passes the hard limit.
  package static func credits(
    of product: Product, for purchase: StorePurchase, number: Int64, environment: Int64
  ) throws(LedgerError) -> [(CurrencyCode, [LotCredit])] {
    let grants = product.grants.sorted { $0.currency < $1.currency }
    var shares = PriceShares(
      price: purchase.terms == .paid ? purchase.price : nil, parts: grants.count { $0.amount > 0 })
    var credits: [(CurrencyCode, [LotCredit])] = []
    for grant in grants {
      let expiresAt = grant.expiresAtCycleEnd ? expiry(of: purchase) : .max
      var lots: [LotCredit] = []
      if purchase.terms != .paid {
        let whole = grant.amount + grant.bonus
        lots.append(
          LotCredit(
            amount: try times(purchase.terms == .trial ? grant.trial ?? whole : whole, purchase), source: .bonus,
            environment: environment,
            price: nil, purchase: number, expiresAt: expiresAt))
        credits.append((grant.currency, lots))
        continue
      }
      if grant.amount > 0 {
        lots.append(
          LotCredit(
            amount: try times(grant.amount, purchase), source: .paid, environment: environment, price: shares.next(),
            purchase: number, expiresAt: expiresAt))
      }
      if grant.bonus > 0 {
        lots.append(
          LotCredit(
            amount: try times(grant.bonus, purchase), source: .bonus, environment: environment, price: nil,
            purchase: number, expiresAt: expiresAt))
      }
      credits.append((grant.currency, lots))
    }
    return credits
  }

  /// Returns the balance after the credit.
  ///
  /// A paid credit may pass the currency's maximum, but never the hard limit.
  static func balance(after plan: AccountPlan, account: AccountRow) throws(LedgerError) -> Int64 {
    // The part that repays a debt is not added.
    let balance = account.balance - plan.expiredAmount - min(plan.amount, account.debt)
    guard plan.amount <= Limits.amount - balance else {
      throw RequestRules.outOfRange(
        "A credit of \(plan.amount) \(plan.currency.code) would pass the largest possible balance, \(Limits.amount).",
        plan.amount)
    }
    return balance + plan.amount
  }

  /// Returns the end of the purchase's cycle as an expiry; `.max` if it is after the latest possible expiry.
  ///
  /// Paid currency is credited for every date of the store. A date before the earliest possible expiry becomes that
  /// expiry: both are in the past.
  private static func expiry(of purchase: StorePurchase) -> Int64 {
    guard let end = purchase.cycleEndsAt?.milliseconds, end < Limits.expiryMilliseconds else { return .max }
    return max(end, -RowBounds.instant)
  }

  private static func times(_ amount: Int64, _ purchase: StorePurchase) throws(LedgerError) -> Int64 {
    let (product, overflow) = amount.multipliedReportingOverflow(by: purchase.quantity)
    guard !overflow, product <= Limits.amount else {
      throw RequestRules.outOfRange(
        "\(purchase.quantity) of \(purchase.product) would give more than \(Limits.amount).", amount)
    }
    return product
  }
}
