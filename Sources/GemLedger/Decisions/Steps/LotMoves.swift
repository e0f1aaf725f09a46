/// Loads the lots of accounts, burns them, and changes what they hold.
enum LotMoves {
  static func loadLots(
    _ set: inout WorkingSet, slot: Int, book: Int, paid: Bool, session: any StorageSnapshot
  ) throws(LedgerError) {
    let stream = paid ? set.books[book].paid : set.books[book].free
    // Pages grow, so that a spend over many lots needs few of them.
    let limit = max(32, stream.lots.count)
    let page = try session.openLots(
      set.accounts[slot].row.number, paid: paid, after: stream.end, limit: limit)
    set.books[book].append(page, paid: paid, isComplete: page.count < limit)
  }

  /// Loads all lots of an account.
  ///
  /// - Returns: The index of their book.
  static func wholeBook(
    _ set: inout WorkingSet, of slot: Int, session: any StorageSnapshot
  ) throws(LedgerError) -> Int {
    let book = set.book(of: slot)
    for isPaid in [false, true] {
      while !(isPaid ? set.books[book].paid : set.books[book].free).isComplete {
        try loadLots(&set, slot: slot, book: book, paid: isPaid, session: session)
      }
    }
    return book
  }

  /// Takes the remaining amounts of expired lots.
  static func expired(
    _ set: inout WorkingSet, _ slot: Int, session: any StorageSnapshot
  ) throws(LedgerError) -> [LotTake] {
    let book = set.book(of: slot)
    while true {
      switch BurnPlanner.expired(account: set.accounts[slot].row, book: set.books[book], now: set.now.milliseconds) {
      case .needsLots(let paid): try loadLots(&set, slot: slot, book: book, paid: paid, session: session)
      case .takes(let takes): return takes
      }
    }
  }

  /// Finds the takes of a spend of that amount from the lots as they are, besides the takes in `taken`.
  static func burn(
    _ set: inout WorkingSet, _ amount: Int64, slot: Int, besides taken: [LotTake] = [], paidFirst: Bool,
    session: any StorageSnapshot
  ) throws(LedgerError) -> [LotTake] {
    guard amount > 0 else { return [] }
    let index = set.book(of: slot)
    while true {
      var (account, book) = (set.accounts[slot].row, set.books[index])
      for take in taken {
        if take.place == .pool {
          account.poolRemaining += take.amount
        } else {
          book[take.place].row.remaining += take.amount
        }
      }
      switch BurnPlanner.spend(
        amount, account: account, book: book, now: set.now.milliseconds, paidFirst: paidFirst)
      {
      case .needsLots(let paid): try loadLots(&set, slot: slot, book: index, paid: paid, session: session)
      case .takes(let takes):
        guard takes.reduce(0, { $0 + $1.amount }) == -amount else { throw .lotsDisagree(set.accounts[slot].row) }
        return takes
      }
    }
  }

  static func moveInPool(
    _ set: inout WorkingSet, _ slot: Int, by amount: Int64
  ) -> (LotNumber, CompactList<Allocation>) {
    set.accounts[slot].row.poolRemaining += amount
    if amount > 0 {
      set.accounts[slot].row.poolGranted = LotBook.granted(set.accounts[slot].row.poolGranted, plus: amount)
    }
    let lot = set.accounts[slot].row.poolLot
    let source = LotSource(rawValue: set.accounts[slot].row.poolSource) ?? .admin
    return (lot, CompactList(Allocation(lot: lot, source: source, amount: amount)))
  }

  /// Applies the takes to the lots; a return makes a lot no larger than it was.
  static func apply(_ set: inout WorkingSet, _ takes: [LotTake], slot: Int, isReturn: Bool) {
    let book = set.book(of: slot)
    for take in takes {
      if take.place == .pool {
        applyToPool(&set, take, slot: slot, isReturn: isReturn)
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
    refreshNextExpiry(&set, slot: slot, book: book)
  }

  private static func applyToPool(_ set: inout WorkingSet, _ take: LotTake, slot: Int, isReturn: Bool) {
    set.accounts[slot].row.poolRemaining += take.amount
    guard take.amount > 0 else { return }
    let row = set.accounts[slot].row
    set.accounts[slot].row.poolGranted =
      isReturn ? max(row.poolGranted, row.poolRemaining) : LotBook.granted(row.poolGranted, plus: take.amount)
  }

  /// After an expiry, or a spend that emptied lots, the account's next expiry is later, where that is known.
  static func refreshNextExpiry(_ set: inout WorkingSet, slot: Int, book: Int) {
    set.books[book].skipEmptyLots()
    if let next = set.books[book].nextExpiry { set.accounts[slot].row.nextExpiry = next }
  }

  static func source(
    _ set: inout WorkingSet, of lot: LotNumber, slot: Int, owner: FoundCustomer, session: any StorageSnapshot
  ) throws(LedgerError) -> LotSource {
    let account = set.accounts[slot].row
    if account.poolLot == lot, let source = LotSource(rawValue: account.poolSource) { return source }
    let owners = try set.numbers(of: owner, session: session)
    return try set.lotTerms(lot, of: owners, session: session)?.source ?? .admin
  }
}
