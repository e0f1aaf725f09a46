/// Makes a unit of work stand as of an instant that is over.
///
/// Nothing that was booked later is seen then, so that the same rules give the answer that they gave at that instant.
enum PastMoment {
  /// - Parameter numbers: All numbers under which what concerns the customer may lie.
  static func goBack(
    _ set: inout WorkingSet, to instant: Timestamp, of customer: CustomerNumber, numbers: [CustomerNumber],
    session: any StorageSnapshot
  ) throws(LedgerError) {
    set.rare.moment = (instant, customer, numbers)
    set.hasRare = true
    set.now = instant
    for hold in try session.holds(of: customer) { set.end(hold) }
    for count in try session.counts(of: customer) { set.end(count) }
  }

  /// Adds an account as it was at the instant, with its lots that were due to expire and not booked.
  static func place(_ past: PastAccount, in set: inout WorkingSet) {
    let slot = set.addAccount(past.row)
    var book = LotBook.empty
    for lot in past.dueLots.sorted(by: { LotPosition(of: $0) < LotPosition(of: $1) }) {
      if lot.isPaid { book.paid.lots.append(WorkingLot(row: lot)) } else { book.free.lots.append(WorkingLot(row: lot)) }
    }
    set.books.append(book)
    set.accounts[slot].book = set.books.count - 1
  }

  static func place(_ hold: HoldRow, in set: inout WorkingSet) {
    set.rare.effects.endedHolds[hold.number] = nil
    set.set(hold)
  }

  static func place(_ count: CountRow, in set: inout WorkingSet) {
    set.rare.effects.endedCounts[count.customer]?[count.key] = nil
    set.rare.effects.counts[count.customer, default: [:]][count.key] = count
  }
}

extension LotPosition {
  fileprivate init(of row: LotRow) { self.init(expiresAt: row.expiresAt, lot: row.number) }
}
