/// Changes balances by signed amounts: a spend, a grant, an adjustment, an opening balance.
enum AdjustDecision {
  /// - Throws: as for several currencies.
  static func adjustOne(
    _ decider: inout Decider, _ command: LedgerCommand.Body, _ adjustment: Adjustment, session: any StorageSnapshot
  ) throws(LedgerError) -> Booking {
    if !command.conditions.isEmpty { try RequestRules.check(command.conditions, cover: [adjustment]) }
    try RequestRules.check(adjustment, isGrant: false)
    guard let customer = try decider.findCustomer(of: command, session: session) else {
      throw .customerNotFound(command.customer)
    }
    if let key = command.key,
      let row = try KeyReplay.earlier(&decider.work, key, command: command, customer: customer, session: session)
    {
      return try KeyReplay.answer(&decider, row, under: key, command: command, session: session)
    }
    do throws(LedgerError) {
      let booking = try change(&decider, command, adjustment, customer: customer, session: session)
      if let key = command.key {
        KeyReplay.keepBooking(&decider, under: key, command: command, customer: customer.number)
      }
      return booking
    } catch {
      if let key = command.key, error.code.isKept {
        KeyReplay.keepRefusal(&decider.work, error, under: key, command: command, customer: customer.number)
      }
      throw error
    }
  }

  @inline(__always)
  private static func change(
    _ decider: inout Decider, _ command: LedgerCommand.Body, _ adjustment: Adjustment, customer: FoundCustomer,
    session: any StorageSnapshot
  ) throws(LedgerError) -> Booking {
    guard let currency = decider.definitions.currency(adjustment.currency) else {
      throw .unknownCurrency(adjustment.currency)
    }
    let number = AccountNumber(customer: customer.number, currency: currency.number)
    let slot = try decider.work.slot(of: number, session: session)
    if command.conditions.isEmpty, !customer.isFrozen, currency.policies == nil,
      !ScheduledEffects.isDue(&decider.work, slot, currency),
      decider.work.accounts[slot].row.hasOnlyPool(at: decider.work.now, for: adjustment.amount)
    {
      return try move(
        &decider, adjustment.amount, of: currency, slot: slot, command: command, customer: customer.number)
    }
    let adjust = LedgerCommand.Adjust(
      adjustments: [adjustment], source: .earned, environment: .production, expiresAt: nil, createsCustomer: false)
    return try book(&decider, command, adjust, customer: customer, session: session)
  }

  /// Moves currency in the account's own lot: the same steps as of every other adjustment, without those that it cannot
  /// need.
  @inline(__always)
  private static func move(
    _ decider: inout Decider, _ amount: Int64, of currency: CurrencyDefinition, slot: Int, command: LedgerCommand.Body,
    customer: CustomerNumber
  ) throws(LedgerError) -> Booking {
    let kind: EntryKind = amount < 0 ? .spend : .grant
    try AccountRules.check(
      amount, of: currency, balance: decider.work.accounts[slot].row.balance, held: decider.work.accounts[slot].row.held
    )
    let number = decider.work.sequences.drawTransaction()
    decider.booked = number
    let transaction = TransactionRow(
      number: number, kind: kind, customer: customer, createdAt: decider.work.now,
      firstEntry: decider.work.sequences.drawEntry())
    decider.work.changes.transactions.append(transaction)
    let entry = decider.work.accounts[slot].moveInPool(
      by: amount, as: kind, entry: decider.work.sequences.entry, transaction: transaction.number)
    decider.work.changes.entries.append(entry)
    if entry.version % CheckpointRow.interval == 0 { decider.work.addCheckpoint(of: entry) }
    JournalPosting.addNote(&decider.work, of: command, to: number)
    let source = LotSource(rawValue: decider.work.accounts[slot].row.poolSource) ?? .admin
    return Booking(
      transactionID: decider.definitions.transactionIDs.id(number: transaction.number, createdAt: decider.work.now),
      customer: command.customer, kind: kind, createdAt: decider.work.now,
      entries: CompactList(
        PostedEntry(
          currency: currency.code, kind: kind, amount: amount, balance: entry.balance, debt: entry.debt,
          version: entry.version,
          allocations: CompactList(Allocation(lot: entry.lot, source: source, amount: amount)))))
  }

