/// Finds and books the due effects of an account: ends of holds, allowances, recharges.
///
/// The next command on the account books them before it is decided itself. They stay booked if that command is refused.
extension Bookkeeper {
  mutating func bookDueEffects(
    _ slot: Int, _ currency: CurrencyDefinition, customer: FoundCustomer
  ) throws(LedgerError) {
    var next = work.accounts[slot].row.nextDue
    // No hold of the account ends before the account's next due instant.
    if next <= work.now.milliseconds {
      next = .max
      let account = work.accounts[slot].row.number
      for hold in try work.holds.all(of: customer.number) {
        if hold.deadline > work.now {
          next = min(next, hold.deadline.milliseconds)
        } else if try HeldCurrency.isHeld(by: hold, in: account, work, owner: customer) {
          try lapse(hold, owner: customer)
        }
      }
    }
    work.accounts[slot].isCurrent = true
    if let policies = currency.policies, policies.givesByItself {
      next = min(next, try bookPolicyEffects(policies, slot, currency))
    }
    if work.accounts[slot].row.nextDue != next {
      work.accounts[slot].row.nextDue = next
      work.accounts[slot].isChanged = true
    }
    // Returned currency may be due to expire in accounts that are already planned.
    for index in plans.indices
    where work.accounts[plans[index].slot].row.nextExpiry <= work.now.milliseconds {
      try plans[index].findExpired(in: &work.accounts)
    }
  }

  /// Books the account's initial balance, allowances and recharges, as ``ScheduleRules`` computes them.
  ///
  /// - Returns: When the next of them is due, in milliseconds; `.max` for never.
  mutating func bookPolicyEffects(
    _ policies: CurrencyPolicies, _ slot: Int, _ currency: CurrencyDefinition
  ) throws(LedgerError) -> Int64 {
    let lapsed = lapsed.removeValue(forKey: slot) ?? []
    let account = try work.scheduled(policies, slot, currency, lapsed)
    let losses = lapsed + (try work.unbookedExpiries(slot))
    let outcome = ScheduleRules.outcome(of: account, losses: losses, eras: policies.eras, now: work.now)
    if !outcome.isEmpty { try bookGrants(outcome, slot, currency) }
    // A period that grants nothing, since the balance is full, still counts.
    if outcome.grants.isEmpty, let period = outcome.period, period != account.allowance?.period {
      let customer = work.accounts[slot].row.number.customer
      let number = work.journal.appendTransactionWithoutEntries(.grant, of: customer)
      work.set(
        CountRow(customer: customer, key: CountKey(.allowed, currency.code.description), period: period, value: 0),
        by: number)
      // The balance may have been full while the allowance existed, and no other record shows it.
      touched.append((slot, number))
    }
    clocks[slot] = outcome.clock
    return outcome.next
  }

  /// Books expiries first, so that there is room, and then the grants.
  private mutating func bookGrants(
    _ outcome: ScheduleRules.Outcome, _ slot: Int, _ currency: CurrencyDefinition
  ) throws(LedgerError) {
    let customer = work.accounts[slot].row.number.customer
    try bookExpiry(slot, currency)
    if outcome.initial > 0 {
      _ = try give(outcome.initial, .initial, .promotional, slot, currency)
    }
    let key = CountKey(.allowed, currency.code.description)
    for grant in outcome.grants {
      let (number, lot) = try give(grant.amount, .grant, .promotional, slot, currency, expiresAt: grant.expiresAt)
      // The newest allowance may have expired while an older allowance still exists.
      let isNewest = grant.period == outcome.period && grant.expiresAt != .max
      let row = CountRow(customer: customer, key: key, period: outcome.period ?? 0, value: isNewest ? lot : 0)
      work.set(row, by: number)
    }
    if outcome.recharged > 0 {
      _ = try give(outcome.recharged, .recharge, .earned, slot, currency)
    }
  }

  private mutating func give(
    _ amount: Int64, _ kind: EntryKind, _ source: LotSource, _ slot: Int,
    _ currency: CurrencyDefinition, expiresAt: Int64 = .max
  ) throws(LedgerError) -> (transaction: TransactionNumber, lot: LotNumber) {
    let production = StoreEnvironment.production.kind.rawValue
    let credit = LotCredit(amount: amount, source: source, environment: production, expiresAt: expiresAt)
    return try bookCredit(credit, kind, slot: slot, currency)
  }

