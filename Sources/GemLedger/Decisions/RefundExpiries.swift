/// Finds the part of a refunded purchase that expired before it was spent.
enum RefundExpiries {
  /// Takes what expired unspent off what is still due: it is gone already, so that no other lot is taken for it, nobody
  /// owes it, and it is no shortfall.
  static func setApart(
    _ decider: inout Decider, _ granted: RefundChange.Granted, _ rest: inout [Int64], _ index: Int,
    _ change: inout RefundChange, session: any StorageSnapshot
  ) throws(LedgerError) {
    for (position, lot) in granted.lots.enumerated() where rest[position] > 0 {
      let expiresAt = try expiry(&decider, of: lot.lot, plan: index, change, session: session)
      guard expiresAt <= decider.set.now.milliseconds else { continue }
      var expired = planned(&decider, lot.lot, plan: index)
      for number in try decider.set.numbers(of: change.owner, session: session) {
        let account = AccountNumber(customer: number, currency: granted.currency.number)
        expired += pending(&decider.set, lot.lot, in: account)
        expired += try booked(lot.lot, in: account, from: expiresAt, session: session)
      }
      let part = min(rest[position], expired - (try counted(&decider.set, lot.lot, change, session: session)))
      guard part > 0 else { continue }
      rest[position] -= part
      change.parts.append(.init(lot: lot.lot, kind: .expired, amount: part))
    }
  }

  private static func expiry(
    _ decider: inout Decider, of lot: LotNumber, plan index: Int, _ change: RefundChange, session: any StorageSnapshot
  ) throws(LedgerError) -> Int64 {
    let book = decider.set.book(of: decider.plans[index].slot)
    if let place = decider.set.books[book].place(of: lot) { return decider.set.books[book][place].row.expiresAt }
    // An empty lot of a customer who became part of this one stayed there.
    let numbers = try decider.set.numbers(of: change.owner, session: session)
    return try decider.set.lotTerms(lot, of: numbers, session: session)?.expiresAt ?? .max
  }

  /// What earlier refunds of the purchase set apart already.
  private static func counted(
    _ set: inout WorkingSet, _ lot: LotNumber, _ change: RefundChange, session: any StorageSnapshot
  ) throws(LedgerError) -> Int64 {
    guard change.purchase.refund != nil else { return 0 }
    return try RefundedPurchase.outstandingParts(&set, of: change.purchase, session: session)
      .filter { $0.lot == lot && $0.kind == .expired }.reduce(0) { $0 + $1.amount }
  }

  /// What is due now and will be booked as expired before the refund.
  private static func planned(_ decider: inout Decider, _ lot: LotNumber, plan index: Int) -> Int64 {
    decider.plans[index].expired.filter { $0.lot == lot }.reduce(0) { $0 - $1.amount }
  }

  /// What this group booked as expired.
  private static func pending(_ set: inout WorkingSet, _ lot: LotNumber, in account: AccountNumber) -> Int64 {
    var expired: Int64 = 0
    for entry in set.changes.entries where entry.account == account && entry.kind == .expiry {
      if entry.lot == lot { expired -= entry.amount }
      guard entry.lot == 0 else { continue }
      for row in set.changes.allocations where row.entry == entry.number && row.lot == lot { expired -= row.amount }
    }
    return expired
  }

  /// What was booked as expired before this group: with the lot's time, and what came back to it later.
  private static func booked(
    _ lot: LotNumber, in number: AccountNumber, from expiresAt: Int64, session: any StorageSnapshot
  ) throws(LedgerError) -> Int64 {
    guard let account = try session.account(number), account.lastEntry != 0 else { return 0 }
    let history = AccountHistory(snapshot: session, account: account)
    let before = try history.newest(at: Timestamp(milliseconds: max(expiresAt, .min + 1) - 1)).entry?.version ?? 0
    var expired: Int64 = 0
    var next = try session.entry(account.lastEntry, of: number.customer)
    while let entry = next, entry.version > before {
      if entry.kind == .expiry {
        if entry.lot == lot { expired -= entry.amount }
        if entry.lot == 0 {
          for row in try session.allocations(of: entry.number, of: number.customer) where row.lot == lot {
            expired -= row.amount
          }
        }
      }
      next = try history.previous(entry)
    }
    return expired
  }
}
