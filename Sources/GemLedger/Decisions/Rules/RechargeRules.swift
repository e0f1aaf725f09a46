/// The recharge of a currency with time; pure.
enum RechargeRules {
  /// The state of a recharge at an instant.
  struct Outcome: Hashable {
    /// The amount recharged until then, to be booked; never negative.
    var amount: Int64
    /// Since when the current tick runs, in milliseconds; nil while the balance is full and the clock is stopped.
    var rechargedFrom: Int64?
    /// When that tick is due, in milliseconds; nil while the balance is full.
    var nextTick: Int64?
  }

  /// Returns the due recharge at an instant; call it before and after each change of the balance.
  ///
  /// Before the change, it returns the amount recharged meanwhile. After the change, nothing more is due, and it
  /// returns the clock's state. A stopped clock starts at that instant where the balance is no longer full. A running
  /// clock keeps the part of a tick that has passed. The clock of a balance that became full stops. ``ScheduleRules``
  /// takes changes at several instants, such as an expiry that was not booked yet, in the order of time.
  ///
  /// A clock stores only its beginning, so a new pace or amount applies to the current tick.
  ///
  /// - Parameters:
  ///   - balance: The account's balance, held currency included, less its debt: a debt is repaid first.
  ///   - rechargedFrom: The result of the last call; nil also if there is none.
  static func due(balance: Int64, rechargedFrom: Int64?, now: Timestamp, policy: Recharge) -> Outcome {
    guard balance < policy.upTo else { return Outcome(amount: 0, rechargedFrom: nil, nextTick: nil) }
    let from = rechargedFrom ?? now.milliseconds
    // In 128 bits: neither the time since the beginning of the calendar nor a great debt overflows.
    let every = Int128(policy.every.milliseconds)
    let missing = Int128(policy.upTo) - Int128(balance)
    let ticks = max(0, Int128(now.milliseconds) - Int128(from)) / every
    guard ticks * Int128(policy.amount) < missing else {
      return Outcome(amount: Int64(clamping: missing), rechargedFrom: nil, nextTick: nil)
    }
    // At most now.
    let newFrom = Int128(from) + ticks * every
    return Outcome(
      amount: Int64(ticks * Int128(policy.amount)), rechargedFrom: Int64(newFrom),
      nextTick: Int64(clamping: newFrom + every))
  }
}
