/// Finds and books the due effects of an account: ends of holds, allowances, recharges.
///
/// The next command on the account books them before it is decided itself. They stay booked if that command is refused.
enum ScheduledEffects {
  /// Whether the account may have due scheduled effects other than an expiry.
  ///
  /// Each group checks the scheduled grants of a currency again, because a new version of the catalog changes them.
  @inline(__always)
  static func isDue(_ work: borrowing UnitOfWork, _ slot: Int, _ currency: CurrencyDefinition) -> Bool {
    work.accounts[slot].row.nextDue <= work.now.milliseconds
      || currency.policies != nil && mayGive(work, slot, currency)
  }

  /// Whether the group has not yet applied the currency's scheduled grants to the account.
  private static func mayGive(_ work: borrowing UnitOfWork, _ slot: Int, _ currency: CurrencyDefinition) -> Bool {
    currency.policies?.givesByItself == true && !work.accounts[slot].isCurrent
  }

  static func bookDueEffects(
    _ decider: inout Decider, _ slot: Int, _ currency: CurrencyDefinition, customer: FoundCustomer
  ) throws(LedgerError) {
    var next = decider.work.accounts[slot].row.nextDue
    // No hold of the account ends before the account's next due instant.
    if next <= decider.work.now.milliseconds {
      next = .max
      let account = decider.work.accounts[slot].row.number
      for hold in try decider.work.holds.all(of: customer.number) {
        if hold.deadline > decider.work.now {
          next = min(next, hold.deadline.milliseconds)
        } else if try HeldCurrency.isHeld(by: hold, in: account, decider.work, owner: customer) {
          try HeldCurrency.lapse(&decider, hold, owner: customer)
        }
      }
    }
    decider.work.accounts[slot].isCurrent = true
    if let policies = currency.policies, policies.givesByItself {
      next = min(next, try bookPolicyEffects(&decider, policies, slot, currency))
    }
    if decider.work.accounts[slot].row.nextDue != next {
      decider.work.accounts[slot].row.nextDue = next
      decider.work.accounts[slot].isChanged = true
    }
    // Returned currency may be due to expire in accounts that are already planned.
    for index in decider.plans.indices
    where decider.work.accounts[decider.plans[index].slot].row.nextExpiry <= decider.work.now.milliseconds {
      try AccountPlanning.planExpiry(&decider, index)
    }
  }

  // MARK: Scheduled grants

  /// Books the account's initial balance, allowances and recharges, as ``ScheduleRules`` computes them.
  ///
  /// - Returns: When the next of them is due, in milliseconds; `.max` for never.
  static func bookPolicyEffects(
    _ decider: inout Decider, _ policies: CurrencyPolicies, _ slot: Int, _ currency: CurrencyDefinition
  ) throws(LedgerError) -> Int64 {
    let lapsed = decider.lapsed.removeValue(forKey: slot) ?? []
    let account = try scheduled(&decider.work, policies, slot, currency, lapsed)
    let losses = lapsed + (try unbookedExpiries(&decider.work, slot))
    let outcome = ScheduleRules.outcome(of: account, losses: losses, eras: policies.eras, now: decider.work.now)
    if !outcome.isEmpty { try book(&decider, outcome, slot, currency) }
    // A period that grants nothing, since the balance is full, still counts.
    if outcome.grants.isEmpty, let period = outcome.period, period != account.allowance?.period {
      let customer = decider.work.accounts[slot].row.number.customer
      let number = decider.work.journal.appendTransactionWithoutEntries(.grant, of: customer)
      decider.work.set(
        CountRow(customer: customer, key: CountKey(.allowed, currency.code.description), period: period, value: 0),
        by: number)
      // The balance may have been full while the allowance existed, and no other record shows it.
      decider.touched.append((slot, number))
    }
    decider.clocks[slot] = outcome.clock
    return outcome.next
  }

  /// Returns the account as its rows have it, with the losses of ended holds added back.
  private static func scheduled(
    _ work: inout UnitOfWork, _ policies: CurrencyPolicies, _ slot: Int, _ currency: CurrencyDefinition,
    _ lapsed: [ScheduleRules.Loss]
  ) throws(LedgerError) -> ScheduleRules.Account {
    let row = work.accounts[slot].row
    var account = ScheduleRules.Account(
      balance: row.balance + lapsed.reduce(0) { $0 + $1.amount }, debt: row.debt + lapsed.reduce(0) { $0 + $1.repaid },
      isUntouched: row.version == 0, begunAt: .min)
    account.clock = try RechargeClocks.clock(work, of: slot, currency)
    account.allowance = try lastAllowance(&work, policies, slot, currency, lapsed)
    // An allowance that expired before its booking has no entry, but the account is no longer untouched.
    if account.allowance != nil { account.isUntouched = false }
    let isBegun =
      !account.isUntouched && (account.clock != nil || !policies.eras.contains { $0.recharge != nil })
      && (account.allowance != nil || !policies.eras.contains { $0.allowance != nil })
    if !isBegun { account.begunAt = try createdAt(work, row.number.customer) }
    return account
  }