  /// - Throws: in order of precedence `invalid_request`, `limit_exceeded`, `amount_out_of_range`, `customer_not_found`,
  ///   `key_conflict`, `invalid_request` (an expiry that is past), `unknown_currency`, `condition_failed`,
  ///   `customer_frozen`, `insufficient_balance`, `over_maximum`.
  static func adjustSeveral(
    _ decider: inout Decider, _ command: LedgerCommand.Body, _ adjust: LedgerCommand.Adjust,
    session: any StorageSnapshot
  ) throws(LedgerError) -> Booking {
    try RequestRules.check(adjust, conditions: command.conditions)
    var customer = try decider.findCustomer(of: command, session: session)
    let isNew = customer == nil
    if isNew, adjust.createsCustomer {
      try decider.validate(command, session: session)
      customer = try decider.work.addCustomer(command.customer, session: session)
    }
    guard let customer else { throw .customerNotFound(command.customer) }
    do throws(LedgerError) {
      return try KeyReplay.idempotently(&decider, command, customer: customer, isNew: isNew, session: session) {
        (decider: inout Decider) throws(LedgerError) -> Booking in
        // After the key: a retry that comes after the expiry still gets the first answer.
        if let expiresAt = adjust.expiresAt { try RequestRules.check(expiry: expiresAt, isAfter: decider.work.now) }
        return try book(&decider, command, adjust, customer: customer, session: session)
      }
    } catch {
      // A refused command does not create its customer.
      if isNew { decider.work.removeNewestCustomer() }
      throw error
    }
  }

  private static func book(
    _ decider: inout Decider, _ command: LedgerCommand.Body, _ adjust: LedgerCommand.Adjust, customer: FoundCustomer,
    session: any StorageSnapshot
  ) throws(LedgerError) -> Booking {
    decider.plans.removeAll(keepingCapacity: true)
    let adjustments = adjust.adjustments
    for adjustment in adjustments.count == 1 ? adjustments : adjustments.sorted(by: { $0.currency < $1.currency }) {
      let kind: EntryKind = adjust.isOpening ? .initial : adjustment.amount < 0 ? .spend : .grant
      try AccountPlanning.plan(
        &decider, kind, adjustment.currency, adjustment.amount, customer: customer, session: session)
    }
    try AccountPlanning.checkPlans(&decider, command, customer: customer, session: session)
    for index in decider.plans.indices {
      if decider.plans[index].amount < 0 {
        try AccountPlanning.planBurn(&decider, index, session: session)
      } else {
        let environment = try decider.work.number(of: adjust.environment, session: session)
        let credit = LotCredit(
          amount: decider.plans[index].amount, source: adjust.source, environment: environment,
          expiresAt: adjust.expiresAt?.milliseconds ?? .max)
        AccountPlanning.planCredit(&decider, index, credit)
      }
    }
    return try JournalPosting.book(
      &decider, kind(of: adjust), command: command, customer: customer, session: session)
  }

  private static func kind(of adjust: LedgerCommand.Adjust) -> EntryKind {
    if adjust.isOpening { return .initial }
    let isGrant = adjust.adjustments[0].amount > 0
    if adjust.adjustments.count > 1, adjust.adjustments.contains(where: { ($0.amount > 0) != isGrant }) {
      return .mixed
    }
    return isGrant ? .grant : .spend
  }
}

extension AccountRow {
  /// Whether the amount can only fall on the pooled lot, with no expiry due before it.
  fileprivate func hasOnlyPool(at now: Timestamp, for amount: Int64) -> Bool {
    guard poolLot != 0, nextExpiry > now.milliseconds, debt == 0 else { return false }
    if amount < 0 { return openLots == 0 && poolRemaining >= -amount }
    return poolSource == LotSource.earned.rawValue
      && poolEnvironment == StoreEnvironment.production.kind.rawValue
  }
}

extension WorkingAccount {
  fileprivate mutating func moveInPool(
    by amount: Int64, as kind: EntryKind, entry: EntryNumber, transaction: TransactionNumber
  ) -> EntryRow {
    let previous = row.lastEntry
    row.balance += amount
    row.version += 1
    row.lastEntry = entry
    row.poolRemaining += amount
    if amount > 0 { row.poolGranted = LoadedLots.granted(row.poolGranted, plus: amount) }
    isChanged = true
    return EntryRow(
      number: entry, transaction: transaction, account: row.number, kind: kind, amount: amount, balance: row.balance,
      debt: row.debt, version: row.version, previous: previous, lot: row.poolLot)
  }
}
