// What currencies give by themselves, and how much of them may move in a period.

extension Decider {
  // MARK: What comes by itself

  /// Books what the account opens with, what its period allows and what came back meanwhile, as ``ScheduleRules`` says.
  ///
  /// - Returns: When the next of it is due, in milliseconds; `.max` for never.
  mutating func settlePolicies(
    _ policies: CurrencyPolicies, _ slot: Int, _ currency: CurrencyTerms, session: any StorageSnapshot
  ) throws(LedgerError) -> Int64 {
    let lapsed = lapsed.removeValue(forKey: slot) ?? []
    let account = try scheduled(policies, slot, currency, lapsed, session: session)
    let losses = lapsed + (try unbookedExpiries(slot, session: session))
    let outcome = ScheduleRules.outcome(of: account, losses: losses, eras: policies.eras, now: set.now)
    if !outcome.isEmpty { try book(outcome, slot, currency, session: session) }
    // A period that gives nothing, since the balance is full, is over all the same.
    if outcome.grants.isEmpty, let period = outcome.period, period != account.allowance?.period {
      let customer = set.accounts[slot].row.number.customer
      let number = appendTransactionWithoutEntries(.grant, customer: customer)
      set.set(
        CountRow(customer: customer, key: CountKey(.allowed, currency.code.description), period: period, value: 0),
        by: number)
    }
    clocks[slot] = outcome.clock
    return outcome.next
  }

  /// The account as its rows have it, with what ended holds lost still in it.
  private mutating func scheduled(
    _ policies: CurrencyPolicies, _ slot: Int, _ currency: CurrencyTerms, _ lapsed: [ScheduleRules.Loss],
    session: any StorageSnapshot
  ) throws(LedgerError) -> ScheduleRules.Account {
    let row = set.accounts[slot].row
    var account = ScheduleRules.Account(
      balance: row.balance + lapsed.reduce(0) { $0 + $1.amount }, debt: row.debt + lapsed.reduce(0) { $0 + $1.repaid },
      isUntouched: row.version == 0, begunAt: .min)
    account.clock = try clock(of: slot, currency, session: session)
    account.allowance = try lastAllowance(policies, slot, currency, lapsed, session: session)
    let isBegun =
      !account.isUntouched && (account.clock != nil || !policies.eras.contains { $0.recharge != nil })
      && (account.allowance != nil || !policies.eras.contains { $0.allowance != nil })
    if !isBegun { account.begunAt = try createdAt(row.number.customer, session: session) }
    return account
  }

  private func createdAt(
    _ customer: CustomerNumber, session: any StorageSnapshot
  ) throws(LedgerError) -> Int64 {
    // Who came into being with this group came now.
    try set.customer(customer, session: session)?.createdAt.milliseconds ?? set.now.milliseconds
  }

  private mutating func lastAllowance(
    _ policies: CurrencyPolicies, _ slot: Int, _ currency: CurrencyTerms, _ lapsed: [ScheduleRules.Loss],
    session: any StorageSnapshot
  ) throws(LedgerError) -> ScheduleRules.LastAllowance? {
    guard policies.eras.contains(where: { $0.allowance != nil }) else { return nil }
    let key = CountKey(.allowed, currency.code.description)
    let customer = set.accounts[slot].row.number.customer
    guard let known = try set.count(key, of: customer, session: session) else { return nil }
    var last = ScheduleRules.LastAllowance(period: known.period, remaining: 0, endsAt: .min)
    guard known.value != 0, let place = try ownPlace(of: known.value, slot: slot, session: session), place != .pool
    else { return last }
    let row = set.books[set.book(of: slot)][place].row
    last.endsAt = row.expiresAt
    // What a hold gave back before the lot expired was in it when it did.
    last.remaining = lapsed.reduce(row.remaining) { $1.lot == row.number ? $0 + $1.amount : $0 }
    return last
  }

