/// Appends transactions, entries and allocations, and brings the accounts up to them.
enum JournalPosting {
  /// Books the transaction of the plans, due expiries first, and returns its booking.
  static func book(
    _ decider: inout Decider, _ kind: EntryKind, command: LedgerCommand.Body, customer: FoundCustomer
  ) throws(LedgerError) -> Booking {
    for index in decider.plans.indices where decider.plans[index].expiredAmount != 0 {
      bookExpiry(&decider, of: index, customer: customer.number)
    }
    let number = decider.work.journal.appendTransaction(kind, of: customer.number)
    decider.booked = number
    if !decider.pendingCounts.isEmpty { UsageCounts.bookCounts(&decider, of: customer.number, by: number) }
    let entries: CompactList<PostedEntry>
    if decider.plans.count == 1 {
      try placeCredits(&decider, of: 0)
      entries = CompactList(append(&decider, 0, transaction: number))
    } else {
      var several: [PostedEntry] = []
      for index in decider.plans.indices {
        try placeCredits(&decider, of: index)
        several.append(append(&decider, index, transaction: number))
      }
      entries = CompactList(several)
    }
    if decider.plans.isEmpty { decider.work.journal.listNewestAsWithoutEntries() }
    decider.work.journal.addNote(of: command, to: number)
    return Booking(
      transactionID: decider.definitions.transactionIDs.id(number: number, createdAt: decider.work.now),
      customer: command.customer,
      kind: kind, createdAt: decider.work.now, entries: entries)
  }

  /// Books the due expiries of the plans, and begins a transaction that has no entries yet.
  static func begin(
    _ decider: inout Decider, _ kind: EntryKind, command: LedgerCommand.Body, customer: FoundCustomer
  ) -> TransactionNumber {
    for index in decider.plans.indices where decider.plans[index].expiredAmount != 0 {
      bookExpiry(&decider, of: index, customer: customer.number)
    }
    let number = decider.work.journal.appendTransactionWithoutEntries(kind, of: customer.number)
    decider.booked = number
    if !decider.pendingCounts.isEmpty { UsageCounts.bookCounts(&decider, of: customer.number, by: number) }
    decider.work.journal.addNote(of: command, to: number)
    return number
  }

  static func bookingWithoutEntries(
    _ decider: borrowing Decider, _ kind: EntryKind, _ number: TransactionNumber, of customer: CustomerID
  ) -> Booking {
    Booking(
      transactionID: decider.definitions.transactionIDs.id(number: number, createdAt: decider.work.now),
      customer: customer,
      kind: kind,
      createdAt: decider.work.now, entries: CompactList([]))
  }

  /// The answer of a command that books nothing.
  static func answer(_ work: borrowing UnitOfWork, _ customer: CustomerID, isReplayed: Bool) -> Booking {
    Booking(
      transactionID: nil, customer: customer, kind: .initial, createdAt: work.now, entries: CompactList([]),
      isReplayed: isReplayed)
  }

  /// Books a scheduled credit as a separate transaction.
  ///
  /// - Returns: The transaction, and the lot that received the credit.
  static func bookCredit(
    _ decider: inout Decider, _ credit: LotCredit, _ kind: EntryKind, slot: Int, _ currency: CurrencyDefinition
  ) throws(LedgerError) -> (TransactionNumber, LotNumber) {
    let others = decider.plans
    decider.plans = [AccountPlan(slot: slot, currency: currency, kind: kind, amount: credit.amount)]
    AccountPlanning.planCredit(&decider, 0, credit)
    let number = decider.work.journal.appendTransaction(kind, of: decider.work.accounts[slot].row.number.customer)
    try placeCredits(&decider, of: 0)
    _ = append(&decider, 0, transaction: number)
    let lot = decider.plans[0].takes.first?.lot ?? decider.work.accounts[slot].row.poolLot
    decider.plans = others
    return (number, lot)
  }

  static func bookExpiry(_ decider: inout Decider, of index: Int, customer: CustomerNumber) {
    let number = decider.work.journal.appendTransaction(.expiry, of: customer)
    let plan = decider.plans[index]
    decider.plans[index].kind = .expiry
    decider.plans[index].amount = -plan.expiredAmount
    decider.plans[index].takes = plan.expired
    if plan.debtChange != 0 { decider.plans[index].debtChange = 0 }
    decider.plans[index].isAllInPool = false
    _ = append(&decider, index, transaction: number)
    decider.plans[index] = plan
  }

  // MARK: Lots

  /// Turns incoming credits into takes on lots, and makes the missing lots.
  private static func placeCredits(_ decider: inout Decider, of index: Int) throws(LedgerError) {
    let slot = decider.plans[index].slot
    if decider.plans[index].isAllInPool {
      if decider.plans[index].amount > 0, decider.work.accounts[slot].row.poolLot == 0 {
        try decider.work.accounts.openPool(slot, for: decider.plans[index].credits[0])
      }
      return
    }
    for credit in decider.plans[index].credits where credit.amount > 0 {
      let lot = try decider.work.accounts.place(credit, in: slot)
      decider.plans[index].takes.append(lot)
    }
    if decider.plans[index].amount > 0, decider.work.accounts[slot].row.debt > 0 {
      AccountPlanning.repayDebt(&decider, of: index)
    }
  }

  // MARK: Entries

  private static func append(_ decider: inout Decider, _ index: Int, transaction: TransactionNumber) -> PostedEntry {
    let entry = decider.work.journal.sequences.drawEntry()
    let (slot, amount, kind) = (decider.plans[index].slot, decider.plans[index].amount, decider.plans[index].kind)
    let debtChange = decider.plans[index].debtChange
    let lot: LotNumber
    let allocations: CompactList<Allocation>
    if decider.plans[index].isAllInPool {
      (lot, allocations) = decider.work.accounts.moveInPool(slot, by: amount)
    } else {
      decider.work.accounts.apply(decider.plans[index].takes, to: slot, isReturn: kind.isReturn)
      (lot, allocations) = decider.work.journal.allocate(
        decider.plans[index].takes, to: entry, isWhole: debtChange == 0)
    }
    return record(
      &decider, entry, of: transaction, kind, slot, decider.plans[index].currency.code, amount: amount,
      debtChange: debtChange,
      lot: lot, allocations: allocations)
  }

  /// Appends the entry's row and brings its account up to it.
  static func record(
    _ decider: inout Decider, _ entry: EntryNumber, of transaction: TransactionNumber, _ kind: EntryKind, _ slot: Int,
    _ code: CurrencyCode, amount: Int64, debtChange: Int64, lot: LotNumber, allocations: CompactList<Allocation>
  ) -> PostedEntry {
    let (account, previous) = decider.work.accounts.advance(slot, by: amount, debtChange: debtChange, entry: entry)
    let row = EntryRow(
      number: entry, transaction: transaction, account: account.number, kind: kind, amount: amount,
      balance: account.balance, debt: account.debt, version: account.version, previous: previous, lot: lot)
    decider.work.journal.append(row)
    if decider.definitions.hasPolicies { decider.touched.append((slot, transaction)) }
    return PostedEntry(
      currency: code, kind: kind, amount: amount, balance: account.balance,
      debt: account.debt, version: account.version, allocations: allocations,
      held: HeldAmount(amount: account.held))
  }
}
