/// Loads the lots of accounts, burns them, and changes their amounts.
enum LotMoves {
  static func loadLots(_ work: inout UnitOfWork, slot: Int, lotsIndex: Int, paid: Bool) throws(LedgerError) {
    let stream = paid ? work.loadedLots[lotsIndex].paid : work.loadedLots[lotsIndex].free
    // Pages grow, so that a spend over many lots needs few of them.
    let limit = max(32, stream.lots.count)
    let page = try work.session.openLots(
      work.accounts[slot].row.number, paid: paid, after: stream.end, limit: limit)
    work.loadedLots[lotsIndex].append(page, paid: paid, isComplete: page.count < limit)
  }

  /// Loads all lots of an account.
  ///
  /// - Returns: The index of their book.
  static func wholeBook(_ work: inout UnitOfWork, of slot: Int) throws(LedgerError) -> Int {
    let lotsIndex = work.loadedLotsIndex(of: slot)
    for isPaid in [false, true] {
      while !(isPaid ? work.loadedLots[lotsIndex].paid : work.loadedLots[lotsIndex].free).isComplete {
        try loadLots(&work, slot: slot, lotsIndex: lotsIndex, paid: isPaid)
      }
    }
    return lotsIndex
  }

  /// Takes the remaining amounts of expired lots.
  static func expired(_ work: inout UnitOfWork, _ slot: Int) throws(LedgerError) -> [LotTake] {
    let lotsIndex = work.loadedLotsIndex(of: slot)
    while true {
      switch BurnPlanner.expired(
        account: work.accounts[slot].row, lots: work.loadedLots[lotsIndex], now: work.now.milliseconds)
      {
      case .needsLots(let paid): try loadLots(&work, slot: slot, lotsIndex: lotsIndex, paid: paid)
      case .takes(let takes): return takes
      }
    }
  }

  /// Finds the takes of a spend of `amount` from the lots, in addition to the takes in `taken`.
  static func burn(
    _ work: inout UnitOfWork, _ amount: Int64, slot: Int, besides taken: [LotTake] = [], paidFirst: Bool
  ) throws(LedgerError) -> [LotTake] {
    guard amount > 0 else { return [] }
    let index = work.loadedLotsIndex(of: slot)
    while true {
      var (account, lots) = (work.accounts[slot].row, work.loadedLots[index])
      for take in taken {
        if take.lotSlot == .pool {
          account.poolRemaining += take.amount
        } else {
          lots[take.lotSlot].row.remaining += take.amount
        }
      }
      switch BurnPlanner.spend(
        amount, account: account, lots: lots, now: work.now.milliseconds, paidFirst: paidFirst)
      {
      case .needsLots(let paid): try loadLots(&work, slot: slot, lotsIndex: index, paid: paid)
      case .takes(let takes):
        guard takes.reduce(0, { $0 + $1.amount }) == -amount else { throw .lotsDisagree(work.accounts[slot].row) }
        return takes
      }
    }
  }

  static func moveInPool(
    _ work: inout UnitOfWork, _ slot: Int, by amount: Int64
  ) -> (LotNumber, CompactList<Allocation>) {
    work.accounts[slot].row.poolRemaining += amount
    if amount > 0 {
      work.accounts[slot].row.poolGranted = LoadedLots.granted(work.accounts[slot].row.poolGranted, plus: amount)
    }
    let lot = work.accounts[slot].row.poolLot
    let source = LotSource(rawValue: work.accounts[slot].row.poolSource) ?? .admin
    return (lot, CompactList(Allocation(lot: lot, source: source, amount: amount)))
  }

  /// Applies the takes to the lots; a return makes a lot no larger than it was.
  static func apply(_ work: inout UnitOfWork, _ takes: [LotTake], slot: Int, isReturn: Bool) {
    let lotsIndex = work.loadedLotsIndex(of: slot)
    for take in takes {
      if take.lotSlot == .pool {
        applyToPool(&work, take, slot: slot, isReturn: isReturn)
        continue
      }
      let before = work.loadedLots[lotsIndex][take.lotSlot].row.remaining
      work.loadedLots[lotsIndex][take.lotSlot].row.remaining += take.amount
      if take.amount > 0 {
        let row = work.loadedLots[lotsIndex][take.lotSlot].row
        work.loadedLots[lotsIndex][take.lotSlot].row.granted =
          isReturn ? max(row.granted, row.remaining) : LoadedLots.granted(row.granted, plus: take.amount)
      }
      work.loadedLots[lotsIndex][take.lotSlot].isChanged = true
      if before == 0 {
        work.accounts[slot].row.openLots += 1
        if case .free(let index) = take.lotSlot {
          work.loadedLots[lotsIndex].free.head = min(work.loadedLots[lotsIndex].free.head, index)
        }
        if case .paid(let index) = take.lotSlot {
          work.loadedLots[lotsIndex].paid.head = min(work.loadedLots[lotsIndex].paid.head, index)
        }
      }
      if before + take.amount == 0 { work.accounts[slot].row.openLots -= 1 }
    }
    refreshNextExpiry(&work, slot: slot, lotsIndex: lotsIndex)
  }

  private static func applyToPool(_ work: inout UnitOfWork, _ take: LotTake, slot: Int, isReturn: Bool) {
    work.accounts[slot].row.poolRemaining += take.amount
    guard take.amount > 0 else { return }
    let row = work.accounts[slot].row
    work.accounts[slot].row.poolGranted =
      isReturn ? max(row.poolGranted, row.poolRemaining) : LoadedLots.granted(row.poolGranted, plus: take.amount)
  }

  /// Updates the account's next expiry after an expiry, or after a spend that emptied lots, if it is known.
  static func refreshNextExpiry(_ work: inout UnitOfWork, slot: Int, lotsIndex: Int) {
    work.loadedLots[lotsIndex].skipEmptyLots()
    if let next = work.loadedLots[lotsIndex].nextExpiry { work.accounts[slot].row.nextExpiry = next }
  }

  static func source(
    _ work: inout UnitOfWork, of lot: LotNumber, slot: Int, owner: FoundCustomer
  ) throws(LedgerError) -> LotSource {
    let account = work.accounts[slot].row
    if account.poolLot == lot, let source = LotSource(rawValue: account.poolSource) { return source }
    let owners = try MergeRecords.related(to: owner, work)
    return try work.lotAttributes(lot, of: owners)?.source ?? .admin
  }
}
