extension Decider {
  /// - Throws: in order of precedence `invalid_request`, `limit_exceeded`, `amount_out_of_range`, `customer_not_found`,
  ///   `key_conflict`, `invalid_request` (an expiry that is past), `unknown_currency`, `condition_failed`,
  ///   `customer_frozen`, `insufficient_balance`, `over_maximum`.
  mutating func decide(
    _ command: LedgerCommand.Body, _ adjust: LedgerCommand.Adjust, session: any StorageSnapshot
  ) throws(LedgerError) -> Receipt {
    try RequestRules.check(adjust, conditions: command.conditions)
    var customer = try findCustomer(of: command, session: session)
    let isNew = customer == nil
    if isNew, adjust.createsCustomer {
      try rehearse(command, session: session)
      customer = try set.addCustomer(command.customer, session: session)
    }
    guard let customer else { throw .customerNotFound(command.customer) }
    do throws(LedgerError) {
      return try once(command, customer: customer, isNew: isNew, session: session) {
        (decider: inout Decider) throws(LedgerError) -> Receipt in
        // After the key: a retry that comes after the expiry still gets the first answer.
        if let expiresAt = adjust.expiresAt { try RequestRules.check(expiry: expiresAt, isAfter: decider.set.now) }
        try decider.planAdjust(command, adjust, customer: customer, session: session)
        return try decider.book(decider.kind(of: adjust), command: command, customer: customer, session: session)
      }
    } catch {
      // Who came into being with a refused command never did.
      if isNew { set.removeNewestCustomer() }
      throw error
    }
  }

  private mutating func planAdjust(
    _ command: LedgerCommand.Body, _ adjust: LedgerCommand.Adjust, customer: FoundCustomer,
    session: any StorageSnapshot
  ) throws(LedgerError) {
    plans.removeAll(keepingCapacity: true)
    let adjustments = adjust.adjustments
    for adjustment in adjustments.count == 1 ? adjustments : adjustments.sorted(by: { $0.currency < $1.currency }) {
      let kind: EntryKind = adjust.isOpening ? .initial : adjustment.amount < 0 ? .spend : .grant
      try plan(kind, adjustment.currency, adjustment.amount, customer: customer, session: session)
    }
    try checkPlans(command, customer: customer, session: session)
    for index in plans.indices {
      if plans[index].amount < 0 {
        try planBurn(index, session: session)
      } else {
        let environment = try set.number(of: adjust.environment, session: session)
        let credit = LotCredit(
          amount: plans[index].amount, source: adjust.source, environment: environment,
          expiresAt: adjust.expiresAt?.milliseconds ?? .max)
        planCredit(index, credit)
      }
    }
  }

  private func kind(of adjust: LedgerCommand.Adjust) -> EntryKind {
    if adjust.isOpening { return .initial }
    let isGrant = adjust.adjustments[0].amount > 0
    if adjust.adjustments.count > 1, adjust.adjustments.contains(where: { ($0.amount > 0) != isGrant }) {
      return .mixed
    }
    return isGrant ? .grant : .spend
  }

  // MARK: Steps that every change of a balance takes

  /// Opens a plan for one currency of the customer and finds what is due there.
  mutating func plan(
    _ kind: EntryKind, _ code: CurrencyCode, _ amount: Int64, customer: FoundCustomer, session: any StorageSnapshot
  ) throws(LedgerError) {
    guard let currency = terms.currency(code) else { throw .unknownCurrency(code) }
    let number = AccountNumber(customer: customer.number, currency: currency.number)
    let slot = try set.slot(of: number, session: session)
    if isDue(slot, currency) { try settleDues(slot, currency, customer: customer, session: session) }
    plans.append(AccountPlan(slot: slot, currency: currency, kind: kind, amount: amount))
    if set.accounts[slot].row.nextExpiry <= set.now.milliseconds {
      try planExpiry(plans.count - 1, session: session)
    }
  }

  /// - Throws: in order of precedence `condition_failed`, `customer_frozen`, `limit_reached`, `insufficient_balance`,
  ///   `over_maximum`.
  mutating func checkPlans(
    _ command: LedgerCommand.Body, customer: FoundCustomer, session: any StorageSnapshot
  ) throws(LedgerError) {
    try checkPremises(command, customer: customer)
    if terms.hasPolicies { try checkCaps(session: session) }
    try checkBalances()
  }

