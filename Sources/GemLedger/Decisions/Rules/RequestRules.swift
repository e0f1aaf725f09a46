/// The checks of a request that need nothing but the request.
package enum RequestRules {
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

  /// - Throws: `invalid_request`.
  static func check(expiry: Timestamp, isAfter now: Timestamp) throws(LedgerError) {
    guard expiry > now else { throw .invalid("The expiry \(expiry) is not in the future; it is \(now) now.") }
  }

  static func check(quantity: Int64, of what: String) throws(LedgerError) {
    guard (1...Limits.quantity).contains(quantity) else {
      throw LedgerError(
        .amountOutOfRange, "The quantity \(quantity) of \(what) is out of range: 1 to \(Limits.quantity).",
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

  package static func refuseRepeatedCodes(_ adjustments: [Adjustment]) throws(LedgerError) {
    var seen: Set<CurrencyCode> = []
    for adjustment in adjustments where !seen.insert(adjustment.currency).inserted {
      throw .invalid("\(adjustment.currency) is named twice; add its amounts up first.")
    }
  }

  /// Amounts that are all positive, each currency once.
  ///
  /// - Throws: in order of precedence `invalid_request`, `limit_exceeded`, `amount_out_of_range`.
  static func check(amounts: [Adjustment], conditions: [Condition], of what: String) throws(LedgerError) {
    guard !amounts.isEmpty else {
      throw .invalid("There is nothing to \(what): name at least one currency and amount.")
    }
    if amounts.count > 1 { try refuseRepeatedCodes(amounts) }
    try check(conditions, cover: amounts)
    guard amounts.count <= Limits.adjustmentsPerRequest else {
      throw LedgerError(
        .limitExceeded, "\(amounts.count) amounts in one request; the most is \(Limits.adjustmentsPerRequest).",
        details: [.integer("count", Int64(amounts.count)), .integer("limit", Int64(Limits.adjustmentsPerRequest))])
    }
    for amount in amounts { try check(amount, of: what) }
  }

  /// - Throws: `amount_out_of_range`.
  static func check(_ amount: Adjustment, of what: String) throws(LedgerError) {
    guard (1...Limits.amount).contains(amount.amount) else {
      throw outOfRange(
        "The amount \(amount.amount) of \(amount.currency) to \(what) is out of range: 1 to \(Limits.amount).",
        amount.amount)
    }
  }
}
