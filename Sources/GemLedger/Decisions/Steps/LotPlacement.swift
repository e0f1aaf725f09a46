/// Puts currency into lots, and returns it to its original lots.
enum LotPlacement {
  static func openPool(_ work: inout UnitOfWork, _ slot: Int, _ credit: LotCredit) throws(LedgerError) {
    let number = try work.next(.lot)
    work.accounts[slot].row.poolLot = number
    work.accounts[slot].row.poolSource = credit.source.rawValue
    work.accounts[slot].row.poolEnvironment = credit.environment
    work.changes.ownCold.lotAttributes.append(
      LotAttributesRow(
        lot: number, source: credit.source, environment: credit.environment, price: nil, purchase: nil,
        expiresAt: .max))
  }

  static func placeCredit(_ work: inout UnitOfWork, _ credit: LotCredit, slot: Int) throws(LedgerError) -> LotTake {
    if credit.isPooled, let take = try placeInPool(&work, credit, slot: slot) { return take }
    let lotsIndex = work.loadedLotsIndex(of: slot)
    if credit.isPooled,
      let lotSlot = try findPooledLot(&work, credit, slot: slot, lotsIndex: lotsIndex)
    {
      return LotTake(
        lotSlot: lotSlot, lot: work.loadedLots[lotsIndex][lotSlot].row.number, source: credit.source,
        amount: credit.amount)
    }
    let row = LotRow(
      number: try work.next(.lot), account: work.accounts[slot].row.number, source: credit.source,
      environment: credit.environment, granted: 0, remaining: 0, price: credit.price, purchase: credit.purchase,
      expiresAt: credit.expiresAt)
    work.loadedLots[lotsIndex].extras.append(WorkingLot(row: row, isNew: true))
    work.changes.ownCold.lotAttributes.append(LotAttributesRow(of: row, originalLot: credit.originalLot))
    work.accounts[slot].row.nextExpiry = min(work.accounts[slot].row.nextExpiry, credit.expiresAt)
    return LotTake(
      lotSlot: .extra(work.loadedLots[lotsIndex].extras.count - 1), lot: row.number, source: credit.source,
      amount: credit.amount)
  }

  /// Puts the credit into the pooled lot in the account's row, if it matches that lot or the row has none yet.
  private static func placeInPool(
    _ work: inout UnitOfWork, _ credit: LotCredit, slot: Int
  ) throws(LedgerError) -> LotTake? {
    if work.accounts[slot].row.poolLot == 0 { try openPool(&work, slot, credit) }
    let account = work.accounts[slot].row
    guard account.poolSource == credit.source.rawValue, account.poolEnvironment == credit.environment else {
      return nil
    }
    return LotTake(lotSlot: .pool, lot: account.poolLot, source: credit.source, amount: credit.amount)
  }

  private static func findPooledLot(
    _ work: inout UnitOfWork, _ credit: LotCredit, slot: Int, lotsIndex: Int
  ) throws(LedgerError) -> LotSlot? {
    func fits(_ lot: WorkingLot) -> Bool {
      lot.row.purchase == nil && lot.row.price == nil && lot.row.expiresAt == .max
        && lot.row.source == credit.source && lot.row.environment == credit.environment
    }
    if let index = work.loadedLots[lotsIndex].extras.firstIndex(where: fits) { return .extra(index) }
    if let index = work.loadedLots[lotsIndex].free.lots.firstIndex(where: fits) { return .free(index) }
    let account = work.accounts[slot].row.number
    let known = try work.session.row(
      LotRow.pooled, IndexKey(account.rawValue, credit.source.rawValue, credit.environment))
    guard let known else { return nil }
    work.loadedLots[lotsIndex].extras.append(WorkingLot(row: known))
    return .extra(work.loadedLots[lotsIndex].extras.count - 1)
  }

