/// Appends transactions, entries and allocations, and brings the accounts up to them.
enum JournalPosting {
  /// Books the transaction of the plans, due expiries first, and returns its booking.
  static func book(
    _ decider: inout Decider, _ kind: EntryKind, command: LedgerCommand.Body, customer: FoundCustomer
  ) throws(LedgerError) -> Booking {
    for index in decider.plans.indices where decider.plans[index].expiredAmount != 0 {
      bookExpiry(&decider, of: index, customer: customer.number)
    }
    let number = appendTransaction(&decider.work, kind, customer: customer.number)
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
    if decider.plans.isEmpty, let transaction = decider.work.changes.transactions.last {
      decider.work.changes.transactionsWithoutEntries.append(transaction)
    }
    addNote(&decider.work, of: command, to: number)
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
    let number = appendTransactionWithoutEntries(&decider.work, kind, customer: customer.number)
    decider.booked = number
    if !decider.pendingCounts.isEmpty { UsageCounts.bookCounts(&decider, of: customer.number, by: number) }
    addNote(&decider.work, of: command, to: number)
    return number
  }

  static func appendTransactionWithoutEntries(
    _ work: inout UnitOfWork, _ kind: EntryKind, customer: CustomerNumber
  ) -> TransactionNumber {
    let number = appendTransaction(&work, kind, customer: customer)
    if let row = work.changes.transactions.last { work.changes.transactionsWithoutEntries.append(row) }
    return number
  }

  static func bookingWithoutEntries(
    _ decider: inout Decider, _ kind: EntryKind, _ number: TransactionNumber, of customer: CustomerID
  ) -> Booking {
    Booking(
      transactionID: decider.definitions.transactionIDs.id(number: number, createdAt: decider.work.now),
      customer: customer,
      kind: kind,
      createdAt: decider.work.now, entries: CompactList([]))
  }

  /// The answer of a command that books nothing.
  static func answer(_ work: inout UnitOfWork, _ customer: CustomerID, isReplayed: Bool) -> Booking {
    Booking(
      transactionID: nil, customer: customer, kind: .initial, createdAt: work.now, entries: CompactList([]),
      isReplayed: isReplayed)
  }

  static func addNote(_ work: inout UnitOfWork, of command: LedgerCommand.Body, to transaction: TransactionNumber) {
    guard let note = command.note else { return }
    work.changes.notes.append(
      NoteRow(transaction: transaction, reference: note.reference, reason: note.reason, actor: note.actor))
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
    let number = appendTransaction(&decider.work, kind, customer: decider.work.accounts[slot].row.number.customer)
    try placeCredits(&decider, of: 0)
    _ = append(&decider, 0, transaction: number)
    let lot = decider.plans[0].takes.first?.lot ?? decider.work.accounts[slot].row.poolLot
    decider.plans = others
    return (number, lot)
  }

  static func bookExpiry(_ decider: inout Decider, of index: Int, customer: CustomerNumber) {
    let number = appendTransaction(&decider.work, .expiry, customer: customer)
    let plan = decider.plans[index]
    decider.plans[index].kind = .expiry
    decider.plans[index].amount = -plan.expiredAmount
    decider.plans[index].takes = plan.expired
    if plan.debtChange != 0 { decider.plans[index].debtChange = 0 }
    decider.plans[index].isAllInPool = false
    _ = append(&decider, index, transaction: number)
    decider.plans[index] = plan
  }

  static func appendTransaction(
    _ work: inout UnitOfWork, _ kind: EntryKind, customer: CustomerNumber
  ) -> TransactionNumber {
    let number = work.sequences.drawTransaction()
    work.changes.transactions.append(
      TransactionRow(
        number: number, kind: kind, customer: customer, createdAt: work.now, firstEntry: work.sequences.entry + 1))
    return number
  }

  // MARK: Lots

  /// Turns incoming credits into takes on lots, and makes the missing lots.
  private static func placeCredits(_ decider: inout Decider, of index: Int) throws(LedgerError) {
    let slot = decider.plans[index].slot
    if decider.plans[index].isAllInPool {
      if decider.plans[index].amount > 0, decider.work.accounts[slot].row.poolLot == 0 {
        try LotPlacement.openPool(&decider.work, slot, decider.plans[index].credits[0])
      }
      return
    }
    for credit in decider.plans[index].credits where credit.amount > 0 {
      let lot = try LotPlacement.placeCredit(&decider.work, credit, slot: slot)
      decider.plans[index].takes.append(lot)
    }
    if decider.plans[index].amount > 0, decider.work.accounts[slot].row.debt > 0 {
      AccountPlanning.repayDebt(&decider, of: index)
    }
  }

  // MARK: Entries

  private static func append(_ decider: inout Decider, _ index: Int, transaction: TransactionNumber) -> PostedEntry {
    let entry = decider.work.sequences.drawEntry()
    let (slot, amount, kind) = (decider.plans[index].slot, decider.plans[index].amount, decider.plans[index].kind)
    let debtChange = decider.plans[index].debtChange
    let lot: LotNumber
    let allocations: CompactList<Allocation>
    if decider.plans[index].isAllInPool {
      (lot, allocations) = LotMoves.moveInPool(&decider.work, slot, by: amount)
    } else {
      LotMoves.apply(&decider.work, decider.plans[index].takes, slot: slot, isReturn: kind.isReturn)
      (lot, allocations) = allocate(&decider.work, decider.plans[index].takes, entry: entry, isWhole: debtChange == 0)
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
    let (account, previous) = advance(&decider.work, slot, by: amount, debtChange: debtChange, entry: entry)
    let row = EntryRow(
      number: entry, transaction: transaction, account: account.number, kind: kind, amount: amount,
      balance: account.balance, debt: account.debt, version: account.version, previous: previous, lot: lot)
    decider.work.changes.entries.append(row)
    if decider.definitions.hasPolicies { decider.touched.append((slot, transaction)) }
    if row.version % CheckpointRow.interval == 0 { decider.work.addCheckpoint(of: row) }
    return PostedEntry(
      currency: code, kind: kind, amount: amount, balance: account.balance,
      debt: account.debt, version: account.version, allocations: allocations,
      held: HeldAmount(amount: account.held))
  }

  /// Appends the rows of the allocations.
  ///
  /// - Parameter isWhole: Whether they add up to the entry's amount; only then may the entry name a single lot itself.
  static func allocate(
    _ work: inout UnitOfWork, _ takes: [LotTake], entry: EntryNumber, isWhole: Bool
  ) -> (LotNumber, CompactList<Allocation>) {
    if takes.count > 1 || !isWhole {
      for (index, take) in takes.enumerated() {
        work.changes.allocations.append(
          AllocationRow(entry: entry, position: Int64(index) + 1, lot: take.lot, amount: take.amount))
      }
    }
    let allocations = takes.map { Allocation(lot: $0.lot, source: $0.source, amount: $0.amount) }
    return (takes.count == 1 && isWhole ? takes[0].lot : 0, CompactList(allocations))
  }

  private static func advance(
    _ work: inout UnitOfWork, _ slot: Int, by amount: Int64, debtChange: Int64, entry: EntryNumber
  ) -> (row: AccountRow, previous: EntryNumber) {
    let previous = work.accounts[slot].row.lastEntry
    work.accounts[slot].row.balance += amount + debtChange
    if debtChange != 0 { work.accounts[slot].row.debt += debtChange }
    work.accounts[slot].row.version += 1
    work.accounts[slot].row.lastEntry = entry
    work.accounts[slot].isChanged = true
    return (work.accounts[slot].row, previous)
  }
}