  /// What is in the account still, and was lost when its lots expired.
  private mutating func unbookedExpiries(
    _ slot: Int, session: any StorageSnapshot
  ) throws(LedgerError) -> [ScheduleRules.Loss] {
    guard set.accounts[slot].row.nextExpiry <= set.now.milliseconds else { return [] }
    let takes = try expired(slot, session: session)
    let book = set.book(of: slot)
    return takes.map {
      ScheduleRules.Loss(at: set.books[book][$0.place].row.expiresAt, amount: -$0.amount, lot: $0.lot)
    }
  }

  // MARK: Booking it

  /// Books what has expired, so that there is room, and then what was given.
  private mutating func book(
    _ outcome: ScheduleRules.Outcome, _ slot: Int, _ currency: CurrencyTerms, session: any StorageSnapshot
  ) throws(LedgerError) {
    let customer = set.accounts[slot].row.number.customer
    try bookExpiry(slot, currency, session: session)
    if outcome.initial > 0 {
      _ = try give(outcome.initial, .initial, .promotional, slot, currency, session: session)
    }
    let key = CountKey(.allowed, currency.code.description)
    for grant in outcome.grants {
      let (number, lot) = try give(
        grant.amount, .grant, .promotional, slot, currency, expiresAt: grant.expiresAt, session: session)
      let row = CountRow(
        customer: customer, key: key, period: outcome.period ?? 0, value: grant.expiresAt == .max ? 0 : lot)
      set.set(row, by: number)
    }
    if outcome.recharged > 0 {
      _ = try give(outcome.recharged, .recharge, .earned, slot, currency, session: session)
    }
  }

  private mutating func give(
    _ amount: Int64, _ kind: EntryKind, _ source: LotSource, _ slot: Int, _ currency: CurrencyTerms,
    expiresAt: Int64 = .max, session: any StorageSnapshot
  ) throws(LedgerError) -> (transaction: TransactionNumber, lot: LotNumber) {
    let production = StoreEnvironment.production.kind.rawValue
    let credit = LotCredit(amount: amount, source: source, environment: production, expiresAt: expiresAt)
    return try bookCredit(credit, kind, slot: slot, currency, session: session)
  }

  private mutating func bookExpiry(
    _ slot: Int, _ currency: CurrencyTerms, session: any StorageSnapshot
  ) throws(LedgerError) {
    guard set.accounts[slot].row.nextExpiry <= set.now.milliseconds else { return }
    let others = plans
    plans = [AccountPlan(slot: slot, currency: currency, kind: .expiry, amount: 0)]
    try planExpiry(0, session: session)
    if plans[0].expiredAmount != 0 { bookExpiry(of: 0, customer: set.accounts[slot].row.number.customer) }
    plans = others
  }

  // MARK: Recharge

  /// How the account's recharge stood at its last booking; nil where nothing was booked under one.
  private func clock(
    of slot: Int, _ currency: CurrencyTerms, session: any StorageSnapshot
  ) throws(LedgerError) -> ScheduleRules.RechargeClock? {
    guard currency.policies?.eras.contains(where: { $0.recharge != nil }) == true else { return nil }
    let key = CountKey(.recharged, currency.code.description)
    let customer = set.accounts[slot].row.number.customer
    return try set.count(key, of: customer, session: session).map { row in
      ScheduleRules.RechargeClock(tick: row.period == 0 ? nil : row.period, era: row.value)
    }
  }

  /// After a command, refused or not: a clock that stood still starts where the balance is no longer full, one that
  /// runs stops where it is, and how it stands is booked with the change.
  ///
  /// Without that a later look could not tell whether the account was full before the change.
  mutating func restartClocks(session: any StorageSnapshot) throws(LedgerError) {
    var (seen, index) = (Set<Int>(), touched.count)
    while index > 0 {
      index -= 1
      let (slot, transaction) = touched[index]
      guard seen.insert(slot).inserted, let currency = terms.currency(number: set.accounts[slot].row.number.currency),
        let policies = currency.policies, policies.givesByItself
      else { continue }
      // What a hold lost of an account that the command itself was not about.
      if clocks[slot] == nil || lapsed[slot] != nil {
        let count = touched.count
        let next = try settlePolicies(policies, slot, currency, session: session)
        set.accounts[slot].row.nextDue = min(set.accounts[slot].row.nextDue, next)
        if touched.count > count {
          (seen, index) = (seen.subtracting([slot]), touched.count)
          continue
        }
      }
      try restart(slot, currency, policies, by: transaction, session: session)
    }
    touched.removeAll(keepingCapacity: true)
  }

