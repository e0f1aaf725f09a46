/// What a period gives of a currency, and what is left of it when the period ends; pure.
enum AllowanceRules {
  /// What is to be booked.
  struct Due: Hashable {
    /// What expires: all that is left of the lot of the period before.
    var expired: Int64
    /// What the new lot gets: what is carried over, and the period's own amount.
    var granted: Int64
    /// When the period began that the new lot is of, in milliseconds.
    var period: Int64
    /// When the new lot expires: with its period; `.max` where that is after all expiries.
    var expiresAt: Int64
  }

  /// What is due at an instant; nil where the period that holds it was granted already, or a later one.
  ///
  /// Periods that went by without a command count as granted, each with its rollover, at the terms as they are now. A
  /// customer who was never granted anything gets one period only, however long they are known.
  ///
  /// - Parameters:
  ///   - period: When the period began that was granted last, in milliseconds; nil where none was.
  ///   - remaining: What was left of that period's lot when it ended, expiry not yet booked.
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

  /// What is left after so many ends of periods, in which nothing was spent.
  ///
  /// Each end takes min(what is left, rollover), and each beginning adds the amount. Since amount + rollover is never
  /// below rollover, the ends in between cut off nothing that the last one would have left.
  private static func carried(_ remaining: Int64, over count: Int64, _ policy: Allowance) -> Int64 {
    let uncut = Int128(remaining) + Int128(count - 1) * Int128(policy.amount)
    return Int64(min(uncut, Int128(policy.rollover)))
  }
}
