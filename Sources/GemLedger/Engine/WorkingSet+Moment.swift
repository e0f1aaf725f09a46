// A working set can stand as of an instant that is over. Nothing that was booked later is seen then, so that the same
// rules give the answer that they gave at that instant.

extension WorkingSet {
  /// The instant that is over as of which the set stands; nil for now.
  var instant: Timestamp? { hasRare ? rare.moment?.instant : nil }

  /// Makes the set stand as of an instant, with what one customer had then.
  ///
  /// - Parameter numbers: All numbers under which what concerns the customer may lie.
  mutating func goBack(
    to instant: Timestamp, of customer: CustomerNumber, numbers: [CustomerNumber], session: any StorageSnapshot
  ) throws(LedgerError) {
    rare.moment = (instant, customer, numbers)
    hasRare = true
    now = instant
    for hold in try session.holds(of: customer) { end(hold) }
    for count in try session.counts(of: customer) { end(count) }
  }

  /// An account as it was, with those of its lots that were due and not booked.
  mutating func place(_ past: PastAccount) {
    let slot = addAccount(past.row)
    var book = LotBook.empty
    for lot in past.dueLots.sorted(by: { LotPosition(of: $0) < LotPosition(of: $1) }) {
      if lot.isPaid { book.paid.lots.append(WorkingLot(row: lot)) } else { book.free.lots.append(WorkingLot(row: lot)) }
    }
    books.append(book)
    accounts[slot].book = books.count - 1
  }

  mutating func place(_ hold: HoldRow) {
    rare.effects.endedHolds[hold.number] = nil
    set(hold)
  }

  mutating func place(_ count: CountRow) {
    rare.effects.endedCounts[count.customer]?[count.key] = nil
    rare.effects.counts[count.customer, default: [:]][count.key] = count
  }

  func isBooked(
    _ transaction: TransactionNumber, by instant: Timestamp, session: any StorageSnapshot
  ) throws(LedgerError) -> Bool {
    guard let row = try session.transaction(transaction) else { throw .lacksTransaction(transaction) }
    return row.createdAt <= instant
  }
}

extension LotPosition {
  fileprivate init(of row: LotRow) { self.init(expiresAt: row.expiresAt, lot: row.number) }
}
