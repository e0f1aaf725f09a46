/// The scheduled effects of an account over time; pure.
///
/// This is the one definition of an account's balance at an instant. It takes the account's journal rows up to that
/// instant, and every scheduled effect since, in the order of time. Each effect is under the catalog version in force
/// at the effect's own instant. At one instant the order is: a new version of the catalog, losses, the initial balance,
/// an allowance, a recharge.
enum ScheduleRules {
  /// An account as it is recorded; its balance still contains later losses.
  struct Account {
    var balance: Int64
    var debt: Int64
    /// Whether it has no entry yet: then it opens with the initial balance.
    var isUntouched = false
    /// When the customer was made, in milliseconds: nothing is given before.
    var begunAt: Int64
    /// Nil if no change of the account was booked under a recharge.
    var clock: RechargeClock?
    var allowance: LastAllowance?
  }

  /// The state of a recharge at a booking.
  struct RechargeClock: Hashable {
    /// Since when the tick under way runs, in milliseconds; nil while the balance is full.
    var tick: Int64?
    /// When the version of the catalog that it was last checked under took effect.
    var era: Int64
  }

  /// The allowance that was granted last.
  struct LastAllowance: Hashable {
    /// The instant in its period from which it was granted, in milliseconds.
    ///
    /// Mostly the period's beginning, else the customer's or the policy's. Versions before it no longer count.
    var period: Int64
    /// The rest in its lot, or at the lot's expiry if that is past.
    var remaining: Int64
    /// When the lot expires.
    var endsAt: Int64
  }

  /// Currency that was lost at an instant, and may be booked later.
  struct Loss: Hashable {
    let at: Int64
    let amount: Int64
    /// How much of it repaid a debt.
    var repaid: Int64 = 0
    /// 0 if it is of no known lot.
    var lot: LotNumber = 0
  }

  /// The amounts to book, without the losses.
  struct Outcome: Hashable {
    struct Grant: Hashable {
      let amount: Int64
      let expiresAt: Int64
      /// The instant from which it was granted; nil if it is of several.
      var period: Int64?
    }

    var initial: Int64 = 0
    /// Grants of allowances that are still there, or repaid a debt.
    var grants: [Grant] = []
    /// The instant from which the last allowance was granted; nil if none ever was.
    var period: Int64?
    var recharged: Int64 = 0
    var clock = RechargeClock(tick: nil, era: 0)
    /// When the next of it is due, in milliseconds; `.max` for never.
    var next: Int64 = .max

    var isEmpty: Bool { initial == 0 && grants.isEmpty && recharged == 0 }
  }

  /// - Parameters:
  ///   - losses: In any order.
  ///   - eras: In the order of time; those that begin after the instant do not count.
  static func outcome(of account: Account, losses: [Loss], eras: [PolicyEra], now: Timestamp) -> Outcome {
    var schedule = Schedule(account: account, losses: losses, eras: eras, now: now.milliseconds)
    return schedule.run()
  }
}

/// Applies the effects on one account in the order of time.
private struct Schedule {
  /// The grant of an allowance, and its rest.
  struct Lot {
    let granted: Int64
    let left: Int64
    let period: Int64
    let endsAt: Int64
  }

  let eras: [PolicyEra]
  let losses: [ScheduleRules.Loss]
  let now: Int64
  /// Recharges before this instant are booked already.
  let rechargesFrom: Int64
  var account: ScheduleRules.Account
  var time: Int64
  var era: PolicyEra?
  var nextEra = 0
  var nextLoss = 0
  var tick: Int64?
  var lots: [Lot] = []
  /// The amounts by which expired lots repaid debts.
  var repaid: Int64 = 0
  var outcome = ScheduleRules.Outcome()

  init(account: ScheduleRules.Account, losses: [ScheduleRules.Loss], eras: [PolicyEra], now: Int64) {
    self.account = account
    self.losses = losses.sorted { $0.at < $1.at }
    self.eras = eras
    self.now = now
    tick = account.clock?.tick
    rechargesFrom = account.clock.map { max($0.tick ?? $0.era, $0.era) } ?? account.begunAt
    var start = account.isUntouched ? account.begunAt : Int64.max
    if eras.contains(where: { $0.recharge != nil }) { start = min(start, rechargesFrom) }
    if eras.contains(where: { $0.allowance != nil }) {
      start = min(start, account.allowance?.period ?? account.begunAt)
    }
    time = min(start, now)
  }

  mutating func run() -> ScheduleRules.Outcome {
    pass()
    while let next = nextInstant(), next <= now {
      recharge(until: next)
      time = next
      pass()
    }
    time = now
    recharge(until: now)
    finish()
    return outcome
  }

  // MARK: Instants

