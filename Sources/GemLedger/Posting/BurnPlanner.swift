/// Which lots a spend takes from: soonest expiry first, then free before paid (or paid before free, if the currency
/// says so), then oldest.
enum BurnPlanner {
  enum Plan {
    case takes([LotTake])
    /// The next page of the free or the paid lots must be loaded before this can be decided.
    case needsLots(paid: Bool)
  }

  /// The amounts that are due at an instant and must be booked as expired.
  static func expired(account: AccountRow, lots: LoadedLots, now: Int64) -> Plan {
    var takes: [LotTake] = []
    for (stream, isPaid) in [(lots.free, false), (lots.paid, true)] {
      var index = stream.head
      while index < stream.lots.count, stream.lots[index].row.expiresAt <= now {
        take(all: stream.lots[index].row, at: isPaid ? .paid(index) : .free(index), into: &takes)
        index += 1
      }
      if index == stream.lots.count, !stream.isComplete { return .needsLots(paid: isPaid) }
    }
    let streamed = takes.count
    for (index, lot) in lots.extras.enumerated() where lot.row.expiresAt <= now {
      take(all: lot.row, at: .extra(index), into: &takes)
    }
    guard takes.count > streamed else { return .takes(takes) }
    // Which lots are extras depends on the group of commands; the order of a booking's lots does not.
    return .takes(
      takes.sorted { one, other in
        let (left, right) = (lots[one.lotSlot].row, lots[other.lotSlot].row)
        guard left.isPaid == right.isPaid else { return right.isPaid }
        return (left.expiresAt, left.number) < (right.expiresAt, right.number)
      })
  }

  /// The takes of a spend of that amount; fewer than the amount only if the lots do not hold it.
  static func spend(_ amount: Int64, account: AccountRow, lots: LoadedLots, now: Int64, paidFirst: Bool) -> Plan {
    var takes: [LotTake] = []
    var rest = amount
    var cursors = Cursors(account: account, lots: lots, now: now, paidFirst: paidFirst)
    while rest > 0 {
      switch cursors.next() {
      case .needsLots(let paid): return .needsLots(paid: paid)
      case .end: return .takes(takes)
      case .lot(let lotSlot, let lot, let source, let remaining):
        let part = min(rest, remaining)
        takes.append(LotTake(lotSlot: lotSlot, lot: lot, source: source, amount: -part))
        rest -= part
      }
    }
    return .takes(takes)
  }

  private static func take(all row: LotRow, at lotSlot: LotSlot, into takes: inout [LotTake]) {
    guard row.remaining > 0 else { return }
    takes.append(LotTake(lotSlot: lotSlot, lot: row.number, source: row.source, amount: -row.remaining))
  }
}

/// A merge of the pool, the free lots, the paid lots and the extras, in the order of burning.
private struct Cursors {
  enum Step {
    case lot(LotSlot, LotNumber, LotSource, remaining: Int64)
    case needsLots(paid: Bool)
    case end
  }

  private struct Candidate {
    var lotSlot: LotSlot
    var number: LotNumber
    var source: LotSource
    var remaining: Int64
    var expiresAt: Int64
    /// 0 for the lots that burn first among equals of expiry.
    var rank: Int

    func precedes(_ other: Candidate) -> Bool {
      (expiresAt, rank, number) < (other.expiresAt, other.rank, other.number)
    }
  }

  private let lots: LoadedLots
  private let now: Int64
  private let paidFirst: Bool
  private var pool: Candidate?
  private var free: Int
  private var paid: Int
  private var extras: [Candidate]

  init(account: AccountRow, lots: LoadedLots, now: Int64, paidFirst: Bool) {
    self.lots = lots
    self.now = now
    self.paidFirst = paidFirst
    free = lots.free.head
    paid = lots.paid.head
    extras = []
    if account.poolRemaining > 0 {
      pool = Candidate(
        lotSlot: .pool, number: account.poolLot, source: LotSource(rawValue: account.poolSource) ?? .admin,
        remaining: account.poolRemaining, expiresAt: .max, rank: paidFirst ? 1 : 0)
    }
    for (index, lot) in lots.extras.enumerated() where lot.row.remaining > 0 && lot.row.expiresAt > now {
      extras.append(candidate(lot.row, at: .extra(index)))
    }
    extras.sort { $1.precedes($0) }
  }

  mutating func next() -> Step {
    free = firstLive(in: lots.free, from: free)
    paid = firstLive(in: lots.paid, from: paid)
    if free == lots.free.lots.count, !lots.free.isComplete { return .needsLots(paid: false) }
    if paid == lots.paid.lots.count, !lots.paid.isComplete { return .needsLots(paid: true) }
    var best = pool
    if let extra = extras.last, best.map(extra.precedes) ?? true { best = extra }
    if free < lots.free.lots.count {
      let lot = candidate(lots.free.lots[free].row, at: .free(free))
      if best.map(lot.precedes) ?? true { best = lot }
    }
    if paid < lots.paid.lots.count {
      let lot = candidate(lots.paid.lots[paid].row, at: .paid(paid))
      if best.map(lot.precedes) ?? true { best = lot }
    }
    guard let best else { return .end }
    pass(best.lotSlot)
    return .lot(best.lotSlot, best.number, best.source, remaining: best.remaining)
  }

  private mutating func pass(_ lotSlot: LotSlot) {
    switch lotSlot {
    case .pool: pool = nil
    case .free: free += 1
    case .paid: paid += 1
    case .extra: extras.removeLast()
    }
  }

  private func firstLive(in stream: LoadedLots.Stream, from index: Int) -> Int {
    var index = index
    while index < stream.lots.count {
      let row = stream.lots[index].row
      if row.remaining > 0, row.expiresAt > now { break }
      index += 1
    }
    return index
  }

  private func candidate(_ row: LotRow, at lotSlot: LotSlot) -> Candidate {
    Candidate(
      lotSlot: lotSlot, number: row.number, source: row.source, remaining: row.remaining, expiresAt: row.expiresAt,
      rank: row.isPaid == paidFirst ? 0 : 1)
  }
}
