extension Decider {
  // MARK: Taking back

  /// Plans what a refund takes: the purchase's own lots first, then by the currency's policy.
  mutating func planTakingBack(
    _ change: inout RefundChange, session: any StorageSnapshot
  ) throws(LedgerError) {
    plans.removeAll(keepingCapacity: true)
    for granted in change.granted {
      let more = zip(granted.due(change.share), granted.due(change.before)).map { $0 - $1 }
      guard more.contains(where: { $0 != 0 }) else { continue }
      try plan(.refund, granted.currency.code, 0, customer: change.owner, session: session)
      let index = plans.count - 1
      let account = set.accounts[plans[index].slot].row
      var rest = more
      var available = max(0, account.balance - plans[index].expiredAmount - account.held)
      var own = try takeOwnLots(granted, &rest, &available, index, &change, session: session)
      own += try takeDescendants(of: granted, &rest, &available, index, &change, session: session)
      try setExpiredApart(granted, &rest, index, &change, session: session)
      let left = min(available, rest.reduce(0, +))
      let others = try burn(
        left, slot: plans[index].slot, besides: own, paidFirst: granted.currency.burnsPaidFirst, session: session)
      share(others, over: granted, &rest, &change)
      let owed = settleRest(rest, granted, debt: account.debt, &change)
      plans[index].takes = Self.combined(own + others)
      plans[index].debtChange = owed
      plans[index].amount = plans[index].takes.reduce(0) { $0 + $1.amount } - owed
    }
  }

  private mutating func takeOwnLots(
    _ granted: RefundChange.Granted, _ rest: inout [Int64], _ available: inout Int64, _ index: Int,
    _ change: inout RefundChange, session: any StorageSnapshot
  ) throws(LedgerError) -> [LotTake] {
    var takes: [LotTake] = []
    for (position, lot) in granted.lots.enumerated() where rest[position] > 0 {
      guard let place = try ownPlace(of: lot.lot, slot: plans[index].slot, session: session) else { continue }
      let row = set.books[set.book(of: plans[index].slot)][place].row
      // What is due is booked as expired first.
      let part = row.expiresAt > set.now.milliseconds ? min(rest[position], row.remaining, available) : 0
      guard part > 0 else { continue }
      rest[position] -= part
      available -= part
      takes.append(LotTake(place: place, lot: lot.lot, source: row.source, amount: -part))
      change.parts.append(.init(lot: lot.lot, kind: .taken, source: lot.lot, amount: part))
    }
    return takes
  }

  /// Says for which of the purchase's lots other lots were burnt.
  private func share(
    _ takes: [LotTake], over granted: RefundChange.Granted, _ rest: inout [Int64], _ change: inout RefundChange
  ) {
    var position = 0
    for take in takes {
      var amount = -take.amount
      while amount > 0, position < rest.count {
        let part = min(amount, rest[position])
        if part > 0 {
          change.parts.append(
            .init(lot: granted.lots[position].lot, kind: .taken, source: take.lot, amount: part))
        }
        amount -= part
        rest[position] -= part
        if rest[position] == 0 { position += 1 }
      }
    }
  }

  /// Owes the rest, or lets it go.
  private func settleRest(
    _ rest: [Int64], _ granted: RefundChange.Granted, debt: Int64, _ change: inout RefundChange
  ) -> Int64 {
    let policy = granted.currency.refundPolicy.kind
    var owed: Int64 = 0
    for (position, amount) in rest.enumerated() where amount > 0 {
      let lot = granted.lots[position].lot
      // A debt keeps to the bounds of a balance.
      let part = policy == .debt ? min(amount, max(0, Limits.amount - debt - owed)) : 0
      if part > 0 { change.parts.append(.init(lot: lot, kind: .owed, amount: part)) }
      if amount > part {
        change.parts.append(.init(lot: lot, kind: .short, amount: amount - part))
        if policy == .freeze { change.freezes = true }
      }
      owed += part
    }
    return owed
  }

  private static func combined(_ takes: [LotTake]) -> [LotTake] {
    var combined: [LotTake] = []
    for take in takes {
      if let index = combined.firstIndex(where: { $0.lot == take.lot }) {
        combined[index].amount += take.amount
      } else {
        combined.append(take)
      }
    }
    return combined
  }

