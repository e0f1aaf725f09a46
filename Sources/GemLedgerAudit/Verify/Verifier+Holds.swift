internal import GemLedger

/// The holds and counts of one window's customers, by their journal events.
struct JournalEventReplay {
  /// An open hold.
  struct Hold {
    var owner: CustomerNumber
    var deadline: Int64
    let begunAt: Timestamp
    /// The remaining amounts, by account and lot.
    var parts: [Part: Int128] = [:]
  }

  struct Part: Hashable {
    let account: AccountNumber
    let lot: LotNumber
  }

  struct CounterSlot: Hashable {
    let customer: CustomerNumber
    let key: Int32
  }

  struct Count: Equatable {
    let period: Int64
    let value: Int64
  }

  var holds: [TransactionNumber: Hold] = [:]
  /// The held amounts of accounts that have any.
  var held: [AccountNumber: Int128] = [:]
  /// The held amounts of lots that have any.
  var heldOfLots: [LotNumber: Int128] = [:]
  var counts: [CounterSlot: Count] = [:]
  /// Events that set amounts aside; the amounts come out of the balance after the entries of the same transaction.
  fileprivate var waiting: [JournalEventRow] = []
  /// Holds of which nothing is left, unless the transaction at hand sets it aside anew.
  fileprivate var emptied: Set<TransactionNumber> = []
  fileprivate var last: TransactionNumber = 0
  /// The amounts that the present transaction captured from lots: its entries, which come behind the events, take them
  /// out.
  fileprivate var captured: [LotNumber: Int128] = [:]

  var isWaiting: Bool { !waiting.isEmpty }
}

extension Verifier {
  /// Replays the effects of the window's customers up to a transaction, before its entries are replayed.
  mutating func replayEvents(
    through transaction: TransactionNumber, _ walk: inout JournalEventWalk, _ replay: inout Replay
  ) throws(LedgerError) {
    finishWaiting(before: transaction, &replay)
    while walk.next <= transaction, let event = try walk.pop() {
      guard replay.customers.contains(replay.survivingCustomer(event.customer)) else { continue }
      finishWaiting(before: event.transaction, &replay)
      if event.kind == .held { replay.events.waiting.append(event) } else { self.replay(event, &replay) }
    }
    // A hold in a transaction without entries is set aside before the entries of the next one.
    finishWaiting(before: transaction, &replay)
  }

  /// Replays the effects behind the last entry.
  mutating func replayLastEvents(_ walk: inout JournalEventWalk, _ replay: inout Replay) throws(LedgerError) {
    try replayEvents(through: .max, &walk, &replay)
    forgetEnded(&replay)
  }

  private mutating func finishWaiting(before transaction: TransactionNumber, _ replay: inout Replay) {
    guard let first = replay.events.waiting.first, first.transaction < transaction else { return }
    let waiting = replay.events.waiting
    replay.events.waiting.removeAll(keepingCapacity: true)
    for event in waiting { self.replay(event, &replay) }
  }

  private func forgetEnded(_ replay: inout Replay) {
    for hold in replay.events.emptied where replay.events.holds[hold]?.parts.isEmpty == true {
      replay.events.holds[hold] = nil
    }
    replay.events.emptied.removeAll(keepingCapacity: true)
  }

  private mutating func replay(_ event: JournalEventRow, _ replay: inout Replay) {
    if event.transaction != replay.events.last {
      if !replay.events.emptied.isEmpty { forgetEnded(&replay) }
      replay.events.captured.removeAll(keepingCapacity: true)
    }
    replay.events.last = event.transaction
    switch event.kind {
    case .deadline: setDeadline(event, &replay)
    case .held:
      if event.value != 0 { setDeadline(event, &replay) }
      setAside(event, by: Int128(event.amount), &replay)
    case .captured, .released: setAside(event, by: -Int128(event.amount), &replay)
    case .late, .reclaimed: checkHeld(event, replay)
    case .counted:
      guard let key = event.count else { return }
      let position = JournalEventReplay.CounterSlot(customer: event.customer, key: number(of: key))
      replay.events.counts[position] = JournalEventReplay.Count(period: event.period, value: event.value)
    case .reversal, .linked: return
    }
  }

  private mutating func setDeadline(_ event: JournalEventRow, _ replay: inout Replay) {
    let owner = replay.survivingCustomer(event.customer)
    let known = replay.events.holds[event.target]
    if event.kind == .held, event.target == event.transaction, known == nil {
      replay.events.holds[event.target] = JournalEventReplay.Hold(
        owner: owner, deadline: event.value, begunAt: event.createdAt)
    } else if known?.owner == owner, event.kind == .deadline || known?.deadline == event.value {
      replay.events.holds[event.target]?.deadline = event.value
    } else {
      report(
        "holds_replay",
        "transaction \(event.transaction) sets the deadline of hold \(event.target), which is not open or another's")
    }
  }

