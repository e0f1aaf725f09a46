/// Plans the returns of a reversed refund.
enum RefundGivingBack {
  // MARK: Giving back

  /// Plans the returns of a refund reversal.
  ///
  /// Written-off amounts are cancelled first, then debts. Taken amounts return to their original lots.
  static func plan(_ books: inout Bookkeeper, _ change: inout RefundChange) throws(LedgerError) {
    books.plans.removeAll(keepingCapacity: true)
    var outstanding = try RefundedPurchase.outstandingParts(books.work, of: change.purchase)
    var returnsOfPlans: [[(lot: LotNumber, amount: Int64)]] = []
    for granted in change.granted {
      let less = zip(granted.due(change.before), granted.due(change.share)).map { $0 - $1 }
      guard less.contains(where: { $0 != 0 }) else { continue }
      try books.plan(.reversedRefund, granted.currency.code, 0, customer: change.owner)
      let index = books.plans.count - 1
      var debt = books.work.accounts[books.plans[index].slot].row.debt
      let debtBefore = debt
      var returns: [(lot: LotNumber, amount: Int64)] = []
      for (position, amount) in less.enumerated() where amount > 0 {
        let lot = granted.lots[position].lot
        try returns += undo(amount, of: lot, &outstanding, debt: &debt, &change)
      }
      books.plans[index].debtChange = debt - debtBefore
      books.plans[index].amount = returns.reduce(0) { $0 + $1.amount } - books.plans[index].debtChange
      try checkHardLimit(books, index, adding: returns.reduce(0) { $0 + $1.amount }, debt: debt)
      returnsOfPlans.append(returns)
    }
    // Done last, when nothing can refuse the command any more.
    for (index, returns) in returnsOfPlans.enumerated() {
      for (lot, amount) in returns {
        let take = try LotPlacement.placeReturn(&books.work, amount, to: lot, slot: books.plans[index].slot)
        books.plans[index].takes.append(take)
      }
    }
    change.isMadeGood = !outstanding.contains { $0.kind == .short && $0.amount > 0 }
  }

  private static func undo(
    _ amount: Int64, of lot: LotNumber, _ outstanding: inout [RefundChange.Part], debt: inout Int64,
    _ change: inout RefundChange
  ) throws(LedgerError) -> [(lot: LotNumber, amount: Int64)] {
    var rest = amount
    var returns: [(lot: LotNumber, amount: Int64)] = []
    for index in order(ofUndoing: outstanding, of: lot) where rest > 0 {
      let part = outstanding[index]
      let undone = min(rest, part.amount)
      guard undone > 0 else { continue }
      rest -= undone
      outstanding[index] = .init(lot: lot, kind: part.kind, source: part.source, amount: part.amount - undone)
      change.parts.append(.init(lot: lot, kind: part.kind, source: part.source, amount: -undone))
      if part.kind == .taken { returns.append((part.source, undone)) }
      if part.kind == .owed {
        let cancelled = min(undone, debt)
        debt -= cancelled
        if undone > cancelled {
          change.parts.append(.init(lot: lot, kind: .repaid, source: lot, amount: undone - cancelled))
          returns.append((lot, undone - cancelled))
        }
      }
    }
    guard rest == 0 else {
      throw LedgerError(
        .storageDamaged, "The refunds of lot \(lot) do not add up to the amount clawed back. Run verify.")
    }
    return returns
  }

  /// Returns the order in which refunds are undone, the reverse of the order in which they take.
  ///
  /// Written-off amounts are first, then debts, then amounts from other lots (newest first), then expired amounts, and
  /// the lot's own amount last.
  private static func order(ofUndoing parts: [RefundChange.Part], of lot: LotNumber) -> [Int] {
    let own = parts.indices.filter { parts[$0].lot == lot }
    return own.filter { parts[$0].kind == .short } + own.filter { parts[$0].kind == .owed }
      + own.filter { parts[$0].kind == .taken && parts[$0].source != lot }.reversed()
      + own.filter { parts[$0].kind == .expired }
      + own.filter { parts[$0].kind == .taken && parts[$0].source == lot }
  }

  /// - Throws: `amount_out_of_range`.
  private static func checkHardLimit(
    _ books: borrowing Bookkeeper, _ index: Int, adding amount: Int64, debt: Int64
  ) throws(LedgerError) {
    let balance = books.work.accounts[books.plans[index].slot].row.balance - books.plans[index].expiredAmount
    guard amount - min(amount, debt) <= Limits.amount - balance else {
      throw RequestRules.outOfRange(
        "A return of \(amount) \(books.plans[index].currency.code) would pass the largest possible balance, "
          + "\(Limits.amount).",
        amount)
    }
  }
}
