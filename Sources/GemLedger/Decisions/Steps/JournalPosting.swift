/// Appends transactions, entries and allocations, and brings the accounts up to them.
extension Bookkeeper {
  /// Books the transaction of the plans, due expiries first, and returns its booking.
  mutating func book(
    _ kind: EntryKind, command: LedgerCommand.Body, customer: FoundCustomer
  ) throws(LedgerError) -> Booking {
    for index in plans.indices where plans[index].expiredAmount != 0 {
      bookExpiry(of: index, customer: customer.number)
    }
    let number = work.journal.appendTransaction(kind, of: customer.number)
    booked = number
    if !pendingCounts.isEmpty { bookCounts(of: customer.number, by: number) }
    let entries: CompactList<PostedEntry>
    if plans.count == 1 {
      try placeCredits(of: 0)
      entries = CompactList(append(0, transaction: number))
    } else {
      var several: [PostedEntry] = []
      for index in plans.indices {
        try placeCredits(of: index)
        several.append(append(index, transaction: number))
      }
      entries = CompactList(several)
    }
    if plans.isEmpty { work.journal.listNewestAsWithoutEntries() }
    work.journal.addNote(of: command, to: number)
    return Booking(
      transactionID: definitions.transactionIDs.id(number: number, createdAt: work.now),
      customer: command.customer,
      kind: kind, createdAt: work.now, entries: entries)
  }

  /// Books the due expiries of the plans, and begins a transaction that has no entries yet.
  mutating func beginTransaction(
    _ kind: EntryKind, command: LedgerCommand.Body, customer: FoundCustomer
  ) -> TransactionNumber {
    for index in plans.indices where plans[index].expiredAmount != 0 {
      bookExpiry(of: index, customer: customer.number)
    }
    let number = work.journal.appendTransactionWithoutEntries(kind, of: customer.number)
    booked = number
    if !pendingCounts.isEmpty { bookCounts(of: customer.number, by: number) }
    work.journal.addNote(of: command, to: number)
    return number
  }

  func bookingWithoutEntries(
    _ kind: EntryKind, _ number: TransactionNumber, of customer: CustomerID
  ) -> Booking {
    Booking(
      transactionID: definitions.transactionIDs.id(number: number, createdAt: work.now),
      customer: customer,
      kind: kind,
      createdAt: work.now, entries: CompactList([]))
  }

  /// Books a scheduled credit as a separate transaction.
  ///
  /// - Returns: The transaction, and the lot that received the credit.
  mutating func bookCredit(
    _ credit: LotCredit, _ kind: EntryKind, slot: Int, _ currency: CurrencyDefinition
  ) throws(LedgerError) -> (TransactionNumber, LotNumber) {
    let others = plans
    plans = [AccountPlan(slot: slot, currency: currency, kind: kind, amount: credit.amount)]
    plans[0].put(credit, in: work.accounts)
    let number = work.journal.appendTransaction(kind, of: work.accounts[slot].row.number.customer)
    try placeCredits(of: 0)
    _ = append(0, transaction: number)
    let lot = plans[0].takes.first?.lot ?? work.accounts[slot].row.poolLot
    plans = others
    return (number, lot)
  }

  mutating func bookExpiry(of index: Int, customer: CustomerNumber) {
    let number = work.journal.appendTransaction(.expiry, of: customer)
    let plan = plans[index]
    plans[index].kind = .expiry
    plans[index].amount = -plan.expiredAmount
    plans[index].takes = plan.expired
    if plan.debtChange != 0 { plans[index].debtChange = 0 }
    plans[index].isAllInPool = false
    _ = append(index, transaction: number)
    plans[index] = plan
  }

  /// Turns incoming credits into takes on lots, and makes the missing lots.
  private mutating func placeCredits(of index: Int) throws(LedgerError) {
    let slot = plans[index].slot
    if plans[index].isAllInPool {
      if plans[index].amount > 0, work.accounts[slot].row.poolLot == 0 {
        try work.accounts.openPool(slot, for: plans[index].credits[0])
      }
      return
    }
    for credit in plans[index].credits where credit.amount > 0 {
      let lot = try work.accounts.place(credit, in: slot)
      plans[index].takes.append(lot)
    }
    if plans[index].amount > 0, work.accounts[slot].row.debt > 0 {
      plans[index].repayDebt(in: work.accounts, now: work.now)
    }
  }

  private mutating func append(_ index: Int, transaction: TransactionNumber) -> PostedEntry {
    let entry = work.journal.sequences.drawEntry()
    let (slot, amount, kind) = (plans[index].slot, plans[index].amount, plans[index].kind)
    let debtChange = plans[index].debtChange
    let lot: LotNumber
    let allocations: CompactList<Allocation>
    if plans[index].isAllInPool {
      (lot, allocations) = work.accounts.moveInPool(slot, by: amount)
    } else {
      work.accounts.apply(plans[index].takes, to: slot, isReturn: kind.isReturn)
      (lot, allocations) = work.journal.allocate(
        plans[index].takes, to: entry, isWhole: debtChange == 0)
    }
    return record(
      entry, of: transaction, kind, slot, plans[index].currency.code, amount: amount,
      debtChange: debtChange,
      lot: lot, allocations: allocations)
  }

  /// Appends the entry's row and brings its account up to it.
  mutating func record(
    _ entry: EntryNumber, of transaction: TransactionNumber, _ kind: EntryKind, _ slot: Int,
    _ code: CurrencyCode, amount: Int64, debtChange: Int64, lot: LotNumber, allocations: CompactList<Allocation>
  ) -> PostedEntry {
    let (account, previous) = work.accounts.advance(slot, by: amount, debtChange: debtChange, entry: entry)
    let row = EntryRow(
      number: entry, transaction: transaction, account: account.number, kind: kind, amount: amount,
      balance: account.balance, debt: account.debt, version: account.version, previous: previous, lot: lot)
    work.journal.append(row)
    if definitions.hasPolicies { touched.append((slot, transaction)) }
    return PostedEntry(
      currency: code, kind: kind, amount: amount, balance: account.balance,
      debt: account.debt, version: account.version, allocations: allocations,
      held: HeldAmount(amount: account.held))
  }
}

extension UnitOfWork {
  /// The answer of a command that books nothing.
  func answer(_ customer: CustomerID, isReplayed: Bool) -> Booking {
    Booking(
      transactionID: nil, customer: customer, kind: .initial, createdAt: now, entries: CompactList([]),
      isReplayed: isReplayed)
  }
}
