internal import GemLedger
internal import GemLedgerAudit

// A transaction: replays its entries on accounts and lots.

extension JournalReplay {
  func add(_ transaction: ImportedTransaction) throws(LineFaultOrError) {
    var row = transaction.row
    let byTransaction = isKeyed || !isDense
    if byTransaction { nextEntry = Numbering.entries(of: row.number).lowerBound }
    row.firstEntry = nextEntry
    changes.transactions.append(row)
    if transaction.entries.isEmpty { changes.transactionsWithoutEntries.append(row) }
    for attributes in transaction.newLots {
      changes.ownCold.lotAttributes.append(attributes)
      changes.lastLot = max(changes.lastLot ?? 0, attributes.lot)
    }
    if !transaction.events.isEmpty { changes.ownCold.events += transaction.events }
    // Amounts that a merge takes out of holds move with the entries and are held again afterwards.
    try applyEvents(of: transaction) { $0 == .released }
    var captured = CapturedAmounts(transaction.events)
    for entry in transaction.entries { try add(entry, of: transaction, &captured) }
    changes.itemEntries += transaction.items
    try applyEvents(of: transaction) { $0 != .released }
    if let other = transaction.merged {
      if row.kind == .unmerge { try unmerge(from: other, transaction) } else { try merge(other, transaction) }
    }
    if let refund = transaction.refund { try add(refund, transaction) }
    try applyFreeze(transaction)
    if let note = transaction.note { changes.notes.append(note) }
  }

  private func add(
    _ imported: ImportedTransaction.Entry, of transaction: ImportedTransaction, _ captured: inout CapturedAmounts
  ) throws(LineFaultOrError) {
    var entry = imported.row
    var account = try account(entry.account)
    var fold = AccountFold(account.row)
    let change = fold.add(nextEntry, balance: entry.balance, debt: entry.debt)
    guard change.amount == Int128(entry.amount) else {
      throw .fault(
        "An entry of \(entry.amount) leaves balance \(entry.balance) and debt \(entry.debt); before it they were "
          + "\(account.row.balance) and \(account.row.debt).")
    }
    if entry.lot != 0 {
      guard change.balance == Int128(entry.amount) else {
        throw .fault("An entry that changes a debt names one lot only.")
      }
      try allocate(entry.amount, to: entry.lot, &account, entry.kind, transaction, &captured)
    } else {
      guard imported.allocations.reduce(Int128(0), { $0 + Int128($1.amount) }) == change.balance else {
        throw .fault("The lots of an entry do not add up to its change of balance, \(change.balance).")
      }
      for allocation in imported.allocations {
        try allocate(allocation.amount, to: allocation.lot, &account, entry.kind, transaction, &captured)
      }
    }
    (entry.number, entry.transaction) = (nextEntry, transaction.row.number)
    entry.previous = account.row.lastEntry
    nextEntry += 1
    account.row.set(fold)
    entry.version = account.row.version
    if account.row.openLots == 0 { account.row.nextExpiry = .max }
    put(account)
    append(entry, imported.allocations, of: transaction.row)
  }

  private func append(_ entry: EntryRow, _ allocations: [AllocationRow], of transaction: TransactionRow) {
    changes.entries.append(entry)
    for var allocation in allocations {
      allocation.entry = entry.number
      changes.allocations.append(allocation)
    }
    guard entry.version % CheckpointRow.interval == 0 else { return }
    changes.checkpoints.append(
      CheckpointRow(
        account: entry.account, version: entry.version, entry: entry.number, transaction: transaction.number,
        createdAt: transaction.createdAt))
  }

  // MARK: Accounts

  func account(_ number: AccountNumber) throws(LineFaultOrError) -> Account {
    if let known = accounts[number.rawValue] { return known }
    if !knownCustomers.contains(number.customer), newCustomers[number.customer] == nil {
      let found = try asking { () throws(LedgerError) in try snapshot.accounts(of: number.customer) }
      keep(found)
    }
    knownCustomers.insert(number.customer)
    if let known = accounts[number.rawValue] { return known }
    let account = Account(row: AccountRow(number: number), isNew: true)
    accounts.keep(account, number.rawValue)
    return account
  }

  private func keep(_ found: [AccountRow]) {
    for row in found { accounts.keep(Account(row: row, isNew: false), row.number.rawValue) }
  }

  func put(_ account: Account) { accounts.put(account, account.row.number.rawValue) }

  /// Reads the accounts of a page's customers at once.
  func prefetch(_ page: [ImportRecord]) throws(LedgerError) {
    var wanted: Set<CustomerNumber> = []
    for case .transaction(let transaction) in page {
      for entry in transaction.entries where !knownCustomers.contains(entry.row.account.customer) {
        wanted.insert(entry.row.account.customer)
      }
    }
    guard !wanted.isEmpty else { return }
    keep(try snapshot.accounts(of: wanted.sorted()))
    knownCustomers.formUnion(wanted)
  }