  /// Finds the position of a lot of the account, and loads the lot if needed.
  ///
  /// Nil for a lot of another account, which is then empty.
  static func ownLotSlot(_ work: inout UnitOfWork, of lot: LotNumber, slot: Int) throws(LedgerError) -> LotSlot? {
    let lotsIndex = work.loadedLotsIndex(of: slot)
    if let lotSlot = work.loadedLots[lotsIndex].lotSlot(of: lot) { return lotSlot }
    // In the storage, a lot that an unmerge of this group took out of the account still has the account.
    if work.changes.cold?.merges.isEmpty == false, work.loadedLots.contains(where: { $0.lotSlot(of: lot) != nil }) {
      return nil
    }
    guard let row = try work.session.lot(lot, of: work.accounts[slot].row.number.customer),
      row.account == work.accounts[slot].row.number
    else { return nil }
    work.loadedLots[lotsIndex].extras.append(WorkingLot(row: row))
    return .extra(work.loadedLots[lotsIndex].extras.count - 1)
  }

  /// Returns currency to its original lot.
  ///
  /// A merged customer's lot moves to this customer. This customer's pooled lot of the same source and environment
  /// replaces a merged customer's pooled lot. A lot that an unmerge left with another customer stays there, and the
  /// currency makes a new lot that names it as its original.
  static func placeReturn(
    _ work: inout UnitOfWork, _ amount: Int64, to lot: LotNumber, slot: Int
  ) throws(LedgerError) -> LotTake {
    if work.accounts[slot].row.poolLot == lot {
      let source = LotSource(rawValue: work.accounts[slot].row.poolSource) ?? .admin
      return LotTake(lotSlot: .pool, lot: lot, source: source, amount: amount)
    }
    if let lotSlot = try ownLotSlot(&work, of: lot, slot: slot) {
      let row = work.loadedLots[work.loadedLotsIndex(of: slot)][lotSlot].row
      work.accounts[slot].row.nextExpiry = min(work.accounts[slot].row.nextExpiry, row.expiresAt)
      return LotTake(lotSlot: lotSlot, lot: lot, source: row.source, amount: amount)
    }
    let owner = work.accounts[slot].row.number.customer
    let related = try MergeRecords.related(to: owner, work)
    guard let attributes = try work.lotAttributes(lot, of: related) else {
      throw LedgerError(.storageDamaged, "The journal lacks the terms of lot \(lot); run verify.")
    }
    let credit = LotCredit(
      amount: amount, source: attributes.source, environment: attributes.environment, price: attributes.price,
      purchase: attributes.purchase, expiresAt: attributes.expiresAt)
    if credit.isPooled { return try placeCredit(&work, credit, slot: slot) }
    guard let row = try row(work, of: lot, ofAny: related) else {
      throw LedgerError(.storageDamaged, "Lot \(lot) has no row; run verify.")
    }
    guard try work.numbers(of: owner).contains(row.account.customer) else {
      // An unmerge left the lot with the other customer.
      let descendant = try LotLineage.credit(&work, of: amount, behind: row.remaining - row.granted, out: row)
      return try placeCredit(&work, descendant, slot: slot)
    }
    var moved = work.takeLot(lot) ?? WorkingLot(row: row)
    moved.row.account = work.accounts[slot].row.number
    moved.isMoved = true
    let lotsIndex = work.loadedLotsIndex(of: slot)
    work.loadedLots[lotsIndex].extras.append(moved)
    work.accounts[slot].row.nextExpiry = min(work.accounts[slot].row.nextExpiry, attributes.expiresAt)
    return LotTake(
      lotSlot: .extra(work.loadedLots[lotsIndex].extras.count - 1), lot: lot, source: attributes.source, amount: amount
    )
  }

  /// Returns the lot's row, of this group or before it.
  private static func row(
    _ work: borrowing UnitOfWork, of lot: LotNumber, ofAny owners: [CustomerNumber]
  ) throws(LedgerError) -> LotRow? {
    for loaded in work.loadedLots {
      if let lotSlot = loaded.lotSlot(of: lot) { return loaded[lotSlot].row }
    }
    return try owners.firstRow { (owner) throws(LedgerError) in try work.session.lot(lot, of: owner) }
  }
}