  /// The next instant with an effect other than a tick of the recharge.
  private func nextInstant() -> Int64? {
    var next = Int64.max
    if nextEra < eras.count { next = min(next, eras[nextEra].from) }
    if nextLoss < losses.count { next = min(next, losses[nextLoss].at) }
    if rechargesFrom > time { next = min(next, rechargesFrom) }
    for lot in lots.dropLast() { next = min(next, lot.endsAt) }
    if let allowance = era?.allowance, time >= account.begunAt {
      let boundary = allowance.per.next(after: Timestamp(milliseconds: time)).milliseconds
      // The catalog may have had another period when the newest lot was granted.
      let endsWithPeriod = lots.last.map { $0.endsAt == boundary } ?? true
      if let last = lots.last, !endsWithPeriod { next = min(next, last.endsAt) }
      let end = min(next, now)
      // Of periods without other effects, only the last one matters.
      let skips = endsWithPeriod && boundary <= end && canSkip(allowance)
      next = min(next, skips ? allowance.per.start(of: Timestamp(milliseconds: end)).milliseconds : boundary)
    } else if let last = lots.last {
      next = min(next, last.endsAt)
    }
    if let last = account.allowance, last.remaining > 0, last.endsAt > time, era?.allowance == nil {
      next = min(next, last.endsAt)
    }
    return next == .max ? nil : next
  }

  /// Whether the allowance's periods follow each other without anything that depends on the balance.
  private func canSkip(_ allowance: Allowance) -> Bool {
    guard account.debt == 0, let era, era.recharge == nil else { return false }
    let most = Int128(account.balance) + Int128(allowance.rollover) + Int128(allowance.amount)
    return most <= Int128(era.maximumBalance)
  }

  /// Applies all effects of the instant.
  private mutating func pass() {
    while nextEra < eras.count, eras[nextEra].from <= time {
      era = eras[nextEra]
      nextEra += 1
    }
    while nextLoss < losses.count, losses[nextLoss].at <= time {
      account.balance -= losses[nextLoss].amount
      account.debt = max(0, account.debt - losses[nextLoss].repaid)
      nextLoss += 1
    }
    for lot in lots where lot.endsAt <= time {
      account.balance -= lot.left
      repaid += lot.granted - lot.left
    }
    lots.removeAll { $0.endsAt <= time }
    if time >= account.begunAt {
      open()
      allow()
    }
    // A period's end carries over at that instant or never.
    if let last = account.allowance, last.endsAt <= time { account.allowance?.remaining = 0 }
    recharge(until: time)
  }

  // MARK: Effects

  /// Gives as much as the currency's maximum leaves room for; the rest is lost.
  private mutating func credit(_ amount: Int64, _ maximum: Int64) -> (given: Int64, kept: Int64) {
    let given = min(amount, max(0, maximum - account.balance) + min(amount, account.debt))
    let repaid = min(given, account.debt)
    account.balance += given - repaid
    account.debt -= repaid
    if given > 0 { account.isUntouched = false }
    return (given, given - repaid)
  }

  private mutating func open() {
    guard account.isUntouched, let era, let initial = era.initialBalance else { return }
    outcome.initial = credit(initial, era.maximumBalance).given
    account.isUntouched = false
  }

  private mutating func allow() {
    guard let era, let allowance = era.allowance else { return }
    // The rest lasts until its period ends, whichever version of the catalog comes meanwhile.
    let left = account.allowance.map { $0.endsAt <= time ? $0.remaining : 0 } ?? 0
    let due = AllowanceRules.due(
      period: account.allowance?.period, remaining: left, now: Timestamp(milliseconds: time), policy: allowance)
    guard let due else { return }
    let (given, kept) = credit(due.granted, era.maximumBalance)
    if given > 0 { lots.append(Lot(granted: given, left: kept, period: time, endsAt: due.expiresAt)) }
    account.allowance = .init(period: time, remaining: kept, endsAt: due.expiresAt)
  }

  private mutating func recharge(until instant: Int64) {
    guard instant >= rechargesFrom else { return }
    guard let era, let recharge = era.recharge else {
      tick = nil
      return
    }
    let due = RechargeRules.due(
      balance: account.balance - account.debt, rechargedFrom: tick, now: Timestamp(milliseconds: instant),
      policy: recharge)
    if due.amount > 0 { outcome.recharged += credit(due.amount, era.maximumBalance).given }
    tick = due.rechargedFrom
  }

  private mutating func finish() {
    // An expired lot gives nothing any more; the debt that it repaid stays repaid.
    if repaid > 0 { outcome.grants.append(.init(amount: repaid, expiresAt: .max)) }
    outcome.grants += lots.map { .init(amount: $0.granted, expiresAt: $0.endsAt, period: $0.period) }
    outcome.period = account.allowance?.period
    outcome.clock = .init(tick: tick, era: era?.from ?? 0)
    guard let era else { return }
    if let allowance = era.allowance {
      outcome.next = allowance.per.next(after: Timestamp(milliseconds: now)).milliseconds
    }
    if let recharge = era.recharge, let tick {
      let due = RechargeRules.due(
        balance: account.balance - account.debt, rechargedFrom: tick, now: Timestamp(milliseconds: now),
        policy: recharge)
      outcome.next = min(outcome.next, due.nextTick ?? .max)
    }
  }
}
