/// The amount that a period gives of a currency, and the rest that it carries over; pure.
enum AllowanceRules {
  /// The amounts to book.
  struct Due: Hashable {
    /// The expiring amount: all that is left of the lot of the period before.
    var expired: Int64
    /// The amount of the new lot: the amount carried over, and the period's amount.
    var granted: Int64
    /// The beginning of the new lot's period, in milliseconds.
    var period: Int64
    /// When the new lot expires: with its period; `.max` if that is after all expiries.
    var expiresAt: Int64
  }

  /// Returns the due allowance at an instant; nil if the period of the instant, or a later one, was granted already.
  ///
  /// Periods without a command count as granted, each with its rollover, by the current definition. A customer without
  /// any earlier grant gets one period only, however old the customer is.
  ///
  /// - Parameters:
  ///   - period: The beginning of the period that was granted last, in milliseconds; nil if none was.
  ///   - remaining: The rest of that period's lot at its end, expiry not yet booked.
  static func due(period: Int64?, remaining: Int64, now: Timestamp, policy: Allowance) -> Due? {
    let start = policy.per.start(of: now)
    let end = policy.per.next(after: now).milliseconds
    var due = Due(
      expired: 0, granted: policy.amount, period: start.milliseconds,
      expiresAt: end < Limits.expiryMilliseconds ? end : .max)
    guard let period else { return due }
    let count = policy.per.count(from: Timestamp(milliseconds: period), to: now)
    guard count > 0 else { return nil }
    due.expired = remaining
    due.granted += carried(remaining, over: count, policy)
    return due
  }

  /// Returns the amount carried over after that many ends of periods without a spend.
  ///
  /// Each end keeps min(rest, rollover), and each beginning adds the amount. Since amount + rollover is never below
  /// rollover, the earlier ends cut off nothing that the last end would have left.
  private static func carried(_ remaining: Int64, over count: Int64, _ policy: Allowance) -> Int64 {
    let uncut = Int128(remaining) + Int128(count - 1) * Int128(policy.amount)
    return Int64(min(uncut, Int128(policy.rollover)))
  }
}
