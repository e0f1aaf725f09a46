/// An account in the unit of work, and whether it must be written.
struct WorkingAccount {
  var row: AccountRow
  var isNew: Bool
  var isChanged = false
  /// Whether the group has applied the account's scheduled effects.
  var isCurrent = false
  /// The index of its loaded lots; -1 until they are needed.
  var lotsIndex = -1
}

/// The accounts that a group has loaded, with their lots, as the group left them.
///
/// A slot is the position of an account in the book.
struct AccountBook: ~Copyable {
  private let scope: GroupScope
  private var accounts: [WorkingAccount] = []
  private var loadedLots: [LoadedLots] = []
  private var slots = SlotTable()
  /// The lots that the group made, with what never changes about them.
  private(set) var lotAttributes: [LotAttributesRow] = []
  /// The highest lot number that the group drew; nil if it drew none.
  private var lastLot: LotNumber?
  /// Whether a lot left its account.
  private var hasRemovedLots = false

  init(_ scope: GroupScope) { self.scope = scope }

  mutating func removeAll() {
    accounts.removeAll(keepingCapacity: true)
    if !loadedLots.isEmpty { loadedLots.removeAll() }
    slots.removeAll()
    if !lotAttributes.isEmpty { lotAttributes.removeAll() }
    (lastLot, hasRemovedLots) = (nil, false)
  }

  /// Moves the changed accounts and lots into the change set.
  func collect(into changes: inout ChangeSet) {
    changes.lastLot = lastLot
    if !lotAttributes.isEmpty { changes.ownCold.lotAttributes = lotAttributes }
    for account in accounts where account.isChanged {
      if account.isNew {
        changes.newAccounts.append(account.row)
      } else {
        changes.changedAccounts.append(account.row)
      }
    }
    for loaded in loadedLots {
      collect(loaded.free.lots, into: &changes)
      collect(loaded.paid.lots, into: &changes)
      collect(loaded.extras, into: &changes)
    }
  }

  private func collect(_ lots: [WorkingLot], into changes: inout ChangeSet) {
    for lot in lots {
      if lot.isNew {
        changes.newLots.append(lot.row)
      } else if lot.isChanged {
        changes.changedLots.append(lot.row)
      }
      if lot.isMoved, !lot.isNew { changes.ownCold.movedLots.append(lot.row) }
    }
  }

  // MARK: Accounts

  subscript(slot: Int) -> WorkingAccount {
    @inline(__always) get { accounts[slot] }
    @inline(__always) _modify { yield &accounts[slot] }
  }

  mutating func slot(of number: AccountNumber) throws(LedgerError) -> Int {
    let new = accounts.count
    let slot = slots.insert(number.rawValue, slot: new)
    guard slot == new else { return slot }
    // A storage failure here fails the group, and the slot is not used again.
    if let row = try scope.session.account(number) {
      accounts.append(WorkingAccount(row: row, isNew: false))
    } else {
      accounts.append(WorkingAccount(row: AccountRow(number: number), isNew: true))
    }
    return slot
  }

  /// Adds an account as it was at a past instant, with its lots that were due to expire and not booked.
  mutating func restore(_ past: PastAccount) {
    let slot = slots.insert(past.row.number.rawValue, slot: accounts.count)
    if slot == accounts.count { accounts.append(WorkingAccount(row: past.row, isNew: past.row.version == 0)) }
    loadedLots.append(LoadedLots(due: past.dueLots))
    accounts[slot].lotsIndex = loadedLots.count - 1
  }

  /// Sets aside the amount that a hold took from lots, or releases it if the amount is negative.
  mutating func setAside(_ amount: Int64, slot: Int) {
    accounts[slot].row.held += amount
    accounts[slot].isChanged = true
  }

  /// Brings the account up to an entry that changes its balance by the amount and by the change of the debt.
  ///
  /// - Returns: The row after the entry, and the account's entry before it.
  mutating func advance(
    _ slot: Int, by amount: Int64, debtChange: Int64, entry: EntryNumber
  ) -> (row: AccountRow, previous: EntryNumber) {
    let previous = accounts[slot].row.lastEntry
    accounts[slot].row.balance += amount + debtChange
    if debtChange != 0 { accounts[slot].row.debt += debtChange }
    accounts[slot].row.version += 1
    accounts[slot].row.lastEntry = entry
    accounts[slot].isChanged = true
    return (accounts[slot].row, previous)
  }

