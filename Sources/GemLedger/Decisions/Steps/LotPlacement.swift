/// Puts currency into lots, and back into the lots that it came from.
enum LotPlacement {
  static func openPool(
    _ set: inout WorkingSet, _ slot: Int, _ credit: LotCredit, session: any StorageSnapshot
  ) throws(LedgerError) {
    let number = try set.next(.lot, session: session)
    set.accounts[slot].row.poolLot = number
    set.accounts[slot].row.poolSource = credit.source.rawValue
    set.accounts[slot].row.poolEnvironment = credit.environment
    set.changes.ownRare.lotTerms.append(
      LotTermsRow(
        lot: number, source: credit.source, environment: credit.environment, price: nil, purchase: nil,
        expiresAt: .max))
  }

  static func place(
    _ set: inout WorkingSet, _ credit: LotCredit, slot: Int, session: any StorageSnapshot
  ) throws(LedgerError) -> LotTake {
    if credit.isPooled, let take = try placeInPool(&set, credit, slot: slot, session: session) { return take }
    let book = set.book(of: slot)
    if credit.isPooled, let place = try findPooledLot(&set, credit, slot: slot, book: book, session: session) {
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

  /// Puts the credit into the pooled lot in the account's row, where it matches that lot or the row has none yet.
  private static func placeInPool(
    _ set: inout WorkingSet, _ credit: LotCredit, slot: Int, session: any StorageSnapshot
  ) throws(LedgerError) -> LotTake? {
    if set.accounts[slot].row.poolLot == 0 { try openPool(&set, slot, credit, session: session) }
    let account = set.accounts[slot].row
    guard account.poolSource == credit.source.rawValue, account.poolEnvironment == credit.environment else {
      return nil
    }
    return LotTake(place: .pool, lot: account.poolLot, source: credit.source, amount: credit.amount)
  }

  private static func findPooledLot(
    _ set: inout WorkingSet, _ credit: LotCredit, slot: Int, book: Int, session: any StorageSnapshot
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

  /// Finds the position of a lot of the account, and loads the lot if needed.
  ///
  /// Nil for a lot of another account, which is then empty.
  static func ownPlace(
    _ set: inout WorkingSet, of lot: LotNumber, slot: Int, session: any StorageSnapshot
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
  /// A merged customer's lot moves to this customer; its pooled lot is replaced by this customer's of the same source
  /// and environment.
  static func placeReturn(
    _ set: inout WorkingSet, _ amount: Int64, to lot: LotNumber, slot: Int, session: any StorageSnapshot
  ) throws(LedgerError) -> LotTake {
    if set.accounts[slot].row.poolLot == lot {
      let source = LotSource(rawValue: set.accounts[slot].row.poolSource) ?? .admin
      return LotTake(place: .pool, lot: lot, source: source, amount: amount)
    }
    if let place = try ownPlace(&set, of: lot, slot: slot, session: session) {
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
    if credit.isPooled { return try place(&set, credit, slot: slot, session: session) }
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
