/// The checks of a request that need nothing but the request.
enum RequestRules {
  /// - Throws: in order of precedence `invalid_request`, `limit_exceeded`, `amount_out_of_range`.
  static func check(_ adjust: LedgerCommand.Adjust, conditions: [Condition]) throws(LedgerError) {
    let adjustments = adjust.adjustments
    guard !adjustments.isEmpty else {
      throw .invalid("There is nothing to adjust: name at least one currency and amount.")
    }
    if adjustments.count > 1 { try refuseRepeatedCodes(adjustments) }
    if adjust.source == .paid, adjustments.contains(where: { $0.amount > 0 }) || adjust.createsCustomer {
      throw .invalid("Only a purchase makes paid currency; choose another source for the grant.")
    }
    if let expiresAt = adjust.expiresAt { try check(expiry: expiresAt) }
    try check(conditions, cover: adjustments)
    guard adjustments.count <= Limits.adjustmentsPerRequest else {
      throw LedgerError(
        .limitExceeded,
        "\(adjustments.count) adjustments in one request; the most is \(Limits.adjustmentsPerRequest).",
        details: [.integer("count", Int64(adjustments.count)), .integer("limit", Int64(Limits.adjustmentsPerRequest))])
    }
    for adjustment in adjustments { try check(adjustment, isGrant: adjust.createsCustomer) }
  }

  /// - Throws: in order of precedence `invalid_request`, `limit_exceeded`.
  static func check(_ conditions: [Condition], cover adjustments: [Adjustment]) throws(LedgerError) {
    guard !conditions.isEmpty else { return }
    let covered = Set(adjustments.map(\.currency))
    for condition in conditions where !covered.contains(condition.currency) {
      throw .invalid("A condition names \(condition.currency), which the request does not adjust.")
    }
    guard conditions.count <= 3 * Limits.adjustmentsPerRequest else {
      throw LedgerError(
        .limitExceeded,
        "\(conditions.count) conditions in one request; the most is \(3 * Limits.adjustmentsPerRequest).")
    }
  }

  /// - Throws: `invalid_request`.
  static func check(expiry: Timestamp) throws(LedgerError) {
    guard expiry.milliseconds < Limits.expiryMilliseconds else {
      throw .invalid(
        "The expiry \(expiry.milliseconds) ms is after the year 9999; leave it out for currency that never expires.")
    }
  }

  /// - Throws: in order of precedence `invalid_request`, `amount_out_of_range`.
  static func check(_ purchase: StorePurchase) throws(LedgerError) {
    if let price = purchase.price {
      guard price.currency.utf8.count == 3, price.currency.utf8.allSatisfy({ (0x41...0x5A).contains($0) }) else {
        throw .invalid(
          "\"\(price.currency.prefix(20))\" is not a currency of prices: three capital letters, such as USD.")
      }
    }
    try check(quantity: purchase.quantity, of: purchase.product.text)
    guard purchase.price.map({ (0...Limits.amount).contains($0.minorUnits) }) ?? true else {
      throw outOfRange(
        "The price of a purchase is out of range: 0 to \(Limits.amount).", purchase.price?.minorUnits ?? 0)
    }
  }

  /// - Throws: `invalid_request`.
  static func check(expiry: Timestamp, isAfter now: Timestamp) throws(LedgerError) {
    guard expiry > now else { throw .invalid("The expiry \(expiry) is not in the future; it is \(now) now.") }
  }

  static func check(quantity: Int64, of what: String) throws(LedgerError) {
    guard (1...Limits.quantity).contains(quantity) else {
      throw LedgerError(
        .amountOutOfRange, "A quantity of \(quantity) \(what) is out of range: 1 to \(Limits.quantity).",
        details: [.integer("amount", quantity), .integer("limit", Limits.quantity)])
    }
  }

  static func outOfRange(_ message: String, _ amount: Int64) -> LedgerError {
    LedgerError(.amountOutOfRange, message, details: [.integer("amount", amount), .integer("limit", Limits.amount)])
  }

  static func check(_ adjustment: Adjustment, isGrant: Bool) throws(LedgerError) {
    let amount = adjustment.amount
    guard amount != 0 else {
      throw outOfRange("The amount of \(adjustment.currency) is 0; it must be at least 1.", amount)
    }
    guard amount > 0 || !isGrant else {
      throw outOfRange("A grant of \(amount) \(adjustment.currency) is out of range: it must be at least 1.", amount)
    }
    guard amount >= -Limits.amount, amount <= Limits.amount else {
      throw outOfRange(
        "The amount \(amount) of \(adjustment.currency) is out of range: at most \(Limits.amount).", amount)
    }
  }

  static func refuseRepeatedCodes(_ adjustments: [Adjustment]) throws(LedgerError) {
    var seen: Set<CurrencyCode> = []
    for adjustment in adjustments where !seen.insert(adjustment.currency).inserted {
      throw .invalid("\(adjustment.currency) is named twice; add its amounts up first.")
    }
  }
}
