/// The part of a currency that an unmerge takes out of the survivor's account.
struct UnmergedCurrency {
  let currency: CurrencyDefinition
  /// The index of the survivor's account.
  let slot: Int
  let lots: [MergedBalances.MovingLot]
  let debt: Int64
}

/// Moves back the rest of the lots and debts that a merge moved.
enum UnmergedBalances {
  /// The merged customer's lots and debt in a currency.
  struct Belongings {
    let currency: CurrencyDefinition
    /// The index of the survivor's account.
    let slot: Int
    /// The merged customer's share of each lot, held amounts included; it has the whole of a lot that is not pooled.
    let lots: [LotNumber: Int64]
    let debt: Int64
  }

  /// Reads the merged customer's part of the survivor's account.
  static func belongings(
    _ work: inout UnitOfWork, in currency: CurrencyDefinition, _ history: MergeHistory
  ) throws(LedgerError) -> Belongings {
    let number = AccountNumber(customer: history.survivor, currency: currency.number)
    let slot = try work.accounts.slot(of: number)
    try work.accounts.loadAllLots(of: slot)
    var present = try heldAmounts(work, of: history.survivor, in: number)
    let account = work.accounts[slot].row
    if account.poolRemaining > 0 { present[account.poolLot, default: 0] += account.poolRemaining }
    for lot in work.accounts.lots(of: slot).all {
      present[lot.row.number, default: 0] += lot.row.remaining
    }
    let shares = try history.shares(work, slot: slot, present: present)
    let (lots, debt) = shares.owned(by: history.position)
    return Belongings(currency: currency, slot: slot, lots: lots, debt: debt)
  }

  /// Takes the merged customer's lots out of the survivor's account; nothing is posted yet.
  static func takeOut(_ work: inout UnitOfWork, _ belongings: Belongings) throws(LedgerError) -> UnmergedCurrency? {
    let slot = belongings.slot
    try work.accounts.loadAllLots(of: slot)
    var lots = pooledTakes(&work, belongings.lots, slot: slot)
    work.accounts.apply(lots.map(\.out), to: slot, isReturn: true)
    lots += wholeLots(&work, belongings.lots, slot: slot)
    guard !lots.isEmpty || belongings.debt > 0 else { return nil }
    lots.sort { $0.out.lot < $1.out.lot }
    return UnmergedCurrency(currency: belongings.currency, slot: slot, lots: lots, debt: belongings.debt)
  }

  /// Posts the entries of a currency on both accounts.
  static func move(
    _ books: inout Bookkeeper, _ part: UnmergedCurrency, to customer: CustomerNumber, transaction: TransactionNumber
  ) throws(LedgerError) -> (own: [PostedEntry], others: [PostedEntry]) {
    let number = AccountNumber(customer: customer, currency: part.currency.number)
    let slot = try books.work.accounts.slot(of: number)
    let pair = MergedAccount(from: part.slot, into: slot, currency: part.currency)
    var (own, others): ([PostedEntry], [PostedEntry]) = ([], [])
    if !part.lots.isEmpty {
      let amount = part.lots.reduce(0) { $0 - $1.out.amount }
      others.append(
        MergedBalances.post(
          &books, pair, pair.from, -amount, part.lots.map(\.out), kind: .unmerge, transaction: transaction))
      var takes: [LotTake] = []
      for lot in part.lots {
        takes.append(try MergedBalances.bringIn(&books.work, lot, slot: slot))
      }
      own.append(
        MergedBalances.post(&books, pair, pair.into, amount, takes, kind: .unmerge, transaction: transaction))
    }
    if part.debt > 0 {
      others.append(
        MergedBalances.post(
          &books, pair, pair.from, part.debt, [], debtChange: -part.debt, kind: .unmerge, transaction: transaction))
      own.append(
        MergedBalances.post(
          &books, pair, pair.into, -part.debt, [], debtChange: part.debt, kind: .unmerge, transaction: transaction))
    }
    return (own, others)
  }

  // MARK: Lots

  /// The shares of pooled lots, as far as they are available.
  private static func pooledTakes(
    _ work: inout UnitOfWork, _ shares: [LotNumber: Int64], slot: Int
  ) -> [MergedBalances.MovingLot] {
    let account = work.accounts[slot].row
    var found: [MergedBalances.MovingLot] = []
    for (lot, share) in shares {
      var (credit, place): (LotCredit, LotSlot)
      if lot == account.poolLot {
        place = .pool
        credit = LotCredit(
          amount: account.poolRemaining, source: LotSource(rawValue: account.poolSource) ?? .admin,
          environment: account.poolEnvironment)
      } else {
        guard let lotSlot = work.accounts.lots(of: slot).lotSlot(of: lot) else { continue }
        let row = work.accounts.lot(lotSlot, of: slot)
        guard row.isPooled else { continue }
        place = lotSlot
        credit = LotCredit(amount: row.remaining, source: row.source, environment: row.environment)
      }
      credit.amount = min(credit.amount, share)
      guard credit.amount > 0 else { continue }
      let out = LotTake(lotSlot: place, lot: lot, source: credit.source, amount: -credit.amount)
      found.append(MergedBalances.MovingLot(out: out, lot: nil, credit: credit))
    }
    return found
  }

  /// Takes the non-empty lots that belong to the merged customer as a whole.
  private static func wholeLots(
    _ work: inout UnitOfWork, _ shares: [LotNumber: Int64], slot: Int
  ) -> [MergedBalances.MovingLot] {
    var lots: [MergedBalances.MovingLot] = []
    for lot in shares.keys.sorted() {
      guard let lotSlot = work.accounts.lots(of: slot).lotSlot(of: lot) else { continue }
      let row = work.accounts.lot(lotSlot, of: slot)
      guard row.remaining > 0, !row.isPooled else { continue }
      let taken = work.accounts.removeLot(lotSlot, of: slot)
      work.accounts[slot].row.openLots -= 1
      lots.append(
        MergedBalances.MovingLot(
          out: LotTake(lotSlot: .extra(0), lot: lot, source: row.source, amount: -row.remaining), lot: taken,
          credit: LotCredit(
            amount: row.remaining, source: row.source, environment: row.environment, price: row.price,
            purchase: row.purchase, expiresAt: row.expiresAt)))
    }
    if !lots.isEmpty { work.accounts.refreshNextExpiry(of: slot) }
    return lots
  }

  /// The held amounts of an account by lot.
  private static func heldAmounts(
    _ work: borrowing UnitOfWork, of survivor: CustomerNumber, in account: AccountNumber
  ) throws(LedgerError) -> [LotNumber: Int64] {
    let customer = FoundCustomer(try work.customers.known(survivor), original: survivor)
    var held: [LotNumber: Int64] = [:]
    for hold in try MergedHolds.movingHolds(work, of: customer) {
      for part in hold.parts where part.account == account { held[part.lot, default: 0] += part.amount }
    }
    return held
  }
}

extension LotRow {
  fileprivate var isPooled: Bool {
    LotCredit.isPooled(source, price: price, purchase: purchase, expiresAt: expiresAt)
  }
}
