extension Decider {
  /// Books the transaction of the plans, expiries that are due first, and gives its receipt.
  mutating func book(
    _ kind: EntryKind, command: LedgerCommand.Body, customer: FoundCustomer, session: any StorageSnapshot
  ) throws(LedgerError) -> Receipt {
    for index in plans.indices where plans[index].expiredAmount != 0 {
      bookExpiry(of: index, customer: customer.number)
    }
    let number = appendTransaction(kind, customer: customer.number)
    let entries: CompactList<PostedEntry>
    if plans.count == 1 {
      try placeCredits(of: 0, session: session)
      entries = CompactList(append(0, transaction: number))
    } else {
      var several: [PostedEntry] = []
      for index in plans.indices {
        try placeCredits(of: index, session: session)
        several.append(append(index, transaction: number))
      }
      entries = CompactList(several)
    }
    if plans.isEmpty, let transaction = set.changes.transactions.last {
      set.changes.transactionsWithoutEntries.append(transaction)
    }
    if let note = command.note {
      set.changes.notes.append(
        NoteRow(transaction: number, reference: note.reference, reason: note.reason, actor: note.actor))
    }
    return Receipt(
      transactionID: terms.transactionIDs.id(number: number, createdAt: set.now), customer: command.customer,
      kind: kind, createdAt: set.now, entries: entries)
  }

  private mutating func bookExpiry(of index: Int, customer: CustomerNumber) {
    let number = appendTransaction(.expiry, customer: customer)
    let plan = plans[index]
    plans[index].kind = .expiry
    plans[index].amount = -plan.expiredAmount
    plans[index].takes = plan.expired
    plans[index].isAllInPool = false
    _ = append(index, transaction: number)
    plans[index] = plan
  }

  private mutating func appendTransaction(_ kind: EntryKind, customer: CustomerNumber) -> TransactionNumber {
    set.sequences.transaction += 1
    set.changes.transactions.append(
      TransactionRow(
        number: set.sequences.transaction, kind: kind, customer: customer, createdAt: set.now,
        firstEntry: set.sequences.entry + 1))
    return set.sequences.transaction
  }

  // MARK: Lots

  /// Turns what comes in into takes on lots, making the lots that are missing.
  private mutating func placeCredits(of index: Int, session: any StorageSnapshot) throws(LedgerError) {
    let slot = plans[index].slot
    if plans[index].isAllInPool {
      if plans[index].amount > 0, set.accounts[slot].row.poolLot == 0 {
        try openPool(slot, plans[index].credits[0], session: session)
      }
      return
    }
    for credit in plans[index].credits where credit.amount > 0 {
      let lot = try place(credit, slot: slot, session: session)
      plans[index].takes.append(lot)
    }
  }

  private mutating func openPool(_ slot: Int, _ credit: LotCredit, session: any StorageSnapshot) throws(LedgerError) {
    set.accounts[slot].row.poolLot = try set.next(.lot, session: session)
    set.accounts[slot].row.poolSource = credit.source.rawValue
    set.accounts[slot].row.poolEnvironment = credit.environment
  }

  private mutating func place(
    _ credit: LotCredit, slot: Int, session: any StorageSnapshot
  ) throws(LedgerError) -> LotTake {
    let book = set.book(of: slot)
    if credit.isPooled, let place = try findPooledLot(credit, slot: slot, book: book, session: session) {
      return LotTake(
        place: place, lot: set.books[book][place].row.number, source: credit.source, amount: credit.amount)
    }
    let row = LotRow(
      number: try set.next(.lot, session: session), account: set.accounts[slot].row.number, source: credit.source,
      environment: credit.environment, granted: 0, remaining: 0, price: credit.price, purchase: credit.purchase,
      expiresAt: credit.expiresAt)
    set.books[book].extras.append(WorkingLot(row: row, isNew: true))
    set.accounts[slot].row.nextExpiry = min(set.accounts[slot].row.nextExpiry, credit.expiresAt)
    return LotTake(
      place: .extra(set.books[book].extras.count - 1), lot: row.number, source: credit.source, amount: credit.amount)
  }

