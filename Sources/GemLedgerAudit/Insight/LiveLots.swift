internal import GemLedger

/// A lot with a current amount, or an account's pool.
struct LiveLot {
  let number: LotNumber
  let source: LotSource
  let environment: Int64
  let price: Money?
  let purchase: Int64?
  let granted: Int64
  let remaining: Int64
  let held: Int64
}

/// The lots of an account's balance, without lots that are due to expire.
struct LiveLots {
  let snapshot: any StorageSnapshot
  let account: AccountRow
  let now: Timestamp
  /// The account's holds; amounts of expired holds count as remaining in their lots.
  let holds: [AccountHold]
  /// All open lots, if due effects change the account and the storage's lots are outdated.
  private let changed: [LotRow]?

  init(snapshot: any StorageSnapshot, moment: AccountMoment, now: Timestamp) throws(LedgerError) {
    self.snapshot = snapshot
    account = moment.row
    self.now = now
    changed = moment.parts?.lots
    if let parts = moment.parts {
      holds = parts.holds
    } else {
      holds = try AccountHold.open(of: moment.row, in: snapshot)
    }
  }

  /// Returns at most `limit` lots, in burning order.
  ///
  /// - Parameter paidFirst: Whether the currency burns paid lots before free ones.
  func all(paidFirst: Bool = false, limit: Int = .max) throws(LedgerError) -> (lots: [LiveLot], hasMore: Bool) {
    var (held, returned) = ([LotNumber: Int64](), [LotNumber: Int64]())
    for hold in holds {
      for lot in hold.lots where hold.deadline > now { try held[lot.lot, default: 0].add(lot.amount) }
      for lot in hold.lots where hold.deadline <= now && lot.expiresAt > now.milliseconds {
        try returned[lot.lot, default: 0].add(lot.amount)
      }
    }
    var rows = account.poolRemaining > 0 ? [poolRow] : []
    for paid in [false, true] { rows += try openLots(paid: paid, limit: limit) }
    for lot in Set(held.keys).union(returned.keys).sorted() where !rows.contains(where: { $0.number == lot }) {
      if let row = lot == account.poolLot ? poolRow : try row(lot) { rows.append(row) }
    }
    rows.sort { Self.position($0, paidFirst) < Self.position($1, paidFirst) }
    var lots: [LiveLot] = []
    for row in rows.prefix(limit) {
      var remaining = returned[row.number] ?? 0
      if row.expiresAt > now.milliseconds { try remaining.add(row.remaining) }
      lots.append(
        LiveLot(
          number: row.number, source: row.source, environment: row.environment, price: row.price,
          purchase: row.purchase, granted: row.granted, remaining: remaining, held: held[row.number] ?? 0))
    }
    return (lots, rows.count > limit)
  }

  /// Returns the first lots of one class, one more than the limit if there are more.
  private func openLots(paid: Bool, limit: Int) throws(LedgerError) -> [LotRow] {
    if let changed { return changed.filter { $0.isPaid == paid } }
    guard account.openLots > 0 else { return [] }
    var rows: [LotRow] = []
    var after: LotPosition?
    while rows.count <= limit {
      let page = try snapshot.openLots(account.number, paid: paid, after: after, limit: 256)
      rows += page.filter { $0.expiresAt > now.milliseconds }
      guard let last = page.last, page.count == 256 else { break }
      let end = LotPosition(expiresAt: last.expiresAt, lot: last.number)
      if let after, end <= after { throw .leadsBack("lots") }
      after = end
    }
    return rows
  }

  private static func position(_ row: LotRow, _ paidFirst: Bool) -> (Int64, Int, LotNumber) {
    (row.expiresAt, row.isPaid == paidFirst ? 0 : 1, row.number)
  }

  private func row(_ lot: LotNumber) throws(LedgerError) -> LotRow? {
    guard var row = try snapshot.lot(lot, of: account.number.customer) else { return nil }
    // With due effects applied, the open lots are known already.
    if changed != nil { row.remaining = 0 }
    return row
  }

  private var poolRow: LotRow {
    LotRow(
      number: account.poolLot, account: account.number, source: LotSource(rawValue: account.poolSource) ?? .admin,
      environment: account.poolEnvironment, granted: account.poolGranted, remaining: account.poolRemaining, price: nil,
      purchase: nil, expiresAt: .max)
  }
}
