/// Makes a unit of work show the state of a past instant.
///
/// Later bookings are hidden, so that the same rules give the answer that they gave at that instant.
enum PastMoment {
  /// - Parameter numbers: All numbers under which rows about the customer may be stored.
  static func goBack(
    _ work: inout UnitOfWork, to instant: Timestamp, of customer: CustomerNumber, numbers: [CustomerNumber]
  ) throws(LedgerError) {
    work.cold.moment = (instant, customer, numbers)
    work.hasCold = true
    work.now = instant
    for hold in try work.session.holds(of: customer) { work.end(hold) }
    for count in try work.session.counts(of: customer) { work.end(count) }
  }

  /// Adds an account as it was at the instant, with its lots that were due to expire and not booked.
  static func restore(_ past: PastAccount, in work: inout UnitOfWork) {
    let slot = work.addAccount(past.row)
    var loaded = LoadedLots.empty
    for lot in past.dueLots.sorted(by: { LotPosition(of: $0) < LotPosition(of: $1) }) {
      if lot.isPaid {
        loaded.paid.lots.append(WorkingLot(row: lot))
      } else {
        loaded.free.lots.append(WorkingLot(row: lot))
      }
    }
    work.loadedLots.append(loaded)
    work.accounts[slot].lotsIndex = work.loadedLots.count - 1
  }

  static func restore(_ hold: HoldRow, in work: inout UnitOfWork) {
    work.cold.events.endedHolds[hold.number] = nil
    work.set(hold)
  }

  static func restore(_ count: CountRow, in work: inout UnitOfWork) {
    work.cold.events.endedCounts[count.customer]?[count.key] = nil
    work.cold.events.counts[count.customer, default: [:]][count.key] = count
  }
}

extension LotPosition {
  fileprivate init(of row: LotRow) { self.init(expiresAt: row.expiresAt, lot: row.number) }
}