  // MARK: Lots

  /// The loaded lots of an account.
  mutating func lots(of slot: Int) -> LoadedLots { loadedLots[lotsIndex(of: slot)] }

  /// A lot of an account with a row of its own.
  func lot(_ lotSlot: LotSlot, of slot: Int) -> LotRow { loadedLots[accounts[slot].lotsIndex][lotSlot].row }

  /// Returns the index of the loaded lots of an account, and adds an empty element if there is none.
  private mutating func lotsIndex(of slot: Int) -> Int {
    if accounts[slot].lotsIndex >= 0 { return accounts[slot].lotsIndex }
    loadedLots.append(accounts[slot].row.openLots == 0 ? .empty : LoadedLots())
    accounts[slot].lotsIndex = loadedLots.count - 1
    return accounts[slot].lotsIndex
  }

  /// Loads a page of the lots of an account.
  mutating func loadLots(of slot: Int, paid: Bool) throws(LedgerError) {
    let index = lotsIndex(of: slot)
    let stream = paid ? loadedLots[index].paid : loadedLots[index].free
    // Pages grow, so that a spend over many lots needs few of them.
    let limit = max(32, stream.lots.count)
    let page = try scope.session.openLots(accounts[slot].row.number, paid: paid, after: stream.end, limit: limit)
    loadedLots[index].append(page, paid: paid, isComplete: page.count < limit)
  }

  /// Loads all lots of an account.
  mutating func loadAllLots(of slot: Int) throws(LedgerError) {
    let index = lotsIndex(of: slot)
    while !loadedLots[index].free.isComplete { try loadLots(of: slot, paid: false) }
    while !loadedLots[index].paid.isComplete { try loadLots(of: slot, paid: true) }
  }

  /// Adds a lot to the loaded ones, in addition to their pages.
  mutating func add(_ lot: WorkingLot, to slot: Int) -> LotSlot {
    let index = lotsIndex(of: slot)
    loadedLots[index].extras.append(lot)
    return .extra(loadedLots[index].extras.count - 1)
  }

  /// Replaces all lots of an account that a merge emptied.
  mutating func replaceLots(of slot: Int, by lots: LoadedLots) {
    hasRemovedLots = true
    loadedLots[lotsIndex(of: slot)] = lots
  }

  /// Takes a lot out of its account, for another account.
  mutating func removeLot(_ lotSlot: LotSlot, of slot: Int) -> WorkingLot {
    hasRemovedLots = true
    return loadedLots[lotsIndex(of: slot)].remove(at: lotSlot)
  }

  /// Takes a lot out of the account of a merged customer.
  ///
  /// A merge leaves empty lots in place, and reads no lots at all for a balance of 0.
  mutating func removeLot(_ number: LotNumber) -> WorkingLot? {
    for index in loadedLots.indices {
      guard let lotSlot = loadedLots[index].lotSlot(of: number) else { continue }
      hasRemovedLots = true
      return loadedLots[index].remove(at: lotSlot)
    }
    return nil
  }

  /// Finds the position of a lot of the account, and loads the lot if needed.
  ///
  /// Nil for a lot of another account, which is then empty.
  mutating func lotSlot(of lot: LotNumber, in slot: Int) throws(LedgerError) -> LotSlot? {
    if let lotSlot = loadedLots[lotsIndex(of: slot)].lotSlot(of: lot) { return lotSlot }
    // In the storage, a lot that this group took out of the account still has the account.
    if hasRemovedLots, loadedLots.contains(where: { $0.lotSlot(of: lot) != nil }) { return nil }
    let account = accounts[slot].row.number
    guard let row = try scope.session.lot(lot, of: account.customer), row.account == account else { return nil }
    return add(WorkingLot(row: row), to: slot)
  }

