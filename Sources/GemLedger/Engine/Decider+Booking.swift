extension Decider {
  /// Books the transaction of the plans, expiries that are due first, and gives its receipt.
  mutating func book(
    _ kind: EntryKind, command: LedgerCommand.Body, customer: FoundCustomer, session: any StorageSnapshot
  ) throws(LedgerError) -> Receipt {
    for index in plans.indices where plans[index].expiredAmount != 0 {
      bookExpiry(of: index, customer: customer.number)
    }
    let number = appendTransaction(kind, customer: customer.number)
    booked = number
    if !pendingCounts.isEmpty { bookCounts(of: customer.number, by: number) }
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
    addNote(of: command, to: number)
    return Receipt(
      transactionID: terms.transactionIDs.id(number: number, createdAt: set.now), customer: command.customer,
      kind: kind, createdAt: set.now, entries: entries)
  }

  mutating func addNote(of command: LedgerCommand.Body, to transaction: TransactionNumber) {
    guard let note = command.note else { return }
    set.changes.notes.append(
      NoteRow(transaction: transaction, reference: note.reference, reason: note.reason, actor: note.actor))
  }

  /// Books a credit that comes about by itself, as a transaction of its own.
  ///
  /// - Returns: The transaction, and the lot that it went to.
  mutating func bookCredit(
    _ credit: LotCredit, _ kind: EntryKind, slot: Int, _ currency: CurrencyTerms, session: any StorageSnapshot
  ) throws(LedgerError) -> (TransactionNumber, LotNumber) {
    let others = plans
    plans = [AccountPlan(slot: slot, currency: currency, kind: kind, amount: credit.amount)]
    planCredit(0, credit)
    let number = appendTransaction(kind, customer: set.accounts[slot].row.number.customer)
    try placeCredits(of: 0, session: session)
    _ = append(0, transaction: number)
    let lot = plans[0].takes.first?.lot ?? set.accounts[slot].row.poolLot
    plans = others
    return (number, lot)
  }

  mutating func bookExpiry(of index: Int, customer: CustomerNumber) {
    let number = appendTransaction(.expiry, customer: customer)
    let plan = plans[index]
    plans[index].kind = .expiry
    plans[index].amount = -plan.expiredAmount
    plans[index].takes = plan.expired
    if plan.debtChange != 0 { plans[index].debtChange = 0 }
    plans[index].isAllInPool = false
    _ = append(index, transaction: number)
    plans[index] = plan
  }

  mutating func appendTransaction(_ kind: EntryKind, customer: CustomerNumber) -> TransactionNumber {
    let number = set.sequences.drawTransaction()
    set.changes.transactions.append(
      TransactionRow(
        number: number, kind: kind, customer: customer, createdAt: set.now, firstEntry: set.sequences.entry + 1))
    return number
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
    if plans[index].amount > 0, set.accounts[slot].row.debt > 0 { repayDebt(of: index) }
  }

  private mutating func openPool(_ slot: Int, _ credit: LotCredit, session: any StorageSnapshot) throws(LedgerError) {
    let number = try set.next(.lot, session: session)
    set.accounts[slot].row.poolLot = number
    set.accounts[slot].row.poolSource = credit.source.rawValue
    set.accounts[slot].row.poolEnvironment = credit.environment
    set.changes.ownRare.lotTerms.append(
      LotTermsRow(
        lot: number, source: credit.source, environment: credit.environment, price: nil, purchase: nil,
        expiresAt: .max))
  }

  mutating func place(
    _ credit: LotCredit, slot: Int, session: any StorageSnapshot
  ) throws(LedgerError) -> LotTake {
    if credit.isPooled, let take = try placeInPool(credit, slot: slot, session: session) { return take }
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
    set.changes.ownRare.lotTerms.append(LotTermsRow(of: row, origin: credit.origin))
    set.accounts[slot].row.nextExpiry = min(set.accounts[slot].row.nextExpiry, credit.expiresAt)
    return LotTake(
      place: .extra(set.books[book].extras.count - 1), lot: row.number, source: credit.source, amount: credit.amount)
  }

  /// Puts the credit into the lot in the account's own row, where it fits there or nothing is there yet.
  private mutating func placeInPool(
    _ credit: LotCredit, slot: Int, session: any StorageSnapshot
  ) throws(LedgerError) -> LotTake? {
    if set.accounts[slot].row.poolLot == 0 { try openPool(slot, credit, session: session) }
    let account = set.accounts[slot].row
    guard account.poolSource == credit.source.rawValue, account.poolEnvironment == credit.environment else {
      return nil
    }
    return LotTake(place: .pool, lot: account.poolLot, source: credit.source, amount: credit.amount)
  }

  private mutating func findPooledLot(
    _ credit: LotCredit, slot: Int, book: Int, session: any StorageSnapshot
  ) throws(LedgerError) -> LotPlace? {
    func fits(_ lot: WorkingLot) -> Bool {
      lot.row.purchase == nil && lot.row.price == nil && lot.row.expiresAt == .max
        && lot.row.source == credit.source && lot.row.environment == credit.environment
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
    let entry = set.sequences.drawEntry()
    let (slot, amount, kind) = (plans[index].slot, plans[index].amount, plans[index].kind)
    let debtChange = plans[index].debtChange
    let lot: LotNumber
    let allocations: CompactList<Allocation>
    if plans[index].isAllInPool {
      (lot, allocations) = moveInPool(slot, by: amount)
    } else {
      apply(plans[index].takes, slot: slot, isReturn: kind.isReturn)
      (lot, allocations) = allocate(plans[index].takes, entry: entry, isWhole: debtChange == 0)
    }
    return record(
      entry, of: transaction, kind, slot, plans[index].currency.code, amount: amount, debtChange: debtChange,
      lot: lot, allocations: allocations)
  }

  /// Appends the entry's row and brings its account up to it.
  mutating func record(
    _ entry: EntryNumber, of transaction: TransactionNumber, _ kind: EntryKind, _ slot: Int, _ code: CurrencyCode,
    amount: Int64, debtChange: Int64, lot: LotNumber, allocations: CompactList<Allocation>
  ) -> PostedEntry {
    let (account, previous) = advance(slot, by: amount, debtChange: debtChange, entry: entry)
    let row = EntryRow(
      number: entry, transaction: transaction, account: account.number, kind: kind, amount: amount,
      balance: account.balance, debt: account.debt, version: account.version, previous: previous, lot: lot)
    set.changes.entries.append(row)
    if terms.hasPolicies { touched.append((slot, transaction)) }
    if row.version % AnchorRow.interval == 0 { set.addAnchor(of: row) }
    return PostedEntry(
      currency: code, kind: kind, amount: amount, balance: account.balance,
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

  /// Appends the rows of the allocations.
  ///
  /// - Parameter isWhole: Whether they add up to the entry's amount; only then may the entry name a single lot itself.
  mutating func allocate(
    _ takes: [LotTake], entry: EntryNumber, isWhole: Bool
  ) -> (LotNumber, CompactList<Allocation>) {
    if takes.count > 1 || !isWhole {
      for (index, take) in takes.enumerated() {
        set.changes.allocations.append(
          AllocationRow(entry: entry, position: Int64(index) + 1, lot: take.lot, amount: take.amount))
      }
    }
    let allocations = takes.map { Allocation(lot: $0.lot, source: $0.source, amount: $0.amount) }
    return (takes.count == 1 && isWhole ? takes[0].lot : 0, CompactList(allocations))
  }

  private mutating func advance(
    _ slot: Int, by amount: Int64, debtChange: Int64, entry: EntryNumber
  ) -> (row: AccountRow, previous: EntryNumber) {
    let previous = set.accounts[slot].row.lastEntry
    set.accounts[slot].row.balance += amount + debtChange
    if debtChange != 0 { set.accounts[slot].row.debt += debtChange }
    set.accounts[slot].row.version += 1
    set.accounts[slot].row.lastEntry = entry
    set.accounts[slot].isChanged = true
    return (set.accounts[slot].row, previous)
  }

  /// Moves the takes in the lots; what only returns to a lot makes it no larger than it was.
  mutating func apply(_ takes: [LotTake], slot: Int, isReturn: Bool) {
    let book = set.book(of: slot)
    for take in takes {
      if take.place == .pool {
        applyToPool(take, slot: slot, isReturn: isReturn)
        continue
      }
      let before = set.books[book][take.place].row.remaining
      set.books[book][take.place].row.remaining += take.amount
      if take.amount > 0 {
        let row = set.books[book][take.place].row
        set.books[book][take.place].row.granted =
          isReturn ? max(row.granted, row.remaining) : LotBook.granted(row.granted, plus: take.amount)
      }
      set.books[book][take.place].isChanged = true
      if before == 0 {
        set.accounts[slot].row.openLots += 1
        if case .free(let index) = take.place { set.books[book].free.head = min(set.books[book].free.head, index) }
        if case .paid(let index) = take.place { set.books[book].paid.head = min(set.books[book].paid.head, index) }
      }
      if before + take.amount == 0 { set.accounts[slot].row.openLots -= 1 }
    }
    refreshNextExpiry(slot: slot, book: book)
  }

  private mutating func applyToPool(_ take: LotTake, slot: Int, isReturn: Bool) {
    set.accounts[slot].row.poolRemaining += take.amount
    guard take.amount > 0 else { return }
    let row = set.accounts[slot].row
    set.accounts[slot].row.poolGranted =
      isReturn ? max(row.poolGranted, row.poolRemaining) : LotBook.granted(row.poolGranted, plus: take.amount)
  }

  /// After an expiry, or a spend that emptied lots, the account's next expiry is later, where that is known.
  mutating func refreshNextExpiry(slot: Int, book: Int) {
    set.books[book].skipEmptyLots()
    if let next = set.books[book].nextExpiry { set.accounts[slot].row.nextExpiry = next }
  }
}
