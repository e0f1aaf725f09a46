extension AccountPlan {
  /// Finds the account's lots that are due to expire.
  mutating func findExpired(in accounts: inout AccountBook) throws(LedgerError) {
    let takes = try accounts.expired(slot)
    expired = takes
    expiredAmount = takes.reduce(0) { $0 - $1.amount }
  }

  /// Finds the lots that the spend burns.
  mutating func burn(in accounts: inout AccountBook) throws(LedgerError) {
    let account = accounts[slot].row
    if account.openLots == 0 {
      guard account.poolRemaining >= -amount else { throw .lotsDisagree(account) }
      isAllInPool = true
      return
    }
    takes = try accounts.burn(-amount, of: slot, paidFirst: currency.burnsPaidFirst)
  }

  /// Puts the credit into the account's pooled lot, or into a new one.
  mutating func put(_ credit: LotCredit, in accounts: borrowing AccountBook) {
    let account = accounts[slot].row
    // Currency that repays a debt goes into its lot and out of it again.
    let joinsPool =
      credit.isPooled && account.debt == 0
      && (account.poolLot == 0
        || account.poolSource == credit.source.rawValue && account.poolEnvironment == credit.environment)
    isAllInPool = joinsPool
    if !joinsPool || account.poolLot == 0 { credits = [credit] }
  }

  /// Names the pooled lot as the take of a plan that takes from nothing else, so that credits can be made from it.
  mutating func namePool(in accounts: borrowing AccountBook) {
    guard isAllInPool else { return }
    let account = accounts[slot].row
    let source = LotSource(rawValue: account.poolSource) ?? .admin
    isAllInPool = false
    takes = [LotTake(lotSlot: .pool, lot: account.poolLot, source: source, amount: amount)]
  }

  /// Repays the account's debt with the credits: first from the lots that burn first.
  ///
  /// The credit goes into its lots whole and out of them again, so that a lot still shows its granted and paid amounts.
  mutating func repayDebt(in accounts: borrowing AccountBook, now: Timestamp) {
    let accountDebt = accounts[slot].row.debt
    var credits: [LotTake] = []
    for take in takes where take.amount > 0 {
      // Currency that returned to an expired lot is gone, and repays nothing.
      let isOver =
        take.lotSlot != .pool && accounts.lot(take.lotSlot, of: slot).expiresAt <= now.milliseconds
      if !isOver { credits.append(take) }
    }
    let repaid = min(accountDebt + debtChange, credits.reduce(0) { $0 + $1.amount })
    guard repaid > 0 else { return }
    let paidFirst = currency.burnsPaidFirst
    let ordered =
      credits.filter { ($0.source == .paid) == paidFirst } + credits.filter { ($0.source == .paid) != paidFirst }
    var rest = repaid
    for credit in ordered where rest > 0 {
      let part = min(rest, credit.amount)
      takes.append(LotTake(lotSlot: credit.lotSlot, lot: credit.lot, source: credit.source, amount: -part))
      rest -= part
    }
    debtChange -= repaid
  }
}