  /// Returns the lot's row, of this group or before it.
  func lot(_ lot: LotNumber, ofAny owners: [CustomerNumber]) throws(LedgerError) -> LotRow? {
    for loaded in loadedLots {
      if let lotSlot = loaded.lotSlot(of: lot) { return loaded[lotSlot].row }
    }
    return try owners.firstRow { (owner) throws(LedgerError) in try scope.session.lot(lot, of: owner) }
  }

  func attributes(of lot: LotNumber, ofAny owners: [CustomerNumber]) throws(LedgerError) -> LotAttributesRow? {
    if let new = lotAttributes.first(where: { $0.lot == lot }) { return new }
    return try owners.firstRow { (owner) throws(LedgerError) in try scope.session.lotAttributes(lot, of: owner) }
  }

  /// The source of a loaded lot of an account, or of another account from which it moved with a merge.
  func source(of lot: LotNumber, in account: AccountNumber) -> LotSource? {
    if let slot = slots[account.rawValue], let source = source(of: lot, at: slot) { return source }
    for slot in accounts.indices {
      if let source = source(of: lot, at: slot) { return source }
    }
    return nil
  }

  private func source(of lot: LotNumber, at slot: Int) -> LotSource? {
    let account = accounts[slot]
    if account.row.poolLot == lot { return LotSource(rawValue: account.row.poolSource) }
    guard account.lotsIndex >= 0, let lotSlot = loadedLots[account.lotsIndex].lotSlot(of: lot) else { return nil }
    return loadedLots[account.lotsIndex][lotSlot].row.source
  }
}

// MARK: Taking from lots

extension AccountBook {
  /// Takes the remaining amounts of expired lots.
  mutating func expired(_ slot: Int) throws(LedgerError) -> [LotTake] {
    while true {
      switch BurnPlanner.expired(
        account: accounts[slot].row, lots: loadedLots[lotsIndex(of: slot)], now: scope.now.milliseconds)
      {
      case .needsLots(let paid): try loadLots(of: slot, paid: paid)
      case .takes(let takes): return takes
      }
    }
  }

  /// Finds the takes of a spend of `amount` from the lots, after the takes in `taken`.
  mutating func burn(
    _ amount: Int64, of slot: Int, after taken: [LotTake] = [], paidFirst: Bool
  ) throws(LedgerError) -> [LotTake] {
    guard amount > 0 else { return [] }
    while true {
      let plan = spend(amount, of: accounts[slot].row, lots(of: slot), after: taken, paidFirst: paidFirst)
      switch plan {
      case .needsLots(let paid): try loadLots(of: slot, paid: paid)
      case .takes(let takes):
        guard takes.reduce(0, { $0 + $1.amount }) == -amount else { throw .lotsDisagree(accounts[slot].row) }
        return takes
      }
    }
  }

  private func spend(
    _ amount: Int64, of account: AccountRow, _ lots: LoadedLots, after taken: [LotTake], paidFirst: Bool
  ) -> BurnPlanner.Plan {
    var (account, lots) = (account, lots)
    for take in taken {
      if take.lotSlot == .pool {
        account.poolRemaining += take.amount
      } else {
        lots[take.lotSlot].row.remaining += take.amount
      }
    }
    return BurnPlanner.spend(
      amount, account: account, lots: lots, now: scope.now.milliseconds, paidFirst: paidFirst)
  }

  mutating func moveInPool(_ slot: Int, by amount: Int64) -> (LotNumber, CompactList<Allocation>) {
    accounts[slot].row.poolRemaining += amount
    if amount > 0 {
      accounts[slot].row.poolGranted = LoadedLots.granted(accounts[slot].row.poolGranted, plus: amount)
    }
    let lot = accounts[slot].row.poolLot
    let source = LotSource(rawValue: accounts[slot].row.poolSource) ?? .admin
    return (lot, CompactList(Allocation(lot: lot, source: source, amount: amount)))
  }