  /// Moves currency between a lot and a hold.
  private mutating func setAside(_ event: JournalEventRow, by amount: Int128, _ replay: inout Replay) {
    let part = JournalEventReplay.Part(account: event.account, lot: event.lot)
    let left = (replay.events.holds[event.target]?.parts[part] ?? 0) + amount
    if replay.events.holds[event.target] == nil || left < 0 {
      report(
        "holds_replay", currency: event.currency,
        "transaction \(event.transaction) moves \(amount) of lot \(event.lot) to hold \(event.target), which is not "
          + "open or has less")
    }
    replay.events.holds[event.target]?.parts[part] = left == 0 ? nil : left
    if left == 0 { replay.events.emptied.insert(event.target) }
    let held = (replay.events.held[event.account] ?? 0) + amount
    replay.events.held[event.account] = held == 0 ? nil : held
    let ofLot = (replay.events.heldOfLots[event.lot] ?? 0) + amount
    replay.events.heldOfLots[event.lot] = ofLot == 0 ? nil : ofLot
    checkHeld(event, replay)
    guard let lot = replay.lots[event.lot], replay.areOne(lot.account, event.account) else {
      report(
        "lots_belong_to_accounts", currency: event.currency,
        "transaction \(event.transaction) moves lot \(event.lot) of \(name(of: event.account)), whose it is not")
      return
    }
    if lot.remaining < ofLot, amount > 0 {
      report(
        "lots_are_never_overdrawn", currency: event.currency,
        "transaction \(event.transaction) sets more of lot \(event.lot) aside than it holds")
    }
    if event.kind == .captured { replay.events.captured[event.lot, default: 0] -= amount }
    // A returned amount may make the lot larger than entries alone did.
    if event.kind == .released {
      let free = lot.remaining - ofLot - (replay.events.captured[event.lot] ?? 0)
      replay.lots[event.lot]?.granted = max(lot.granted, free)
    }
  }

  private mutating func checkHeld(_ event: JournalEventRow, _ replay: Replay) {
    let held = replay.events.held[event.account] ?? 0
    if Int128(event.heldAfter) != held {
      report(
        "effects_replay", currency: event.currency,
        "transaction \(event.transaction) leaves \(event.heldAfter) on hold of \(name(of: event.account)); the "
          + "replay gives \(held)")
    }
  }

  // MARK: Projections

  /// Compares holds and counts with the replayed journal events of the window's customers.
  mutating func compareEvents(_ replay: inout Replay) throws(LedgerError) {
    try compareHolds(&replay)
    try compareCounts(&replay)
    for (account, held) in replay.events.held where replay.accounts[account]?.isSeen != true {
      report(
        "holds_replay", currency: account.currency, "\(name(of: account)) should hold \(held) and has no account row")
    }
  }

  /// Until when nothing that is on hold of an account ends.
  func firstDeadlines(_ replay: Replay) -> [AccountNumber: Int64] {
    var first: [AccountNumber: Int64] = [:]
    for hold in replay.events.holds.values {
      for part in hold.parts.keys { first[part.account] = min(first[part.account] ?? .max, hold.deadline) }
    }
    return first
  }

  private mutating func compareHolds(_ replay: inout Replay) throws(LedgerError) {
    var last: TransactionNumber = 0
    while true {
      let page = try scan.holds(after: last, limit: ScanPage.size)
      guard let end = page.last?.number else { break }
      for row in page where replay.customers.contains(replay.survivingCustomer(row.customer)) {
        let hold = replay.events.holds.removeValue(forKey: row.number)
        if hold?.owner != row.customer || hold?.deadline != row.deadline.milliseconds || hold?.parts.isEmpty != false {
          report(
            "holds_replay",
            "hold \(row.number) of customer number \(row.customer) is open until \(row.deadline); the effects say "
              + (hold.map { "customer number \($0.owner), \(Timestamp(milliseconds: $0.deadline))" } ?? "otherwise"))
        }
        if let hold { compareWords(of: row, hold) }
      }
      last = end
    }
    for (number, hold) in replay.events.holds {
      report("holds_replay", "hold \(number) of customer number \(hold.owner) is open and has no row")
    }
  }

  /// Compares the row's own statements with its events.
  private mutating func compareWords(of row: HoldRow, _ hold: JournalEventReplay.Hold) {
    if let begunAt = row.begunAt, begunAt != hold.begunAt {
      report("holds_replay", "hold \(row.number) says that it began at \(begunAt); the effects say \(hold.begunAt)")
    }
    guard let sole = row.sole else { return }
    let account = AccountNumber(customer: row.customer, currency: sole.currency)
    guard hold.parts != [JournalEventReplay.Part(account: account, lot: sole.lot): Int128(sole.amount)] else { return }
    report(
      "holds_replay", currency: sole.currency,
      "hold \(row.number) says that it has \(sole.amount) of lot \(sole.lot) alone; the effects say otherwise")
  }

  private mutating func compareCounts(_ replay: inout Replay) throws(LedgerError) {
    var last: CountRow?
    while true {
      let page = try scan.counts(after: last, limit: ScanPage.size)
      if page.isEmpty { break }
      for row in page where replay.customers.contains(replay.survivingCustomer(row.customer)) {
        let position = JournalEventReplay.CounterSlot(customer: row.customer, key: number(of: row.key))
        let count = replay.events.counts.removeValue(forKey: position)
        let isOver = replay.survivingCustomer(row.customer) != row.customer
        if isOver || count != JournalEventReplay.Count(period: row.period, value: row.value) {
          report(
            "counts_replay",
            "the count \(row.key.kind) of \"\(row.key.subject)\" of customer number \(row.customer) is \(row.value); "
              + "the effects say \(isOver ? "nothing" : count.map { "\($0.value)" } ?? "nothing")")
        }
      }
      last = page.last
    }
    // The counts of merged customers continue with their surviving customers.
    for position in replay.events.counts.keys where replay.survivingCustomer(position.customer) == position.customer {
      report("counts_replay", "a count of customer number \(position.customer) has no row")
    }
  }

  private mutating func number(of key: CountKey) -> Int32 {
    if let known = countKeys[key] { return known }
    let number = Int32(truncatingIfNeeded: countKeys.count)
    countKeys[key] = number
    return number
  }
}
