/// Opens the plans of a command's accounts and checks them before anything is booked.
///
/// The checks change nothing and are mutating all the same: a borrowing method may get a copy of the books with every
/// call.
extension Bookkeeper {
  /// Opens a plan for one currency of the customer and finds its due expiries.
  mutating func plan(
    _ kind: EntryKind, _ code: CurrencyCode, _ amount: Int64, customer: FoundCustomer
  ) throws(LedgerError) {
    guard let currency = definitions.currency(code) else { throw .unknownCurrency(code) }
    let number = AccountNumber(customer: customer.number, currency: currency.number)
    let slot = try work.accounts.slot(of: number)
    if work.isDue(slot, currency) {
      try bookDueEffects(slot, currency, customer: customer)
    }
    plans.append(AccountPlan(slot: slot, currency: currency, kind: kind, amount: amount))
    if work.accounts[slot].row.nextExpiry <= work.now.milliseconds {
      try plans[plans.count - 1].findExpired(in: &work.accounts)
    }
  }

  /// - Throws: in order of precedence `condition_failed`, `customer_frozen`, `not_available`, `limit_reached`,
  ///   `insufficient_balance`, `over_maximum`.
  mutating func checkPlans(
    _ command: LedgerCommand.Body, customer: FoundCustomer
  ) throws(LedgerError) {
    try checkPremises(command, customer: customer)
    try checkCurrencies()
    if definitions.hasPolicies { try checkCaps() }
    try checkBalances()
  }

  /// - Throws: in order of precedence `condition_failed`, `customer_frozen`.
  mutating func checkPremises(
    _ command: LedgerCommand.Body, customer: FoundCustomer
  ) throws(LedgerError) {
    if !command.conditions.isEmpty {
      for plan in plans {
        try AccountRules.check(command.conditions, plan: plan, account: work.accounts[plan.slot].row)
      }
    }
    if customer.isFrozen, plans.contains(where: { $0.amount < 0 }) {
      throw LedgerError(.customerFrozen, "The customer \"\(command.customer)\" is frozen and may not spend.")
    }
  }

  /// Checks that the plans grant, spend, hold and move active currencies only.
  ///
  /// A command that undoes an earlier change may use all currencies, and so may an opening balance.
  ///
  /// - Throws: `not_available`.
  mutating func checkCurrencies() throws(LedgerError) {
    guard definitions.hasInactive else { return }
    for plan in plans where plan.kind != .initial { try AccountRules.checkIsActive(plan.currency) }
  }

  /// - Throws: in order of precedence `insufficient_balance`, `over_maximum`.
  mutating func checkBalances() throws(LedgerError) {
    for plan in plans where plan.amount < 0 {
      try AccountRules.check(plan, account: work.accounts[plan.slot].row)
    }
    for plan in plans where plan.amount > 0 {
      try AccountRules.check(plan, account: work.accounts[plan.slot].row)
    }
  }
}