  // MARK: Giving back

  /// Plans what a reversal gives back: what was lost is forgiven first, then debts are cancelled, and what was taken
  /// goes into the lots that it came from.
  mutating func planGivingBack(
    _ change: inout RefundChange, session: any StorageSnapshot
  ) throws(LedgerError) {
    plans.removeAll(keepingCapacity: true)
    var outstanding = try outstandingParts(of: change.purchase, session: session)
    var returnsOfPlans: [[(lot: LotNumber, amount: Int64)]] = []
    for granted in change.granted {
      let less = zip(granted.due(change.before), granted.due(change.share)).map { $0 - $1 }
      guard less.contains(where: { $0 != 0 }) else { continue }
      try plan(.reversedRefund, granted.currency.code, 0, customer: change.owner, session: session)
      let index = plans.count - 1
      var debt = set.accounts[plans[index].slot].row.debt
      let debtBefore = debt
      var returns: [(lot: LotNumber, amount: Int64)] = []
      for (position, amount) in less.enumerated() where amount > 0 {
        let lot = granted.lots[position].lot
        try returns += Self.undo(amount, of: lot, &outstanding, debt: &debt, &change)
      }
      plans[index].debtChange = debt - debtBefore
      plans[index].amount = returns.reduce(0) { $0 + $1.amount } - plans[index].debtChange
      try checkHardLimit(index, adding: returns.reduce(0) { $0 + $1.amount }, debt: debt)
      returnsOfPlans.append(returns)
    }
    // Only now, since nothing can refuse it any more.
    for (index, returns) in returnsOfPlans.enumerated() {
      for (lot, amount) in returns {
        let take = try placeReturn(amount, to: lot, slot: plans[index].slot, session: session)
        plans[index].takes.append(take)
      }
    }
    change.isMadeGood = !outstanding.contains { $0.kind == .short && $0.amount > 0 }
  }

  /// What the purchase's refunds took, let go or made a debt of, and did not give back yet.
  func outstandingParts(
    of purchase: PurchaseRow, session: any StorageSnapshot
  ) throws(LedgerError) -> [RefundChange.Part] {
    var parts: [RefundChange.Part] = []
    for refund in try set.refunds(of: purchase, session: session) {
      for row in try set.refundParts(of: refund.transaction, of: purchase, session: session)
      where row.kind != .repaid {
        let index = parts.firstIndex { $0.lot == row.lot && $0.kind == row.kind && $0.source == row.source }
        let amount = row.amount + (index.map { parts[$0].amount } ?? 0)
        if let index { parts.remove(at: index) }
        parts.append(.init(lot: row.lot, kind: row.kind, source: row.source, amount: amount))
      }
    }
    return parts
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
      throw LedgerError(.storageDamaged, "The refunds of lot \(lot) do not add up to what is clawed back; run verify.")
    }
    return returns
  }

  /// What was lost first, then what is owed, then what other lots gave, newest first, then what had expired, and the
  /// lot's own last: the way back of how refunds take.
  private static func order(ofUndoing parts: [RefundChange.Part], of lot: LotNumber) -> [Int] {
    let own = parts.indices.filter { parts[$0].lot == lot }
    return own.filter { parts[$0].kind == .short } + own.filter { parts[$0].kind == .owed }
      + own.filter { parts[$0].kind == .taken && parts[$0].source != lot }.reversed()
      + own.filter { parts[$0].kind == .expired }
      + own.filter { parts[$0].kind == .taken && parts[$0].source == lot }
  }

  /// - Throws: `amount_out_of_range`.
  private func checkHardLimit(_ index: Int, adding amount: Int64, debt: Int64) throws(LedgerError) {
    let balance = set.accounts[plans[index].slot].row.balance - plans[index].expiredAmount
    guard amount - min(amount, debt) <= Limits.amount - balance else {
      throw RequestRules.outOfRange(
        "\(amount) more \(plans[index].currency.code) would pass the largest balance there can be, \(Limits.amount).",
        amount)
    }
  }
}
