extension Decider {
  /// Where a lot of the account lies, loaded if need be; nil for another account's, which then holds nothing.
  mutating func ownPlace(
    of lot: LotNumber, slot: Int, session: any StorageSnapshot
  ) throws(LedgerError) -> LotPlace? {
    let book = set.book(of: slot)
    if let place = set.books[book].place(of: lot) { return place }
    guard let row = try session.lot(lot, of: set.accounts[slot].row.number.customer),
      row.account == set.accounts[slot].row.number
    else { return nil }
    set.books[book].extras.append(WorkingLot(row: row))
    return .extra(set.books[book].extras.count - 1)
  }

  /// Puts currency back into the lot that it came from.
  ///
  /// A lot of a customer who became part of this one comes over; a pooled one gives way to this customer's of the same
  /// source and environment.
  mutating func placeReturn(
    _ amount: Int64, to lot: LotNumber, slot: Int, session: any StorageSnapshot
  ) throws(LedgerError) -> LotTake {
    if set.accounts[slot].row.poolLot == lot {
      let source = LotSource(rawValue: set.accounts[slot].row.poolSource) ?? .admin
      return LotTake(place: .pool, lot: lot, source: source, amount: amount)
    }
    if let place = try ownPlace(of: lot, slot: slot, session: session) {
      let row = set.books[set.book(of: slot)][place].row
      set.accounts[slot].row.nextExpiry = min(set.accounts[slot].row.nextExpiry, row.expiresAt)
      return LotTake(place: place, lot: lot, source: row.source, amount: amount)
    }
    let numbers = try set.numbers(of: set.accounts[slot].row.number.customer, session: session)
    guard let terms = try set.lotTerms(lot, of: numbers, session: session) else {
      throw LedgerError(.storageDamaged, "The journal lacks the terms of lot \(lot); run verify.")
    }
    let credit = LotCredit(
      amount: amount, source: terms.source, environment: terms.environment, price: terms.price,
      purchase: terms.purchase, expiresAt: terms.expiresAt)
    if credit.isPooled { return try place(credit, slot: slot, session: session) }
    var moved = set.takeLot(lot)
    for number in numbers where moved == nil {
      moved = try session.lot(lot, of: number).map { WorkingLot(row: $0) }
    }
    guard var moved else { throw LedgerError(.storageDamaged, "Lot \(lot) has no row; run verify.") }
    moved.row.account = set.accounts[slot].row.number
    moved.isMoved = true
    let book = set.book(of: slot)
    set.books[book].extras.append(moved)
    set.accounts[slot].row.nextExpiry = min(set.accounts[slot].row.nextExpiry, terms.expiresAt)
    return LotTake(
      place: .extra(set.books[book].extras.count - 1), lot: lot, source: terms.source, amount: amount)
  }
}
