// What currencies give by themselves, and how much of them may move in a period.

extension Decider {
  // MARK: What comes by itself

  /// Books what the account opens with, what its period allows and what came back meanwhile.
  ///
  /// - Returns: When the next of it is due, in milliseconds; `.max` for never.
  mutating func settlePolicies(
    _ policies: CurrencyPolicies, _ slot: Int, _ currency: CurrencyTerms, session: any StorageSnapshot
  ) throws(LedgerError) -> Int64 {
    var next = Int64.max
    if let amount = policies.initialBalance, set.accounts[slot].isNew, set.accounts[slot].row.version == 0 {
      _ = try give(amount, .initial, .promotional, slot, currency, session: session)
    }
    if let allowance = policies.allowance {
      next = min(next, try settle(allowance, slot, currency, session: session))
    }
    if let recharge = policies.recharge {
      next = min(next, try settle(recharge, slot, currency, session: session))
    }
    return next
  }

  /// Gives as much as the currency's maximum leaves room for; the rest is lost.
  ///
  /// - Returns: The transaction, and the lot that it went to; nil where there was no room.
  private mutating func give(
    _ amount: Int64, _ kind: EntryKind, _ source: LotSource, _ slot: Int, _ currency: CurrencyTerms,
    expiresAt: Int64 = .max, session: any StorageSnapshot
  ) throws(LedgerError) -> (transaction: TransactionNumber, lot: LotNumber)? {
    let row = set.accounts[slot].row
    let given = min(amount, max(0, currency.maximumBalance - row.balance) + min(amount, row.debt))
    guard given > 0 else { return nil }
    let production = StoreEnvironment.production.kind.rawValue
    let credit = LotCredit(amount: given, source: source, environment: production, expiresAt: expiresAt)
    return try bookCredit(credit, kind, slot: slot, currency, session: session)
  }

  private mutating func settle(
    _ allowance: Allowance, _ slot: Int, _ currency: CurrencyTerms, session: any StorageSnapshot
  ) throws(LedgerError) -> Int64 {
    let customer = set.accounts[slot].row.number.customer
    let key = CountKey(.allowed, currency.code.description)
    let known = try set.count(key, of: customer, session: session)
    var place: LotPlace?
    if let lot = known?.value, lot != 0 { place = try ownPlace(of: lot, slot: slot, session: session) }
    var remaining: Int64 = 0
    if let place, place != .pool { remaining = set.books[set.book(of: slot)][place].row.remaining }
    let next = allowance.per.next(after: set.now).milliseconds
    guard
      let due = AllowanceRules.due(period: known?.period, remaining: remaining, now: set.now, policy: allowance)
    else { return next }
    var transaction: TransactionNumber?
    if due.expired > 0, let place, let lot = known?.value {
      transaction = expire(due.expired, of: lot, at: place, slot)
    }
    let given = try give(due.granted, .grant, .promotional, slot, currency, expiresAt: due.expiresAt, session: session)
    // A period that gives nothing, since the balance is full, is over all the same.
    let number =
      given?.transaction ?? transaction ?? appendTransactionWithoutEntries(.grant, customer: customer)
    set.set(CountRow(customer: customer, key: key, period: due.period, value: given?.lot ?? 0), by: number)
    return next
  }

  private mutating func expire(
    _ amount: Int64, of lot: LotNumber, at place: LotPlace, _ slot: Int
  ) -> TransactionNumber? {
    let account = set.accounts[slot].row.number
    guard let code = terms.currency(number: account.currency)?.code else { return nil }
    let number = appendTransaction(.expiry, customer: account.customer)
    let source = set.books[set.book(of: slot)][place].row.source
    let takes = [LotTake(place: place, lot: lot, source: source, amount: -amount)]
    apply(takes, slot: slot, isReturn: false)
    let entry = set.sequences.drawEntry()
    let (whole, allocations) = allocate(takes, entry: entry, isWhole: true)
    _ = record(
      entry, of: number, .expiry, slot, code, amount: -amount, debtChange: 0, lot: whole, allocations: allocations)
    return number
  }

  // MARK: Recharge

  private mutating func settle(
    _ recharge: Recharge, _ slot: Int, _ currency: CurrencyTerms, by transaction: TransactionNumber? = nil,
    session: any StorageSnapshot
  ) throws(LedgerError) -> Int64 {
    let booked = lapsed.removeValue(forKey: slot) ?? []
    let losses = booked + (try unbookedExpiries(slot, session: session))
    let row = set.accounts[slot].row
    let key = CountKey(.recharged, currency.code.description)
    let known = try set.count(key, of: row.number.customer, session: session)
    let from = known.flatMap { $0.period == 0 ? nil : $0.period }
    let due = RechargeRules.due(
      balance: row.balance - row.debt + booked.reduce(0) { $0 + $1.amount }, rechargedFrom: from, losses: losses,
      now: set.now, policy: recharge)
    var given = transaction
    if due.amount > 0 {
      given = try give(due.amount, .recharge, .earned, slot, currency, session: session)?.transaction ?? transaction
    }
    keep(due, of: slot, key, known: known, by: given)
    return due.nextTick ?? .max
  }

  /// What is in the account still, and was lost when its lots expired.
  private mutating func unbookedExpiries(
    _ slot: Int, session: any StorageSnapshot
  ) throws(LedgerError) -> [RechargeRules.Loss] {
    guard set.accounts[slot].row.nextExpiry <= set.now.milliseconds else { return [] }
    let takes = try expired(slot, session: session)
    let book = set.book(of: slot)
    return takes.map { RechargeRules.Loss(at: set.books[book][$0.place].row.expiresAt, amount: -$0.amount) }
  }

  /// After a change: a clock that stood still starts where the balance is no longer full, one that runs stops where it
  /// is.
  mutating func restartClocks(session: any StorageSnapshot) throws(LedgerError) {
    var seen: Set<Int> = []
    for (slot, transaction) in touched.reversed() where seen.insert(slot).inserted {
      let row = set.accounts[slot].row
      guard let currency = terms.currency(number: row.number.currency),
        let recharge = currency.policies?.recharge
      else { continue }
      // What came back to the account with an end of a hold was not looked at before.
      let next = try settle(recharge, slot, currency, by: transaction, session: session)
      set.accounts[slot].row.nextDue = min(set.accounts[slot].row.nextDue, next)
    }
    touched.removeAll(keepingCapacity: true)
  }

  /// Writes down since when the clock runs, where that is news.
  private mutating func keep(
    _ due: RechargeRules.Outcome, of slot: Int, _ key: CountKey, known: CountRow?, by transaction: TransactionNumber?
  ) {
    let customer = set.accounts[slot].row.number.customer
    let row = CountRow(customer: customer, key: key, period: due.rechargedFrom ?? 0, value: 0)
    guard row != known, known != nil || row.period != 0 else { return }
    // A clock that starts with no booking, as of a new account, is written down by a transaction of its own.
    let number = transaction ?? appendTransactionWithoutEntries(.recharge, customer: customer)
    set.set(row, by: number)
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