  private mutating func findPooledLot(
    _ credit: LotCredit, slot: Int, book: Int, session: any StorageSnapshot
  ) throws(LedgerError) -> LotPlace? {
    func fits(_ lot: WorkingLot) -> Bool {
      lot.row.purchase == nil && lot.row.expiresAt == .max && lot.row.source == credit.source
        && lot.row.environment == credit.environment
    }
    if let index = set.books[book].extras.firstIndex(where: fits) { return .extra(index) }
    if let index = set.books[book].free.lots.firstIndex(where: fits) { return .free(index) }
    let account = set.accounts[slot].row.number
    let known = try session.pooledLot(account, source: credit.source, environment: credit.environment)
    guard let known else { return nil }
    set.books[book].extras.append(WorkingLot(row: known))
    return .extra(set.books[book].extras.count - 1)
  }

  // MARK: Entries

  private mutating func append(_ index: Int, transaction: TransactionNumber) -> PostedEntry {
    set.sequences.entry += 1
    let entry = set.sequences.entry
    let (slot, amount, kind) = (plans[index].slot, plans[index].amount, plans[index].kind)
    let (lot, allocations) =
      plans[index].isAllInPool
      ? moveInPool(slot, by: amount) : allocate(plans[index].takes, slot: slot, entry: entry)
    let (account, previous) = advance(slot, by: amount, entry: entry)
    let row = EntryRow(
      number: entry, transaction: transaction, account: account.number, kind: kind, amount: amount,
      balance: account.balance, debt: account.debt, version: account.version, previous: previous, lot: lot)
    set.changes.entries.append(row)
    if row.version % AnchorRow.interval == 0 { set.addAnchor(of: row) }
    return PostedEntry(
      currency: plans[index].currency.code, kind: kind, amount: amount, balance: account.balance,
      debt: account.debt, version: account.version, allocations: allocations)
  }

  private mutating func moveInPool(_ slot: Int, by amount: Int64) -> (LotNumber, CompactList<Allocation>) {
    set.accounts[slot].row.poolRemaining += amount
    if amount > 0 {
      set.accounts[slot].row.poolGranted = LotBook.granted(set.accounts[slot].row.poolGranted, plus: amount)
    }
    let lot = set.accounts[slot].row.poolLot
    let source = LotSource(rawValue: set.accounts[slot].row.poolSource) ?? .admin
    return (lot, CompactList(Allocation(lot: lot, source: source, amount: amount)))
  }

  private mutating func allocate(
    _ takes: [LotTake], slot: Int, entry: EntryNumber
  ) -> (LotNumber, CompactList<Allocation>) {
    apply(takes, slot: slot)
    if takes.count > 1 {
      for (index, take) in takes.enumerated() {
        set.changes.allocations.append(
          AllocationRow(entry: entry, position: Int64(index) + 1, lot: take.lot, amount: take.amount))
      }
    }
    let allocations = takes.map { Allocation(lot: $0.lot, source: $0.source, amount: $0.amount) }
    return (takes.count == 1 ? takes[0].lot : 0, CompactList(allocations))
  }

  private mutating func advance(
    _ slot: Int, by amount: Int64, entry: EntryNumber
  ) -> (row: AccountRow, previous: EntryNumber) {
    let previous = set.accounts[slot].row.lastEntry
    set.accounts[slot].row.balance += amount
    set.accounts[slot].row.version += 1
    set.accounts[slot].row.lastEntry = entry
    set.accounts[slot].isChanged = true
    return (set.accounts[slot].row, previous)
  }

  private mutating func apply(_ takes: [LotTake], slot: Int) {
    let book = set.book(of: slot)
    for take in takes {
      if take.place == .pool {
        set.accounts[slot].row.poolRemaining += take.amount
        continue
      }
      let before = set.books[book][take.place].row.remaining
      set.books[book][take.place].row.remaining += take.amount
      if take.amount > 0 {
        set.books[book][take.place].row.granted = LotBook.granted(
          set.books[book][take.place].row.granted, plus: take.amount)
      }
      set.books[book][take.place].isChanged = true
      if before == 0 {
        set.accounts[slot].row.openLots += 1
        if case .free(let index) = take.place { set.books[book].free.head = min(set.books[book].free.head, index) }
      }
      if before + take.amount == 0 { set.accounts[slot].row.openLots -= 1 }
    }
    refreshNextExpiry(slot: slot, book: book)
  }

  /// After an expiry, or a spend that emptied lots, the account's next expiry is later, where that is known.
  private mutating func refreshNextExpiry(slot: Int, book: Int) {
    set.books[book].skipEmptyLots()
    if let next = set.books[book].nextExpiry { set.accounts[slot].row.nextExpiry = next }
  }
}
