/// Opens the plans of a command's accounts and checks them before anything is booked.
enum AccountPlanning {
  // MARK: Steps that every change of a balance takes

  /// Opens a plan for one currency of the customer and finds its due expiries.
  static func plan(
    _ decider: inout Decider, _ kind: EntryKind, _ code: CurrencyCode, _ amount: Int64, customer: FoundCustomer
  ) throws(LedgerError) {
    guard let currency = decider.definitions.currency(code) else { throw .unknownCurrency(code) }
    let number = AccountNumber(customer: customer.number, currency: currency.number)
    let slot = try decider.work.accounts.slot(of: number)
    if ScheduledEffects.isDue(decider.work, slot, currency) {
      try ScheduledEffects.bookDueEffects(&decider, slot, currency, customer: customer)
    }
    decider.plans.append(AccountPlan(slot: slot, currency: currency, kind: kind, amount: amount))
    if decider.work.accounts[slot].row.nextExpiry <= decider.work.now.milliseconds {
      try planExpiry(&decider, decider.plans.count - 1)
    }
  }

  /// - Throws: in order of precedence `condition_failed`, `customer_frozen`, `not_available`, `limit_reached`,
  ///   `insufficient_balance`, `over_maximum`.
  static func checkPlans(
    _ decider: inout Decider, _ command: LedgerCommand.Body, customer: FoundCustomer
  ) throws(LedgerError) {
    try checkPremises(decider, command, customer: customer)
    try checkCurrencies(decider)
    if decider.definitions.hasPolicies { try UsageCounts.checkCaps(&decider) }
    try checkBalances(decider)
  }

  /// - Throws: in order of precedence `condition_failed`, `customer_frozen`.
  static func checkPremises(
    _ decider: borrowing Decider, _ command: LedgerCommand.Body, customer: FoundCustomer
  ) throws(LedgerError) {
    if !command.conditions.isEmpty {
      for plan in decider.plans {
        try AccountRules.check(command.conditions, plan: plan, account: decider.work.accounts[plan.slot].row)
      }
    }
    if customer.isFrozen, decider.plans.contains(where: { $0.amount < 0 }) {
      throw LedgerError(.customerFrozen, "The customer \"\(command.customer)\" is frozen and may not spend.")
    }
  }

  /// Checks that the plans grant, spend, hold and move active currencies only.
  ///
  /// A command that undoes an earlier change may use all currencies, and so may an opening balance.
  ///
  /// - Throws: `not_available`.
  static func checkCurrencies(_ decider: borrowing Decider) throws(LedgerError) {
    guard decider.definitions.hasInactive else { return }
    for plan in decider.plans where plan.kind != .initial { try AccountRules.checkIsActive(plan.currency) }
  }

  /// - Throws: in order of precedence `insufficient_balance`, `over_maximum`.
  static func checkBalances(_ decider: borrowing Decider) throws(LedgerError) {
    for plan in decider.plans where plan.amount < 0 {
      try AccountRules.check(plan, account: decider.work.accounts[plan.slot].row)
    }
    for plan in decider.plans where plan.amount > 0 {
      try AccountRules.check(plan, account: decider.work.accounts[plan.slot].row)
    }
  }

  static func planExpiry(_ decider: inout Decider, _ index: Int) throws(LedgerError) {
    let takes = try decider.work.accounts.expired(decider.plans[index].slot)
    decider.plans[index].expired = takes
    decider.plans[index].expiredAmount = takes.reduce(0) { $0 - $1.amount }
  }

  /// Finds the lots that the plan's spend burns.
  static func planBurn(_ decider: inout Decider, _ index: Int) throws(LedgerError) {
    let account = decider.work.accounts[decider.plans[index].slot].row
    if account.openLots == 0 {
      guard account.poolRemaining >= -decider.plans[index].amount else { throw .lotsDisagree(account) }
      decider.plans[index].isAllInPool = true
      return
    }
    let plan = decider.plans[index]
    decider.plans[index].takes = try decider.work.accounts.burn(
      -plan.amount, of: plan.slot, paidFirst: plan.currency.burnsPaidFirst)
  }

  static func planCredit(_ decider: inout Decider, _ index: Int, _ credit: LotCredit) {
    let account = decider.work.accounts[decider.plans[index].slot].row
    // Currency that repays a debt goes into its lot and out of it again.
    let joinsPool =
      credit.isPooled && account.debt == 0
      && (account.poolLot == 0
        || account.poolSource == credit.source.rawValue && account.poolEnvironment == credit.environment)
    decider.plans[index].isAllInPool = joinsPool
    if !joinsPool || account.poolLot == 0 { decider.plans[index].credits = [credit] }
  }

  /// Names the pooled lot as the take of a plan that takes from nothing else, so that credits can be made from it.
  static func nameLots(_ decider: inout Decider, of index: Int) {
    guard decider.plans[index].isAllInPool else { return }
    let account = decider.work.accounts[decider.plans[index].slot].row
    let source = LotSource(rawValue: account.poolSource) ?? .admin
    decider.plans[index].isAllInPool = false
    decider.plans[index].takes = [
      LotTake(lotSlot: .pool, lot: account.poolLot, source: source, amount: decider.plans[index].amount)
    ]
  }

  /// Repays the customer's debt out of the plan's credits: first from the lots that burn first.
  ///
  /// The credit goes into its lots whole and out of them again, so that a lot still shows its granted and paid amounts.
  static func repayDebt(_ decider: inout Decider, of index: Int) {
    // Currency that returned to an expired lot is gone, and repays nothing.
    let slot = decider.plans[index].slot
    let credits = decider.plans[index].takes.filter { $0.amount > 0 && !isOver(decider.work, $0.lotSlot, slot: slot) }
    let debt = decider.work.accounts[decider.plans[index].slot].row.debt + decider.plans[index].debtChange
    let repaid = min(debt, credits.reduce(0) { $0 + $1.amount })
    guard repaid > 0 else { return }
    let paidFirst = decider.plans[index].currency.burnsPaidFirst
    let ordered =
      credits.filter { ($0.source == .paid) == paidFirst } + credits.filter { ($0.source == .paid) != paidFirst }
    var rest = repaid
    for credit in ordered where rest > 0 {
      let part = min(rest, credit.amount)
      decider.plans[index].takes.append(
        LotTake(lotSlot: credit.lotSlot, lot: credit.lot, source: credit.source, amount: -part))
      rest -= part
    }
    decider.plans[index].debtChange -= repaid
  }

  private static func isOver(_ work: borrowing UnitOfWork, _ lotSlot: LotSlot, slot: Int) -> Bool {
    lotSlot != .pool && work.accounts.lot(lotSlot, of: slot).expiresAt <= work.now.milliseconds
  }
}
