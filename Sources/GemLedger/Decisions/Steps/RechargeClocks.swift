/// Starts and stops the recharge clocks of the accounts that a command changed.
enum RechargeClocks {
  // MARK: Recharge

  /// Returns the state of the account's recharge at its last booking; nil if nothing was booked under a recharge.
  static func clock(
    _ work: borrowing UnitOfWork, of slot: Int, _ currency: CurrencyDefinition
  ) throws(LedgerError) -> ScheduleRules.RechargeClock? {
    guard currency.policies?.eras.contains(where: { $0.recharge != nil }) == true else { return nil }
    let key = CountKey(.recharged, currency.code.description)
    let customer = work.accounts[slot].row.number.customer
    return try work.counts.count(key, of: customer).map { row in
      ScheduleRules.RechargeClock(tick: row.period == 0 ? nil : row.period, era: row.value)
    }
  }

  /// Starts the clock of an account that had no separate balance until now.
  ///
  /// The clock stops with the command if the balance is full.
  static func start(
    _ decider: inout Decider, _ slot: Int, _ currency: CurrencyDefinition, by transaction: TransactionNumber
  ) {
    let eras = currency.policies?.eras.prefix { $0.from <= decider.work.now.milliseconds } ?? []
    guard let era = eras.last, eras.contains(where: { $0.recharge != nil }) else { return }
    let clock = ScheduleRules.RechargeClock(
      tick: era.recharge == nil ? nil : decider.work.now.milliseconds, era: era.from)
    decider.clocks[slot] = clock
    set(&decider, clock, slot, currency, by: transaction)
  }

  private static func set(
    _ decider: inout Decider, _ clock: ScheduleRules.RechargeClock, _ slot: Int, _ currency: CurrencyDefinition,
    by transaction: TransactionNumber
  ) {
    let key = CountKey(.recharged, currency.code.description)
    let customer = decider.work.accounts[slot].row.number.customer
    decider.work.set(
      CountRow(customer: customer, key: key, period: clock.tick ?? 0, value: clock.era), by: transaction)
  }

  /// Updates the recharge clocks after a command, refused or not.
  ///
  /// A stopped clock starts if the balance is no longer full, and a running clock stops if the balance became full. Its
  /// state is booked with the change; otherwise a later command could not determine whether the account was full
  /// before.
  static func restartClocks(_ decider: inout Decider) throws(LedgerError) {
    var (seen, index) = (Set<Int>(), decider.touched.count)
    while index > 0 {
      index -= 1
      let (slot, transaction) = decider.touched[index]
      guard seen.insert(slot).inserted,
        let currency = decider.definitions.currency(number: decider.work.accounts[slot].row.number.currency),
        let policies = currency.policies, policies.givesByItself
      else { continue }
      // The end of a hold may have taken currency from an account that the command is not about.
      if decider.clocks[slot] == nil || decider.lapsed[slot] != nil {
        let count = decider.touched.count
        let next = try ScheduledEffects.bookPolicyEffects(&decider, policies, slot, currency)
        decider.work.accounts[slot].row.nextDue = min(decider.work.accounts[slot].row.nextDue, next)
        if decider.touched.count > count {
          (seen, index) = (seen.subtracting([slot]), decider.touched.count)
          continue
        }
      }
      try restart(&decider, slot, currency, policies, by: transaction)
    }
    decider.touched.removeAll(keepingCapacity: true)
  }

  private static func restart(
    _ decider: inout Decider, _ slot: Int, _ currency: CurrencyDefinition, _ policies: CurrencyPolicies,
    by transaction: TransactionNumber
  ) throws(LedgerError) {
    let eras = policies.eras.prefix { $0.from <= decider.work.now.milliseconds }
    // After a recharge ends, its last check is booked too: otherwise the same recharges would be given again.
    guard let era = eras.last, eras.contains(where: { $0.recharge != nil }) else { return }
    let row = decider.work.accounts[slot].row
    var clock = ScheduleRules.RechargeClock(tick: nil, era: era.from)
    if let recharge = era.recharge {
      let due = RechargeRules.due(
        balance: row.balance - row.debt, rechargedFrom: decider.clocks[slot]?.tick, now: decider.work.now,
        policy: recharge)
      clock.tick = due.rechargedFrom
      decider.work.accounts[slot].row.nextDue = min(row.nextDue, due.nextTick ?? .max)
    }
    decider.clocks[slot] = clock
    guard try Self.clock(decider.work, of: slot, currency) != clock else { return }
    set(&decider, clock, slot, currency, by: transaction)
  }
}
