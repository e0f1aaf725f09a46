/// Starts and stops the recharge clocks of the accounts that a command changed.
extension Bookkeeper {
  /// Starts the clock of an account that had no separate balance until now.
  ///
  /// The clock stops with the command if the balance is full.
  mutating func startClock(
    _ slot: Int, _ currency: CurrencyDefinition, by transaction: TransactionNumber
  ) {
    let eras = currency.policies?.eras.prefix { $0.from <= work.now.milliseconds } ?? []
    guard let era = eras.last, eras.contains(where: { $0.recharge != nil }) else { return }
    let clock = ScheduleRules.RechargeClock(
      tick: era.recharge == nil ? nil : work.now.milliseconds, era: era.from)
    clocks[slot] = clock
    work.setClock(clock, slot, currency, by: transaction)
  }

  /// Updates the recharge clocks after a command, refused or not.
  ///
  /// A stopped clock starts if the balance is no longer full, and a running clock stops if the balance became full. Its
  /// state is booked with the change; otherwise a later command could not determine whether the account was full
  /// before.
  mutating func restartClocks() throws(LedgerError) {
    var (seen, index) = (Set<Int>(), touched.count)
    while index > 0 {
      index -= 1
      let (slot, transaction) = touched[index]
      guard seen.insert(slot).inserted,
        let currency = definitions.currency(number: work.accounts[slot].row.number.currency),
        let policies = currency.policies, policies.givesByItself
      else { continue }
      // The end of a hold may have taken currency from an account that the command is not about.
      if clocks[slot] == nil || lapsed[slot] != nil {
        let count = touched.count
        let next = try bookPolicyEffects(policies, slot, currency)
        work.accounts[slot].row.nextDue = min(work.accounts[slot].row.nextDue, next)
        if touched.count > count {
          (seen, index) = (seen.subtracting([slot]), touched.count)
          continue
        }
      }
      try restartClock(slot, currency, policies, by: transaction)
    }
    touched.removeAll(keepingCapacity: true)
  }

  private mutating func restartClock(
    _ slot: Int, _ currency: CurrencyDefinition, _ policies: CurrencyPolicies,
    by transaction: TransactionNumber
  ) throws(LedgerError) {
    let eras = policies.eras.prefix { $0.from <= work.now.milliseconds }
    // After a recharge ends, its last check is booked too: otherwise the same recharges would be given again.
    guard let era = eras.last, eras.contains(where: { $0.recharge != nil }) else { return }
    let row = work.accounts[slot].row
    var clock = ScheduleRules.RechargeClock(tick: nil, era: era.from)
    if let recharge = era.recharge {
      let due = RechargeRules.due(
        balance: row.balance - row.debt, rechargedFrom: clocks[slot]?.tick, now: work.now,
        policy: recharge)
      clock.tick = due.rechargedFrom
      work.accounts[slot].row.nextDue = min(row.nextDue, due.nextTick ?? .max)
    }
    clocks[slot] = clock
    guard try work.rechargeClock(of: slot, currency) != clock else { return }
    work.setClock(clock, slot, currency, by: transaction)
  }
}

extension UnitOfWork {
  /// Returns the state of the account's recharge at its last booking; nil if nothing was booked under a recharge.
  func rechargeClock(
    of slot: Int, _ currency: CurrencyDefinition
  ) throws(LedgerError) -> ScheduleRules.RechargeClock? {
    guard currency.policies?.eras.contains(where: { $0.recharge != nil }) == true else { return nil }
    let key = CountKey(.recharged, currency.code.description)
    let customer = accounts[slot].row.number.customer
    return try counts.count(key, of: customer).map { row in
      ScheduleRules.RechargeClock(tick: row.period == 0 ? nil : row.period, era: row.value)
    }
  }

  fileprivate mutating func setClock(
    _ clock: ScheduleRules.RechargeClock, _ slot: Int, _ currency: CurrencyDefinition,
    by transaction: TransactionNumber
  ) {
    let key = CountKey(.recharged, currency.code.description)
    let customer = accounts[slot].row.number.customer
    set(
      CountRow(customer: customer, key: key, period: clock.tick ?? 0, value: clock.era), by: transaction)
  }
}