  private mutating func restart(
    _ slot: Int, _ currency: CurrencyTerms, _ policies: CurrencyPolicies, by transaction: TransactionNumber,
    session: any StorageSnapshot
  ) throws(LedgerError) {
    let eras = policies.eras.prefix { $0.from <= set.now.milliseconds }
    // Where a recharge has ended, that it was looked at since is booked too: else it gave again what it gave before.
    guard let era = eras.last, eras.contains(where: { $0.recharge != nil }) else { return }
    let row = set.accounts[slot].row
    var clock = ScheduleRules.RechargeClock(tick: nil, era: era.from)
    if let recharge = era.recharge {
      let due = RechargeRules.due(
        balance: row.balance - row.debt, rechargedFrom: clocks[slot]?.tick, now: set.now, policy: recharge)
      clock.tick = due.rechargedFrom
      set.accounts[slot].row.nextDue = min(row.nextDue, due.nextTick ?? .max)
    }
    clocks[slot] = clock
    guard try self.clock(of: slot, currency, session: session) != clock else { return }
    let key = CountKey(.recharged, currency.code.description)
    set.set(
      CountRow(customer: row.number.customer, key: key, period: clock.tick ?? 0, value: clock.era), by: transaction)
  }

  // MARK: Caps

  /// Counts what the plans spend and grant against the currencies' caps.
  ///
  /// - Throws: `limit_reached`.
  mutating func checkCaps(session: any StorageSnapshot) throws(LedgerError) {
    for plan in plans {
      guard let policies = plan.currency.policies else { continue }
      let isGrant = plan.amount > 0
      let limit = isGrant ? plan.kind == .grant ? policies.grantLimit : nil : policies.spendLimit
      guard let limit, plan.amount != 0 else { continue }
      let customer = set.accounts[plan.slot].row.number.customer
      let key = CountKey(isGrant ? .granted : .spent, plan.currency.code.description)
      let known = try set.count(key, of: customer, session: session)
      let row = known ?? CountRow(customer: customer, key: key, period: 0, value: 0)
      pendingCounts.append(
        try WindowRules.counted(row, adding: abs(plan.amount), limit: limit, now: set.now))
    }
  }

  mutating func bookCounts(of customer: CustomerNumber, by transaction: TransactionNumber) {
    for row in pendingCounts where row.customer == customer { set.set(row, by: transaction) }
    pendingCounts.removeAll { $0.customer == customer }
  }

  /// Takes back from what was counted as spent, where that was in the period that still runs.
  mutating func uncount(
    _ amount: Int64, since spentAt: Timestamp, slot: Int, by transaction: TransactionNumber,
    session: any StorageSnapshot
  ) throws(LedgerError) {
    let account = set.accounts[slot].row.number
    guard let currency = terms.currency(number: account.currency), currency.policies?.spendLimit != nil else { return }
    let key = CountKey(.spent, currency.code.description)
    guard var row = try set.count(key, of: account.customer, session: session), row.period <= spentAt.milliseconds
    else { return }
    row.value = max(0, row.value - amount)
    set.set(row, by: transaction)
  }
  /// The same of an item that goes back.
  mutating func uncount(
    _ item: ItemID, _ quantity: Int64, since boughtAt: Timestamp, _ customer: FoundCustomer,
    session: any StorageSnapshot
  ) throws(LedgerError) {
    let key = CountKey(.bought, item.text)
    guard var row = try set.count(key, of: customer.number, session: session), row.period <= boughtAt.milliseconds
    else { return }
    row.value = max(0, row.value - quantity)
    set.set(row, by: booked)
  }
}