  // MARK: Lots

  private func allocate(
    _ amount: Int64, to number: LotNumber, _ account: inout Account, _ kind: EntryKind,
    _ transaction: ImportedTransaction, _ captured: inout CapturedAmounts
  ) throws(LineFaultOrError) {
    if accountPoolLacks(account, number), let attributes = transaction.newLots.first(where: { $0.lot == number }),
      lots[number] == nil
    {
      makeLot(attributes, &account)
    }
    let amount = captured.rest(of: amount, from: number)
    try move(amount, in: number, &account, isReturn: kind.isReturn)
  }

  private func accountPoolLacks(_ account: Account, _ number: LotNumber) -> Bool { account.row.poolLot != number }

  /// The first pooled lot of an account is stored in the account's row.
  private func makeLot(_ attributes: LotAttributesRow, _ account: inout Account) {
    let isPooled = LotCredit.isPooled(
      attributes.source, price: attributes.price, purchase: attributes.purchase, expiresAt: attributes.expiresAt)
    if account.row.poolLot == 0, isPooled {
      account.row.poolLot = attributes.lot
      account.row.poolSource = attributes.source.rawValue
      account.row.poolEnvironment = attributes.environment
      return
    }
    let row = LotRow(
      number: attributes.lot, account: account.row.number, source: attributes.source,
      environment: attributes.environment,
      granted: 0, remaining: 0, price: attributes.price, purchase: attributes.purchase, expiresAt: attributes.expiresAt)
    lots.put(Lot(row: row, isNew: true), attributes.lot)
    account.row.nextExpiry = min(account.row.nextExpiry, attributes.expiresAt)
  }

  /// Moves an amount in a lot of the account; takes over a merged customer's lot.
  func move(
    _ amount: Int64, in number: LotNumber, _ account: inout Account, isReturn: Bool
  ) throws(LineFaultOrError) {
    if account.row.poolLot == number {
      let fold = LotFold(granted: account.row.poolGranted, remaining: account.row.poolRemaining)
      (account.row.poolGranted, account.row.poolRemaining) = try Self.add(amount, to: fold, number, isReturn: isReturn)
      return
    }
    var lot = try lot(number, of: account.row.number)
    if lot.row.account != account.row.number { try bringOver(&lot, to: &account) }
    let before = lot.row.remaining
    let fold = LotFold(granted: lot.row.granted, remaining: before)
    (lot.row.granted, lot.row.remaining) = try Self.add(amount, to: fold, number, isReturn: isReturn)
    if before == 0, lot.row.remaining > 0 {
      account.row.openLots += 1
      account.row.nextExpiry = min(account.row.nextExpiry, lot.row.expiresAt)
    }
    if before > 0, lot.row.remaining == 0 { account.row.openLots -= 1 }
    lots.put(lot, number)
  }

  private func bringOver(_ lot: inout Lot, to account: inout Account) throws(LineFaultOrError) {
    guard lot.row.remaining == 0, lot.row.account.currency == account.row.number.currency else {
      throw .fault("Lot \(lot.row.number) belongs to another account.")
    }
    if !lot.isNew, lot.movedFrom == nil { lot.movedFrom = lot.row.account.customer }
    lot.row.account = account.row.number
  }

  private func lot(_ number: LotNumber, of account: AccountNumber) throws(LineFaultOrError) -> Lot {
    if let known = lots[number] { return known }
    let found = try asking { () throws(LedgerError) -> LotRow? in
      if let own = try snapshot.lot(number, of: account.customer) { return own }
      for customer in try parts(of: account.customer) {
        if let other = try snapshot.lot(number, of: customer) { return other }
      }
      return nil
    }
    guard let found else { throw .fault("Lot \(number) was never made.") }
    return Lot(row: found, isNew: false)
  }

  private static func add(
    _ amount: Int64, to lot: LotFold, _ number: LotNumber, isReturn: Bool
  ) throws(LineFaultOrError) -> (granted: Int64, remaining: Int64) {
    var fold = lot
    fold.add(amount, isReturn: isReturn)
    guard let remaining = Int64(exactly: fold.remaining), remaining >= 0 else {
      throw .fault("Lot \(number) holds \(lot.remaining), and \(amount) is moved in it.")
    }
    return (fold.grantedInRow, remaining)
  }
}

/// The captured amounts, which the hold took out of its lots earlier.
struct CapturedAmounts {
  private var amounts: [LotNumber: Int64] = [:]

  init(_ events: [JournalEventRow]) {
    for row in events where row.kind == .captured { amounts[row.lot, default: 0] += row.amount }
  }

  /// Returns the part of the amount that still has to move in the lot.
  mutating func rest(of amount: Int64, from lot: LotNumber) -> Int64 {
    guard amount < 0, let captured = amounts[lot], captured > 0 else { return amount }
    let used = min(captured, amount == .min ? .max : -amount)
    amounts[lot] = captured - used
    return amount + used
  }
}