  private mutating func bookExpiry(
    _ slot: Int, _ currency: CurrencyDefinition
  ) throws(LedgerError) {
    guard work.accounts[slot].row.nextExpiry <= work.now.milliseconds else { return }
    let others = plans
    plans = [AccountPlan(slot: slot, currency: currency, kind: .expiry, amount: 0)]
    try plans[0].findExpired(in: &work.accounts)
    if plans[0].expiredAmount != 0 {
      bookExpiry(of: 0, customer: work.accounts[slot].row.number.customer)
    }
    plans = others
  }
}

extension UnitOfWork {
  /// Whether the account may have due scheduled effects other than an expiry.
  ///
  /// Each group checks the scheduled grants of a currency again, because a new version of the catalog changes them.
  @inline(__always)
  func isDue(_ slot: Int, _ currency: CurrencyDefinition) -> Bool {
    accounts[slot].row.nextDue <= now.milliseconds
      || currency.policies != nil && mayGive(slot, currency)
  }

  /// Whether the group has not yet applied the currency's scheduled grants to the account.
  fileprivate func mayGive(_ slot: Int, _ currency: CurrencyDefinition) -> Bool {
    currency.policies?.givesByItself == true && !accounts[slot].isCurrent
  }

  fileprivate func createdAt(_ customer: CustomerNumber) throws(LedgerError) -> Int64 {
    // A customer that this group made exists from now on.
    try customers.row(customer)?.createdAt.milliseconds ?? now.milliseconds
  }

  /// Returns the account as its rows have it, with the losses of ended holds added back.
  fileprivate mutating func scheduled(
    _ policies: CurrencyPolicies, _ slot: Int, _ currency: CurrencyDefinition,
    _ lapsed: [ScheduleRules.Loss]
  ) throws(LedgerError) -> ScheduleRules.Account {
    let row = accounts[slot].row
    var account = ScheduleRules.Account(
      balance: row.balance + lapsed.reduce(0) { $0 + $1.amount }, debt: row.debt + lapsed.reduce(0) { $0 + $1.repaid },
      isUntouched: row.version == 0, begunAt: .min)
    account.clock = try rechargeClock(of: slot, currency)
    account.allowance = try lastAllowance(policies, slot, currency, lapsed)
    // An allowance that expired before its booking has no entry, but the account is no longer untouched.
    if account.allowance != nil { account.isUntouched = false }
    let isBegun =
      !account.isUntouched && (account.clock != nil || !policies.eras.contains { $0.recharge != nil })
      && (account.allowance != nil || !policies.eras.contains { $0.allowance != nil })
    if !isBegun { account.begunAt = try createdAt(row.number.customer) }
    return account
  }

  fileprivate mutating func lastAllowance(
    _ policies: CurrencyPolicies, _ slot: Int, _ currency: CurrencyDefinition,
    _ lapsed: [ScheduleRules.Loss]
  ) throws(LedgerError) -> ScheduleRules.LastAllowance? {
    guard policies.eras.contains(where: { $0.allowance != nil }) else { return nil }
    let key = CountKey(.allowed, currency.code.description)
    let customer = accounts[slot].row.number.customer
    guard let known = try counts.count(key, of: customer) else { return nil }
    var last = ScheduleRules.LastAllowance(period: known.period, remaining: 0, endsAt: .min)
    guard known.value != 0,
      let lotSlot = try accounts.lotSlot(of: known.value, in: slot),
      lotSlot != .pool
    else { return last }
    let row = accounts.lot(lotSlot, of: slot)
    last.endsAt = row.expiresAt
    // Currency that a hold gave back before the lot expired was in the lot at its expiry.
    last.remaining = lapsed.reduce(row.remaining) { $1.lot == row.number ? $0 + $1.amount : $0 }
    return last
  }

  /// Returns losses of expired lots that are not booked yet, so that the account's balance still contains them.
  fileprivate mutating func unbookedExpiries(_ slot: Int) throws(LedgerError) -> [ScheduleRules
    .Loss]
  {
    guard accounts[slot].row.nextExpiry <= now.milliseconds else { return [] }
    let takes = try accounts.expired(slot)
    let lots = accounts.lots(of: slot)
    return takes.map { ScheduleRules.Loss(at: lots[$0.lotSlot].row.expiresAt, amount: -$0.amount, lot: $0.lot) }
  }
}
