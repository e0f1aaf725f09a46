/// The part of a currency that an unmerge takes out of the survivor's account.
struct UnmergedCurrency {
  let currency: CurrencyDefinition
  /// The index of the survivor's account.
  let slot: Int
  let lots: [MergedBalances.MovingLot]
  let debt: Int64
}

/// Moves back what is left of the lots and debts that a merge moved.
enum UnmergedBalances {
  /// Takes what is left of merged lots out of the survivor's accounts; nothing is posted yet.
  static func takeOut(
    _ decider: inout Decider, _ moved: [(CurrencyDefinition, MovedByMerge.Currency)], of survivor: CustomerNumber,
    since merge: TransactionNumber, session: any StorageSnapshot
  ) throws(LedgerError) -> [UnmergedCurrency] {
    var lost: [UnmergedCurrency] = []
    for (currency, moved) in moved {
      let number = AccountNumber(customer: survivor, currency: currency.number)
      let slot = try decider.work.slot(of: number, session: session)
      let index = try LotMoves.wholeBook(&decider.work, of: slot, session: session)
      let pooled = try pooledTakes(&decider.work, moved.lots, slot: slot, index: index, session: session)
      var debt: Int64 = 0
      var lots: [MergedBalances.MovingLot] = []
      if !pooled.isEmpty || moved.debt > 0 {
        let held = try heldAmounts(&decider.work, of: survivor, in: number, session: session)
        var present: [LotNumber: Int64] = [:]
        for lot in pooled { present[lot.out.lot] = lot.credit.amount + (held[lot.out.lot] ?? 0) }
        let lowest = try LowestSinceMerge.read(
          &decider.work, slot: slot, present: present, since: merge, session: session)
        debt = min(moved.debt, lowest.debt)
        lots += pooled.compactMap { $0.limited(to: min(moved.lots[$0.out.lot] ?? 0, lowest.lots[$0.out.lot] ?? 0)) }
        LotMoves.apply(&decider.work, lots.map(\.out), slot: slot, isReturn: true)
      }
      lots += wholeLots(&decider.work, moved.lots, slot: slot, index: index)
      if !lots.isEmpty || debt > 0 {
        lots.sort { $0.out.lot < $1.out.lot }
        lost.append(UnmergedCurrency(currency: currency, slot: slot, lots: lots, debt: debt))
      }
    }
    return lost
  }

  /// Posts the entries of a currency on both accounts.
  static func move(
    _ decider: inout Decider, _ part: UnmergedCurrency, to customer: CustomerNumber, transaction: TransactionNumber,
    session: any StorageSnapshot
  ) throws(LedgerError) -> (own: [PostedEntry], others: [PostedEntry]) {
    let number = AccountNumber(customer: customer, currency: part.currency.number)
    let slot = try decider.work.slot(of: number, session: session)
    let pair = MergedAccount(from: part.slot, into: slot, currency: part.currency)
    var (own, others): ([PostedEntry], [PostedEntry]) = ([], [])
    if !part.lots.isEmpty {
      let amount = part.lots.reduce(0) { $0 - $1.out.amount }
      others.append(
        MergedBalances.post(
          &decider, pair, pair.from, -amount, part.lots.map(\.out), kind: .unmerge, transaction: transaction))
      var takes: [LotTake] = []
      for lot in part.lots {
        takes.append(try MergedBalances.bringIn(&decider.work, lot, slot: slot, session: session))
      }
      own.append(
        MergedBalances.post(&decider, pair, pair.into, amount, takes, kind: .unmerge, transaction: transaction))
    }
    if part.debt > 0 {
      others.append(
        MergedBalances.post(
          &decider, pair, pair.from, part.debt, [], debtChange: -part.debt, kind: .unmerge, transaction: transaction))
      own.append(
        MergedBalances.post(
          &decider, pair, pair.into, -part.debt, [], debtChange: part.debt, kind: .unmerge, transaction: transaction))
    }
    return (own, others)
  }