  private static func createdAt(_ work: borrowing UnitOfWork, _ customer: CustomerNumber) throws(LedgerError) -> Int64 {
    // A customer that this group made exists from now on.
    try work.customers.row(customer)?.createdAt.milliseconds ?? work.now.milliseconds
  }

  private static func lastAllowance(
    _ work: inout UnitOfWork, _ policies: CurrencyPolicies, _ slot: Int, _ currency: CurrencyDefinition,
    _ lapsed: [ScheduleRules.Loss]
  ) throws(LedgerError) -> ScheduleRules.LastAllowance? {
    guard policies.eras.contains(where: { $0.allowance != nil }) else { return nil }
    let key = CountKey(.allowed, currency.code.description)
    let customer = work.accounts[slot].row.number.customer
    guard let known = try work.counts.count(key, of: customer) else { return nil }
    var last = ScheduleRules.LastAllowance(period: known.period, remaining: 0, endsAt: .min)
    guard known.value != 0,
      let lotSlot = try work.accounts.lotSlot(of: known.value, in: slot),
      lotSlot != .pool
    else { return last }
    let row = work.accounts.lot(lotSlot, of: slot)
    last.endsAt = row.expiresAt
    // Currency that a hold gave back before the lot expired was in the lot at its expiry.
    last.remaining = lapsed.reduce(row.remaining) { $1.lot == row.number ? $0 + $1.amount : $0 }
    return last
  }

  /// Returns losses of expired lots that are not booked yet, so that the account's balance still contains them.
  private static func unbookedExpiries(_ work: inout UnitOfWork, _ slot: Int) throws(LedgerError) -> [ScheduleRules
    .Loss]
  {
    guard work.accounts[slot].row.nextExpiry <= work.now.milliseconds else { return [] }
    let takes = try work.accounts.expired(slot)
    let lots = work.accounts.lots(of: slot)
    return takes.map { ScheduleRules.Loss(at: lots[$0.lotSlot].row.expiresAt, amount: -$0.amount, lot: $0.lot) }
  }

  // MARK: Booking scheduled grants

  /// Books expiries first, so that there is room, and then the grants.
  private static func book(
    _ decider: inout Decider, _ outcome: ScheduleRules.Outcome, _ slot: Int, _ currency: CurrencyDefinition
  ) throws(LedgerError) {
    let customer = decider.work.accounts[slot].row.number.customer
    try bookExpiry(&decider, slot, currency)
    if outcome.initial > 0 {
      _ = try give(&decider, outcome.initial, .initial, .promotional, slot, currency)
    }
    let key = CountKey(.allowed, currency.code.description)
    for grant in outcome.grants {
      let (number, lot) = try give(
        &decider, grant.amount, .grant, .promotional, slot, currency, expiresAt: grant.expiresAt)
      // The newest allowance may have expired while an older allowance still exists.
      let isNewest = grant.period == outcome.period && grant.expiresAt != .max
      let row = CountRow(customer: customer, key: key, period: outcome.period ?? 0, value: isNewest ? lot : 0)
      decider.work.set(row, by: number)
    }
    if outcome.recharged > 0 {
      _ = try give(&decider, outcome.recharged, .recharge, .earned, slot, currency)
    }
  }

  private static func give(
    _ decider: inout Decider, _ amount: Int64, _ kind: EntryKind, _ source: LotSource, _ slot: Int,
    _ currency: CurrencyDefinition, expiresAt: Int64 = .max
  ) throws(LedgerError) -> (transaction: TransactionNumber, lot: LotNumber) {
    let production = StoreEnvironment.production.kind.rawValue
    let credit = LotCredit(amount: amount, source: source, environment: production, expiresAt: expiresAt)
    return try JournalPosting.bookCredit(&decider, credit, kind, slot: slot, currency)
  }

  private static func bookExpiry(
    _ decider: inout Decider, _ slot: Int, _ currency: CurrencyDefinition
  ) throws(LedgerError) {
    guard decider.work.accounts[slot].row.nextExpiry <= decider.work.now.milliseconds else { return }
    let others = decider.plans
    decider.plans = [AccountPlan(slot: slot, currency: currency, kind: .expiry, amount: 0)]
    try AccountPlanning.planExpiry(&decider, 0)
    if decider.plans[0].expiredAmount != 0 {
      JournalPosting.bookExpiry(&decider, of: 0, customer: decider.work.accounts[slot].row.number.customer)
    }
    decider.plans = others
  }
}
