/// The two accounts of a currency that a merge joins.
struct MergedAccount {
  let from: Int
  let into: Int
  let currency: CurrencyDefinition
}

/// Moves balances, debts and lots from one customer's accounts to another's.
enum MergedBalances {
  /// Moves a balance with its lots; it repays the surviving customer's debt.
  static func moveBalance(
    _ books: inout Bookkeeper, _ pair: MergedAccount, holds: [MovingHold], transaction: TransactionNumber
  ) throws(LedgerError) -> [PostedEntry] {
    let amount = books.work.accounts[pair.from].row.balance
    guard amount > 0 else { return [] }
    let held = try MergedHolds.putBackHeld(&books.work, pair.from, holds)
    let lots = try emptyAccount(&books.work, pair.from)
    _ = post(&books, pair, pair.from, -amount, lots.map { $0.out }, transaction: transaction)
    var takes: [LotTake] = []
    for lot in lots { takes.append(try bringIn(&books.work, lot, slot: pair.into)) }
    for part in held {
      guard let lot = zip(lots, takes).first(where: { $0.0.out.lot == part.part.lot })?.1 else {
        throw .lotsDisagree(books.work.accounts[pair.from].row)
      }
      MergedHolds.setAsideAgain(&books.work, part, in: lot, pair, transaction: transaction)
    }
    // Held currency repays nothing.
    let free = amount - held.reduce(0) { $0 + $1.part.amount }
    let repaid = min(free, books.work.accounts[pair.into].row.debt)
    let burnt = try books.work.accounts.burn(repaid, of: pair.into, paidFirst: pair.currency.burnsPaidFirst)
    books.work.accounts.apply(burnt, to: pair.into, isReturn: true)
    return [post(&books, pair, pair.into, amount, takes + burnt, debtChange: -repaid, transaction: transaction)]
  }

  /// Moves a debt: the available balance repays it, and the rest stays a debt.
  static func moveDebt(
    _ books: inout Bookkeeper, _ pair: MergedAccount, transaction: TransactionNumber
  ) throws(LedgerError) -> [PostedEntry] {
    let debt = books.work.accounts[pair.from].row.debt
    guard debt > 0 else { return [] }
    _ = post(&books, pair, pair.from, debt, [], debtChange: -debt, transaction: transaction)
    let account = books.work.accounts[pair.into].row
    let repaid = min(debt, max(0, account.balance - account.held))
    let burnt = try books.work.accounts.burn(repaid, of: pair.into, paidFirst: pair.currency.burnsPaidFirst)
    books.work.accounts.apply(burnt, to: pair.into, isReturn: true)
    return [post(&books, pair, pair.into, -debt, burnt, debtChange: debt - repaid, transaction: transaction)]
  }

  static func post(
    _ books: inout Bookkeeper, _ pair: MergedAccount, _ slot: Int, _ amount: Int64, _ takes: [LotTake],
    debtChange: Int64 = 0, kind: EntryKind = .merge, transaction: TransactionNumber
  ) -> PostedEntry {
    let entry = books.work.journal.sequences.drawEntry()
    let (lot, allocations) = books.work.journal.allocate(takes, to: entry, isWhole: debtChange == 0)
    return books.record(
      entry, of: transaction, kind, slot, pair.currency.code, amount: amount, debtChange: debtChange,
      lot: lot,
      allocations: allocations)
  }

  /// A lot on its way from one account to another.
  struct MovingLot {
    let out: LotTake
    /// The lot itself if it moves unchanged; nil if its currency joins a pooled lot.
    let lot: WorkingLot?
    let credit: LotCredit
  }

  /// Takes the remaining amounts of all lots out of an account.
  private static func emptyAccount(_ work: inout UnitOfWork, _ slot: Int) throws(LedgerError) -> [MovingLot] {
    try work.accounts.loadAllLots(of: slot)
    var moving: [MovingLot] = []
    let account = work.accounts[slot].row
    if account.poolRemaining > 0 {
      let credit = LotCredit(
        amount: account.poolRemaining, source: LotSource(rawValue: account.poolSource) ?? .admin,
        environment: account.poolEnvironment)
      moving.append(
        MovingLot(
          out: LotTake(lotSlot: .pool, lot: account.poolLot, source: credit.source, amount: -credit.amount), lot: nil,
          credit: credit))
    }
    var emptied = LoadedLots.empty
    // In the order of numbers, so that the result does not depend on other rows that the group loaded.
    let lots = work.accounts.lots(of: slot).all.sorted { $0.row.number < $1.row.number }
    for lot in lots {
      let row = lot.row
      let credit = LotCredit(
        amount: row.remaining, source: row.source, environment: row.environment, price: row.price,
        purchase: row.purchase, expiresAt: row.expiresAt)
      let out = LotTake(lotSlot: .extra(0), lot: row.number, source: row.source, amount: -row.remaining)
      // An empty lot stays; it moves when currency is returned to it.
      if credit.isPooled || row.remaining == 0 {
        var left = lot
        left.row.remaining = 0
        left.isChanged = left.isChanged || row.remaining > 0
        emptied.extras.append(left)
      }
      if row.remaining > 0 { moving.append(MovingLot(out: out, lot: credit.isPooled ? nil : lot, credit: credit)) }
    }
    work.accounts.replaceLots(of: slot, by: emptied)
    work.accounts[slot].row.poolRemaining = 0
    work.accounts[slot].row.openLots = 0
    work.accounts[slot].row.nextExpiry = .max
    return moving
  }

  /// Puts a lot into the account, and returns the part that counts for the balance.
  static func bringIn(_ work: inout UnitOfWork, _ moving: MovingLot, slot: Int) throws(LedgerError) -> LotTake {
    guard var lot = moving.lot else {
      let take = try work.accounts.place(moving.credit, in: slot)
      work.accounts.apply([take], to: slot, isReturn: true)
      return take
    }
    lot.row.account = work.accounts[slot].row.number
    lot.isMoved = true
    // The lots are loaded before the account's count of open lots changes.
    let lotSlot = work.accounts.add(lot, to: slot)
    work.accounts[slot].row.openLots += 1
    work.accounts.expireLots(of: slot, noLaterThan: lot.row.expiresAt)
    return LotTake(lotSlot: lotSlot, lot: lot.row.number, source: lot.row.source, amount: lot.row.remaining)
  }
}