  /// - Throws: in order of precedence `condition_failed`, `customer_frozen`.
  func checkPremises(_ command: LedgerCommand.Body, customer: FoundCustomer) throws(LedgerError) {
    if !command.conditions.isEmpty {
      for plan in plans { try AccountRules.check(command.conditions, plan: plan, account: set.accounts[plan.slot].row) }
    }
    if customer.isFrozen, plans.contains(where: { $0.amount < 0 }) {
      throw LedgerError(.customerFrozen, "The customer \"\(command.customer)\" is frozen and may not spend.")
    }
  }

  /// - Throws: in order of precedence `insufficient_balance`, `over_maximum`.
  func checkBalances() throws(LedgerError) {
    for plan in plans where plan.amount < 0 { try AccountRules.check(plan, account: set.accounts[plan.slot].row) }
    for plan in plans where plan.amount > 0 { try AccountRules.check(plan, account: set.accounts[plan.slot].row) }
  }

  mutating func planExpiry(_ index: Int, session: any StorageSnapshot) throws(LedgerError) {
    let takes = try expired(plans[index].slot, session: session)
    plans[index].expired = takes
    plans[index].expiredAmount = takes.reduce(0) { $0 - $1.amount }
  }

  /// What lots hold whose time is over.
  mutating func expired(_ slot: Int, session: any StorageSnapshot) throws(LedgerError) -> [LotTake] {
    let book = set.book(of: slot)
    while true {
      switch BurnPlanner.expired(account: set.accounts[slot].row, book: set.books[book], now: set.now.milliseconds) {
      case .needsLots(let paid): try loadLots(slot: slot, book: book, paid: paid, session: session)
      case .takes(let takes): return takes
      }
    }
  }

  /// Finds the lots that the plan's spend burns.
  mutating func planBurn(_ index: Int, session: any StorageSnapshot) throws(LedgerError) {
    let account = set.accounts[plans[index].slot].row
    if account.openLots == 0 {
      guard account.poolRemaining >= -plans[index].amount else { throw .lotsDisagree(account) }
      plans[index].isAllInPool = true
      return
    }
    let plan = plans[index]
    let book = set.book(of: plan.slot)
    while true {
      let burn = BurnPlanner.spend(
        -plan.amount, account: account, book: set.books[book], now: set.now.milliseconds,
        paidFirst: plan.currency.burnsPaidFirst)
      switch burn {
      case .needsLots(let paid): try loadLots(slot: plan.slot, book: book, paid: paid, session: session)
      case .takes(let takes):
        guard takes.reduce(0, { $0 + $1.amount }) == plan.amount else { throw .lotsDisagree(account) }
        plans[index].takes = takes
        return
      }
    }
  }

  mutating func planCredit(_ index: Int, _ credit: LotCredit) {
    let account = set.accounts[plans[index].slot].row
    // What repays a debt goes through its lot and out of it again.
    let joinsPool =
      credit.isPooled && account.debt == 0
      && (account.poolLot == 0
        || account.poolSource == credit.source.rawValue && account.poolEnvironment == credit.environment)
    plans[index].isAllInPool = joinsPool
    if !joinsPool || account.poolLot == 0 { plans[index].credits = [credit] }
  }

  mutating func loadLots(
    slot: Int, book: Int, paid: Bool, session: any StorageSnapshot
  ) throws(LedgerError) {
    let stream = paid ? set.books[book].paid : set.books[book].free
    // Pages grow, so that a spend over many lots needs few of them.
    let limit = max(32, stream.lots.count)
    let page = try session.openLots(
      set.accounts[slot].row.number, paid: paid, after: stream.end, limit: limit)
    set.books[book].append(page, paid: paid, isComplete: page.count < limit)
  }
}

extension LedgerError {
  package static func customerNotFound(_ id: CustomerID) -> Self {
    Self(
      .customerNotFound,
      "There is no customer \"\(id)\". A purchase, a grant or a login makes one; check the id's spelling.")
  }

  static func unknownCurrency(_ code: CurrencyCode) -> Self {
    Self(
      .unknownCurrency, "There is no currency \(code) in the catalog.",
      details: [.text("currency", code.description)])
  }

  static func lotsDisagree(_ account: AccountRow) -> Self {
    Self(
      .storageDamaged,
      "The lots of account \(account.number.rawValue) do not hold its balance of \(account.balance); run verify.")
  }
}