  /// Applies the takes to the lots; a return makes a lot no larger than it was.
  mutating func apply(_ takes: [LotTake], to slot: Int, isReturn: Bool) {
    let index = lotsIndex(of: slot)
    for take in takes {
      if take.lotSlot == .pool {
        applyToPool(take, slot: slot, isReturn: isReturn)
        continue
      }
      let before = loadedLots[index][take.lotSlot].row.remaining
      loadedLots[index].apply(take, isReturn: isReturn)
      if before == 0 { accounts[slot].row.openLots += 1 }
      if before + take.amount == 0 { accounts[slot].row.openLots -= 1 }
    }
    refreshNextExpiry(of: slot)
  }

  private mutating func applyToPool(_ take: LotTake, slot: Int, isReturn: Bool) {
    accounts[slot].row.poolRemaining += take.amount
    guard take.amount > 0 else { return }
    let row = accounts[slot].row
    accounts[slot].row.poolGranted =
      isReturn ? max(row.poolGranted, row.poolRemaining) : LoadedLots.granted(row.poolGranted, plus: take.amount)
  }

  /// Updates the account's next expiry after an expiry, or after a spend that emptied lots, if it is known.
  mutating func refreshNextExpiry(of slot: Int) {
    let index = lotsIndex(of: slot)
    loadedLots[index].skipEmptyLots()
    if let next = loadedLots[index].nextExpiry { accounts[slot].row.nextExpiry = next }
  }
}

// MARK: Putting into lots

extension AccountBook {
  mutating func openPool(_ slot: Int, for credit: LotCredit) throws(LedgerError) {
    let number = try scope.next(.lot, after: &lastLot)
    accounts[slot].row.poolLot = number
    accounts[slot].row.poolSource = credit.source.rawValue
    accounts[slot].row.poolEnvironment = credit.environment
    lotAttributes.append(
      LotAttributesRow(
        lot: number, source: credit.source, environment: credit.environment, price: nil, purchase: nil,
        expiresAt: .max))
  }

  /// Finds the lot that a credit goes to, or makes it.
  mutating func place(_ credit: LotCredit, in slot: Int) throws(LedgerError) -> LotTake {
    if credit.isPooled {
      if let take = try placeInPool(credit, slot: slot) { return take }
      if let lotSlot = try findPooledLot(credit, slot: slot) {
        return LotTake(
          lotSlot: lotSlot, lot: lot(lotSlot, of: slot).number, source: credit.source, amount: credit.amount)
      }
    }
    let row = LotRow(
      number: try scope.next(.lot, after: &lastLot), account: accounts[slot].row.number, source: credit.source,
      environment: credit.environment, granted: 0, remaining: 0, price: credit.price, purchase: credit.purchase,
      expiresAt: credit.expiresAt)
    lotAttributes.append(LotAttributesRow(of: row, originalLot: credit.originalLot))
    expireLots(of: slot, noLaterThan: credit.expiresAt)
    return LotTake(
      lotSlot: add(WorkingLot(row: row, isNew: true), to: slot), lot: row.number, source: credit.source,
      amount: credit.amount)
  }

  /// Brings the account's next expiry forward to that of a lot which gets currency.
  mutating func expireLots(of slot: Int, noLaterThan expiresAt: Int64) {
    accounts[slot].row.nextExpiry = min(accounts[slot].row.nextExpiry, expiresAt)
  }

  /// Puts the credit into the pooled lot in the account's row, if it matches that lot or the row has none yet.
  private mutating func placeInPool(_ credit: LotCredit, slot: Int) throws(LedgerError) -> LotTake? {
    if accounts[slot].row.poolLot == 0 { try openPool(slot, for: credit) }
    let account = accounts[slot].row
    guard account.poolSource == credit.source.rawValue, account.poolEnvironment == credit.environment else {
      return nil
    }
    return LotTake(lotSlot: .pool, lot: account.poolLot, source: credit.source, amount: credit.amount)
  }

  private mutating func findPooledLot(_ credit: LotCredit, slot: Int) throws(LedgerError) -> LotSlot? {
    if let known = loadedLots[lotsIndex(of: slot)].pooledLot(for: credit) { return known }
    let key = IndexKey(accounts[slot].row.number.rawValue, credit.source.rawValue, credit.environment)
    return try scope.session.row(LotRow.pooled, key).map { add(WorkingLot(row: $0), to: slot) }
  }
}
