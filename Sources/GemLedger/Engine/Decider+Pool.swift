// The common command: one currency of a customer who exists, moved in the lot that lies in the account itself. It takes
// the same steps as every other command, by the same rules, without the ones that it cannot need.

extension Decider {
  /// - Throws: as for several currencies.
  mutating func decide(
    _ command: LedgerCommand.Body, _ adjustment: Adjustment, session: any StorageSnapshot
  ) throws(LedgerError) -> Receipt {
    if !command.conditions.isEmpty { try RequestRules.check(command.conditions, cover: [adjustment]) }
    try RequestRules.check(adjustment, isGrant: false)
    guard let customer = try findCustomer(of: command, session: session) else {
      throw .customerNotFound(command.customer)
    }
    if let key = command.key, let row = try earlier(key, command: command, customer: customer, session: session) {
      return try answer(row, under: key, command: command, session: session)
    }
    do throws(LedgerError) {
      let receipt = try adjust(command, adjustment, customer: customer, session: session)
      if let key = command.key { keepBooking(under: key, command: command, customer: customer.number) }
      return receipt
    } catch {
      if let key = command.key, error.code.isKept {
        keepRefusal(error, under: key, command: command, customer: customer.number)
      }
      throw error
    }
  }

  @inline(__always)
  private mutating func adjust(
    _ command: LedgerCommand.Body, _ adjustment: Adjustment, customer: FoundCustomer, session: any StorageSnapshot
  ) throws(LedgerError) -> Receipt {
    guard let currency = terms.currency(adjustment.currency) else { throw .unknownCurrency(adjustment.currency) }
    let number = AccountNumber(customer: customer.number, currency: currency.number)
    let slot = try set.slot(of: number, session: session)
    if command.isPlain, !customer.isFrozen, currency.policies == nil, !isDue(slot, currency),
      set.accounts[slot].row.hasOnlyPool(at: set.now, for: adjustment.amount) {
      return try move(adjustment.amount, of: currency, slot: slot, command: command, customer: customer.number)
    }
    return try adjust(command, adjustment, currency, slot: slot, customer: customer, session: session)
  }

  private mutating func adjust(
    _ command: LedgerCommand.Body, _ adjustment: Adjustment, _ currency: CurrencyTerms, slot: Int,
    customer: FoundCustomer, session: any StorageSnapshot
  ) throws(LedgerError) -> Receipt {
    let kind: EntryKind = adjustment.amount < 0 ? .spend : .grant
    plans.removeAll(keepingCapacity: true)
    if isDue(slot, currency) { try settleDues(slot, currency, customer: customer, session: session) }
    plans.append(AccountPlan(slot: slot, currency: currency, kind: kind, amount: adjustment.amount))
    if set.accounts[slot].row.nextExpiry <= set.now.milliseconds { try planExpiry(0, session: session) }
    try checkPlans(command, customer: customer, session: session)
    if adjustment.amount < 0 {
      try planBurn(0, session: session)
    } else {
      let production = StoreEnvironment.production.kind.rawValue
      planCredit(0, LotCredit(amount: adjustment.amount, source: .earned, environment: production))
    }
    return try book(kind, command: command, customer: customer, session: session)
  }

  @inline(__always)
  private mutating func move(
    _ amount: Int64, of currency: CurrencyTerms, slot: Int, command: LedgerCommand.Body, customer: CustomerNumber
  ) throws(LedgerError) -> Receipt {
    let kind: EntryKind = amount < 0 ? .spend : .grant
    try AccountRules.check(
      amount, of: currency, balance: set.accounts[slot].row.balance, held: set.accounts[slot].row.held)
    let number = set.sequences.drawTransaction()
    booked = number
    let transaction = TransactionRow(
      number: number, kind: kind, customer: customer, createdAt: set.now, firstEntry: set.sequences.drawEntry())
    set.changes.transactions.append(transaction)
    let entry = set.accounts[slot].moveInPool(
      by: amount, as: kind, entry: set.sequences.entry, transaction: transaction.number)
    set.changes.entries.append(entry)
    if entry.version % AnchorRow.interval == 0 { set.addAnchor(of: entry) }
    let source = LotSource(rawValue: set.accounts[slot].row.poolSource) ?? .admin
    return Receipt(
      transactionID: terms.transactionIDs.id(number: transaction.number, createdAt: set.now),
      customer: command.customer, kind: kind, createdAt: set.now,
      entries: CompactList(
        PostedEntry(
          currency: currency.code, kind: kind, amount: amount, balance: entry.balance, debt: entry.debt,
          version: entry.version,
          allocations: CompactList(Allocation(lot: entry.lot, source: source, amount: amount)))))
  }
}

extension AccountRow {
  /// Whether the amount can only fall on the pool, with nothing due before it.
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
    if amount > 0 { row.poolGranted = LotBook.granted(row.poolGranted, plus: amount) }
    isChanged = true
    return EntryRow(
      number: entry, transaction: transaction, account: row.number, kind: kind, amount: amount, balance: row.balance,
      debt: row.debt, version: row.version, previous: previous, lot: row.poolLot)
  }
}
