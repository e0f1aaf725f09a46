/// What comes back of a currency as time goes by; pure.
enum RechargeRules {
  /// How things stand at an instant.
  struct Outcome: Hashable {
    /// What came back until then and is to be booked; never negative.
    var amount: Int64
    /// Since when the tick under way runs, in milliseconds; nil while the balance is full and the clock stands still.
    var rechargedFrom: Int64?
    /// When that tick is due, in milliseconds; nil while the balance is full.
    var nextTick: Int64?
  }

  /// What is due at an instant, to be asked before and after each change of the balance.
  ///
  /// Before it, the answer is what came back meanwhile. After it, nothing is due any more, and the answer says whether
  /// the clock runs: one that stood still starts at that instant where the balance is no longer full, one that runs
  /// keeps the part of a tick that has passed, and one whose balance became full stops. Changes at several instants,
  /// such as an expiry that was not booked yet, are taken in the order of time by ``ScheduleRules``.
  ///
  /// A clock is kept by its beginning alone, so a new pace or amount holds for the tick under way.
  ///
  /// - Parameters:
  ///   - balance: What the account has, held currency included, less what is owed: a debt is repaid first.
  ///   - rechargedFrom: The answer of the last time; nil also where there is none.
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