  // MARK: Lots

  /// The merged lots that other currency of the survivor may have joined, with all that is available in them.
  private static func pooledTakes(
    _ work: inout UnitOfWork, _ moved: [LotNumber: Int64], slot: Int, index: Int, session: any StorageSnapshot
  ) throws(LedgerError) -> [MergedBalances.MovingLot] {
    let account = work.accounts[slot].row
    var found: [MergedBalances.MovingLot] = []
    if account.poolRemaining > 0, moved[account.poolLot] != nil {
      let credit = LotCredit(
        amount: account.poolRemaining, source: LotSource(rawValue: account.poolSource) ?? .admin,
        environment: account.poolEnvironment)
      found.append(.pooled(credit, out: .pool, lot: account.poolLot))
    }
    for lot in moved.keys.sorted() {
      guard let lotSlot = work.loadedLots[index].lotSlot(of: lot) else { continue }
      let row = work.loadedLots[index][lotSlot].row
      guard row.remaining > 0, row.isPooled else { continue }
      found.append(
        .pooled(
          LotCredit(amount: row.remaining, source: row.source, environment: row.environment), out: lotSlot, lot: lot))
    }
    return found
  }

  /// Takes the merged lots that moved as they are and still hold something.
  private static func wholeLots(
    _ work: inout UnitOfWork, _ moved: [LotNumber: Int64], slot: Int, index: Int
  ) -> [MergedBalances.MovingLot] {
    var lots: [MergedBalances.MovingLot] = []
    for lot in moved.keys.sorted() {
      guard let lotSlot = work.loadedLots[index].lotSlot(of: lot) else { continue }
      let row = work.loadedLots[index][lotSlot].row
      guard row.remaining > 0, !row.isPooled else { continue }
      let taken = work.loadedLots[index].remove(at: lotSlot)
      work.accounts[slot].row.openLots -= 1
      lots.append(
        MergedBalances.MovingLot(
          out: LotTake(lotSlot: .extra(0), lot: lot, source: row.source, amount: -row.remaining), lot: taken,
          credit: LotCredit(
            amount: row.remaining, source: row.source, environment: row.environment, price: row.price,
            purchase: row.purchase, expiresAt: row.expiresAt)))
    }
    if !lots.isEmpty { LotMoves.refreshNextExpiry(&work, slot: slot, lotsIndex: index) }
    return lots
  }

  /// The held amounts of an account by lot.
  private static func heldAmounts(
    _ work: inout UnitOfWork, of survivor: CustomerNumber, in account: AccountNumber, session: any StorageSnapshot
  ) throws(LedgerError) -> [LotNumber: Int64] {
    let customer = FoundCustomer(try work.knownCustomer(survivor, session: session), original: survivor)
    var held: [LotNumber: Int64] = [:]
    for hold in try MergedHolds.movingHolds(&work, of: customer, session: session) {
      for part in hold.parts where part.account == account { held[part.lot, default: 0] += part.amount }
    }
    return held
  }
}

extension MergedBalances.MovingLot {
  fileprivate static func pooled(_ credit: LotCredit, out slot: LotSlot, lot: LotNumber) -> Self {
    Self(out: LotTake(lotSlot: slot, lot: lot, source: credit.source, amount: -credit.amount), lot: nil, credit: credit)
  }

  /// The same with no more than an amount; nil where nothing is left.
  fileprivate func limited(to amount: Int64) -> Self? {
    var (part, out) = (credit, out)
    part.amount = min(credit.amount, amount)
    out.amount = -part.amount
    return part.amount > 0 ? Self(out: out, lot: nil, credit: part) : nil
  }
}

extension LotRow {
  fileprivate var isPooled: Bool {
    LotCredit.isPooled(source, price: price, purchase: purchase, expiresAt: expiresAt)
  }
}
