/// Plans the takes of a refund: the purchase's lots first, then by the currency's policy.
enum RefundTakingBack {
  // MARK: Taking back

  /// Plans the takes of a refund: the purchase's lots first, then by the currency's policy.
  static func plan(_ books: inout Bookkeeper, _ change: inout RefundChange) throws(LedgerError) {
    books.plans.removeAll(keepingCapacity: true)
    for granted in change.granted {
      let more = zip(granted.due(change.share), granted.due(change.before)).map { $0 - $1 }
      guard more.contains(where: { $0 != 0 }) else { continue }
      try books.plan(.refund, granted.currency.code, 0, customer: change.owner)
      let index = books.plans.count - 1
      let account = books.work.accounts[books.plans[index].slot].row
      var rest = more
      var available = max(0, account.balance - books.plans[index].expiredAmount - account.held)
      var own = try takeOwnLots(&books, granted, &rest, &available, index, &change)
      own += try takeDescendants(&books, of: granted, &rest, &available, index, &change)
      try RefundExpiries.setApart(&books, granted, &rest, index, &change)
      let left = change.unprovenMerges.isEmpty ? min(available, rest.reduce(0, +)) : 0
      let others = try books.work.accounts.burn(
        left, of: books.plans[index].slot, after: own, paidFirst: granted.currency.burnsPaidFirst)
      share(others, over: granted, &rest, &change)
      let owed = applyShortfallPolicy(rest, granted, debt: account.debt, &change)
      books.plans[index].takes = combined(own + others)
      books.plans[index].debtChange = owed
      books.plans[index].amount = books.plans[index].takes.reduce(0) { $0 + $1.amount } - owed
    }
  }

  private static func takeOwnLots(
    _ books: inout Bookkeeper, _ granted: RefundChange.Granted, _ rest: inout [Int64], _ available: inout Int64,
    _ index: Int, _ change: inout RefundChange
  ) throws(LedgerError) -> [LotTake] {
    var takes: [LotTake] = []
    for (position, lot) in granted.lots.enumerated() where rest[position] > 0 {
      guard
        let lotSlot = try books.work.accounts.lotSlot(of: lot.lot, in: books.plans[index].slot)
      else { continue }
      let row = books.work.accounts.lot(lotSlot, of: books.plans[index].slot)
      // Due amounts are booked as expired first.
      let part = row.expiresAt > books.work.now.milliseconds ? min(rest[position], row.remaining, available) : 0
      guard part > 0 else { continue }
      rest[position] -= part
      available -= part
      takes.append(LotTake(lotSlot: lotSlot, lot: lot.lot, source: row.source, amount: -part))
      change.parts.append(.init(lot: lot.lot, kind: .taken, source: lot.lot, amount: part))
    }
    return takes
  }

  /// Takes from the account's lots that exchanges and transfers derived from the purchase's lots.
  static func takeDescendants(
    _ books: inout Bookkeeper, of granted: RefundChange.Granted, _ rest: inout [Int64], _ available: inout Int64,
    _ index: Int, _ change: inout RefundChange
  ) throws(LedgerError) -> [LotTake] {
    let slot = books.plans[index].slot
    guard available > 0, rest.contains(where: { $0 > 0 }), books.work.accounts[slot].row.openLots > 0 else {
      return []
    }
    try books.work.accounts.loadAllLots(of: slot)
    let now = books.work.now.milliseconds
    let candidates = books.work.accounts.lots(of: slot).rows.filter { row in
      row.purchase == nil && row.remaining > 0 && row.expiresAt > now
    }
    let lineages = try candidates.gather { (row) throws(LedgerError) in
      try LotLineage.lineage(books.work, of: row).lineage
    }
    var takes: [LotTake] = []
    for (row, lineage) in zip(candidates, lineages) where available > 0 {
      guard let lineage,
        let position = granted.lots.firstIndex(where: { $0.lot == lineage.originalLot }), rest[position] > 0,
        let lotSlot = books.work.accounts.lots(of: slot).lotSlot(of: row.number)
      else { continue }
      let part = min(rest[position], row.remaining, available)
      rest[position] -= part
      available -= part
      takes.append(LotTake(lotSlot: lotSlot, lot: row.number, source: row.source, amount: -part))
      change.parts.append(
        .init(lot: granted.lots[position].lot, kind: .taken, source: row.number, amount: part))
    }
    return takes
  }

  /// Assigns the takes from other lots to the purchase's lots.
  private static func share(
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

  /// Makes the rest a debt, or writes it off.
  private static func applyShortfallPolicy(
    _ rest: [Int64], _ granted: RefundChange.Granted, debt: Int64, _ change: inout RefundChange
  ) -> Int64 {
    let policy = change.unprovenMerges.isEmpty ? granted.currency.refundPolicy.kind : .floor
    var owed: Int64 = 0
    for (position, amount) in rest.enumerated() where amount > 0 {
      let lot = granted.lots[position].lot
      // A debt has the same bounds as a balance.
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
}
