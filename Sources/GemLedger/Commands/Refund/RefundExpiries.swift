/// Finds the part of a refunded purchase that expired before it was spent.
enum RefundExpiries {
  /// Subtracts amounts that expired unspent from the amounts still to claw back.
  ///
  /// Expired amounts are gone already: no other lot pays for them, and they make neither a debt nor a shortfall.
  static func setApart(
    _ books: inout Bookkeeper, _ granted: RefundChange.Granted, _ rest: inout [Int64], _ index: Int,
    _ change: inout RefundChange
  ) throws(LedgerError) {
    for (position, lot) in granted.lots.enumerated() where rest[position] > 0 {
      let expiresAt = try expiry(&books, of: lot.lot, plan: index, change)
      guard expiresAt <= books.work.now.milliseconds else { continue }
      var expired = planned(books, lot.lot, plan: index)
      for number in try books.work.customers.related(to: change.owner) {
        let account = AccountNumber(customer: number, currency: granted.currency.number)
        expired += pending(books.work, lot.lot, in: account)
        expired += try booked(lot.lot, in: account, from: expiresAt, in: books.work.session)
      }
      let part = min(rest[position], expired - (try counted(books.work, lot.lot, change)))
      guard part > 0 else { continue }
      rest[position] -= part
      change.parts.append(.init(lot: lot.lot, kind: .expired, amount: part))
    }
  }

  private static func expiry(
    _ books: inout Bookkeeper, of lot: LotNumber, plan index: Int, _ change: RefundChange
  ) throws(LedgerError) -> Int64 {
    let lots = books.work.accounts.lots(of: books.plans[index].slot)
    if let lotSlot = lots.lotSlot(of: lot) { return lots[lotSlot].row.expiresAt }
    // An empty lot of a merged customer stayed in that customer's account.
    let numbers = try books.work.customers.related(to: change.owner)
    return try books.work.accounts.attributes(of: lot, ofAny: numbers)?.expiresAt ?? .max
  }

  /// The expired amount that earlier refunds of the purchase have already counted.
  private static func counted(
    _ work: borrowing UnitOfWork, _ lot: LotNumber, _ change: RefundChange
  ) throws(LedgerError) -> Int64 {
    guard change.purchase.refund != nil else { return 0 }
    return try RefundedPurchase.outstandingParts(work, of: change.purchase)
      .filter { $0.lot == lot && $0.kind == .expired }.reduce(0) { $0 + $1.amount }
  }

  /// The amount that is due to expire and is booked before the refund.
  private static func planned(_ books: borrowing Bookkeeper, _ lot: LotNumber, plan index: Int) -> Int64 {
    books.plans[index].expired.filter { $0.lot == lot }.reduce(0) { $0 - $1.amount }
  }

  /// The expired amount that this group has booked.
  private static func pending(_ work: borrowing UnitOfWork, _ lot: LotNumber, in account: AccountNumber) -> Int64 {
    var expired: Int64 = 0
    for entry in work.journal.entries where entry.account == account && entry.kind == .expiry {
      if entry.lot == lot { expired -= entry.amount }
      guard entry.lot == 0 else { continue }
      for row in work.journal.allocations where row.entry == entry.number && row.lot == lot { expired -= row.amount }
    }
    return expired
  }

  /// The expired amount booked before this group: at the lot's expiry, and for later returns to the lot.
  private static func booked(
    _ lot: LotNumber, in number: AccountNumber, from expiresAt: Int64, in session: any StorageSnapshot
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
