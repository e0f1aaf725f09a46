/// Finds the lots that currency returns to.
enum LotPlacement {
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
    if let lotSlot = try work.accounts.lotSlot(of: lot, in: slot) {
      let row = work.accounts.lot(lotSlot, of: slot)
      work.accounts.expireLots(of: slot, noLaterThan: row.expiresAt)
      return LotTake(lotSlot: lotSlot, lot: lot, source: row.source, amount: amount)
    }
    let owner = work.accounts[slot].row.number.customer
    let related = try work.customers.related(to: owner)
    guard let attributes = try work.accounts.attributes(of: lot, ofAny: related) else {
      throw LedgerError(.storageDamaged, "The journal lacks the terms of lot \(lot); run verify.")
    }
    let credit = LotCredit(
      amount: amount, source: attributes.source, environment: attributes.environment, price: attributes.price,
      purchase: attributes.purchase, expiresAt: attributes.expiresAt)
    if credit.isPooled { return try work.accounts.place(credit, in: slot) }
    guard let row = try work.accounts.lot(lot, ofAny: related) else {
      throw LedgerError(.storageDamaged, "Lot \(lot) has no row; run verify.")
    }
    guard try work.customers.numbers(of: owner).contains(row.account.customer) else {
      // An unmerge left the lot with the other customer.
      let descendant = try LotLineage.credit(work, of: amount, behind: row.remaining - row.granted, out: row)
      return try work.accounts.place(descendant, in: slot)
    }
    var moved = work.accounts.removeLot(lot) ?? WorkingLot(row: row)
    moved.row.account = work.accounts[slot].row.number
    moved.isMoved = true
    work.accounts.expireLots(of: slot, noLaterThan: attributes.expiresAt)
    return LotTake(lotSlot: work.accounts.add(moved, to: slot), lot: lot, source: attributes.source, amount: amount)
  }

  static func source(
    _ work: borrowing UnitOfWork, of lot: LotNumber, slot: Int, owner: FoundCustomer
  ) throws(LedgerError) -> LotSource {
    let account = work.accounts[slot].row
    if account.poolLot == lot, let source = LotSource(rawValue: account.poolSource) { return source }
    let owners = try work.customers.related(to: owner)
    return try work.accounts.attributes(of: lot, ofAny: owners)?.source ?? .admin
  }
}
