internal import GemLedger

/// The holds and counts of one window's customers, by their journal events.
struct EffectReplay {
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

  struct CountPlace: Hashable {
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
  var counts: [CountPlace: Count] = [:]
  /// Events that set amounts aside; the amounts come out of the balance after the entries of the same transaction.
  fileprivate var waiting: [EffectRow] = []
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
  mutating func replayEffects(
    through transaction: TransactionNumber, _ walk: inout EffectWalk, _ replay: inout Replay
  ) throws(LedgerError) {
    finishWaiting(before: transaction, &replay)
    while walk.next <= transaction, let effect = try walk.pop() {
      guard replay.customers.contains(replay.root(effect.customer)) else { continue }
      finishWaiting(before: effect.transaction, &replay)
      if effect.kind == .held { replay.effects.waiting.append(effect) } else { self.replay(effect, &replay) }
    }
    // A hold in a transaction without entries is set aside before the entries of the next one.
    finishWaiting(before: transaction, &replay)
  }

  /// Replays the effects behind the last entry.
  mutating func replayLastEffects(_ walk: inout EffectWalk, _ replay: inout Replay) throws(LedgerError) {
    try replayEffects(through: .max, &walk, &replay)
    forgetEnded(&replay)
  }

  private mutating func finishWaiting(before transaction: TransactionNumber, _ replay: inout Replay) {
    guard let first = replay.effects.waiting.first, first.transaction < transaction else { return }
    let waiting = replay.effects.waiting
    replay.effects.waiting.removeAll(keepingCapacity: true)
    for effect in waiting { self.replay(effect, &replay) }
  }

  private func forgetEnded(_ replay: inout Replay) {
    for hold in replay.effects.emptied where replay.effects.holds[hold]?.parts.isEmpty == true {
      replay.effects.holds[hold] = nil
    }
    replay.effects.emptied.removeAll(keepingCapacity: true)
  }

  private mutating func replay(_ effect: EffectRow, _ replay: inout Replay) {
    if effect.transaction != replay.effects.last {
      if !replay.effects.emptied.isEmpty { forgetEnded(&replay) }
      replay.effects.captured.removeAll(keepingCapacity: true)
    }
    replay.effects.last = effect.transaction
    switch effect.kind {
    case .deadline: setDeadline(effect, &replay)
    case .held:
      if effect.value != 0 { setDeadline(effect, &replay) }
      setAside(effect, by: Int128(effect.amount), &replay)
    case .captured, .released: setAside(effect, by: -Int128(effect.amount), &replay)
    case .late, .reclaimed: checkHeld(effect, replay)
    case .counted:
      guard let key = effect.count else { return }
      let place = EffectReplay.CountPlace(customer: effect.customer, key: number(of: key))
      replay.effects.counts[place] = EffectReplay.Count(period: effect.period, value: effect.value)
    case .reversal, .linked: return
    }
  }

  private mutating func setDeadline(_ effect: EffectRow, _ replay: inout Replay) {
    let owner = replay.root(effect.customer)
    let known = replay.effects.holds[effect.target]
    if effect.kind == .held, effect.target == effect.transaction, known == nil {
      replay.effects.holds[effect.target] = EffectReplay.Hold(
        owner: owner, deadline: effect.value, begunAt: effect.createdAt)
    } else if known?.owner == owner, effect.kind == .deadline || known?.deadline == effect.value {
      replay.effects.holds[effect.target]?.deadline = effect.value
    } else {
      report(
        "holds_replay",
        "transaction \(effect.transaction) sets the deadline of hold \(effect.target), which is not open or another's")
    }
  }

  /// Moves currency between a lot and a hold.
  private mutating func setAside(_ effect: EffectRow, by amount: Int128, _ replay: inout Replay) {
    let part = EffectReplay.Part(account: effect.account, lot: effect.lot)
    let left = (replay.effects.holds[effect.target]?.parts[part] ?? 0) + amount
    if replay.effects.holds[effect.target] == nil || left < 0 {
      report(
        "holds_replay", currency: effect.currency,
        "transaction \(effect.transaction) moves \(amount) of lot \(effect.lot) to hold \(effect.target), which is not "
          + "open or has less")
    }
    replay.effects.holds[effect.target]?.parts[part] = left == 0 ? nil : left
    if left == 0 { replay.effects.emptied.insert(effect.target) }
    let held = (replay.effects.held[effect.account] ?? 0) + amount
    replay.effects.held[effect.account] = held == 0 ? nil : held
    let ofLot = (replay.effects.heldOfLots[effect.lot] ?? 0) + amount
    replay.effects.heldOfLots[effect.lot] = ofLot == 0 ? nil : ofLot
    checkHeld(effect, replay)
    guard let lot = replay.lots[effect.lot], replay.areOne(lot.account, effect.account) else {
      report(
        "lots_belong_to_accounts", currency: effect.currency,
        "transaction \(effect.transaction) moves lot \(effect.lot) of \(name(of: effect.account)), whose it is not")
      return
    }
    if lot.remaining < ofLot, amount > 0 {
      report(
        "lots_are_never_overdrawn", currency: effect.currency,
        "transaction \(effect.transaction) sets more of lot \(effect.lot) aside than it holds")
    }
    if effect.kind == .captured { replay.effects.captured[effect.lot, default: 0] -= amount }
    // A returned amount may make the lot larger than entries alone did.
    if effect.kind == .released {
      let free = lot.remaining - ofLot - (replay.effects.captured[effect.lot] ?? 0)
      replay.lots[effect.lot]?.granted = max(lot.granted, free)
    }
  }

  private mutating func checkHeld(_ effect: EffectRow, _ replay: Replay) {
    let held = replay.effects.held[effect.account] ?? 0
    if Int128(effect.heldAfter) != held {
      report(
        "effects_replay", currency: effect.currency,
        "transaction \(effect.transaction) leaves \(effect.heldAfter) on hold of \(name(of: effect.account)); the "
          + "replay gives \(held)")
    }
  }

  // MARK: Projections

  /// Compares holds and counts with the replayed journal events of the window's customers.
  mutating func compareEffects(_ replay: inout Replay) throws(LedgerError) {
    try compareHolds(&replay)
    try compareCounts(&replay)
    for (account, held) in replay.effects.held where replay.accounts[account]?.isSeen != true {
      report(
        "holds_replay", currency: account.currency, "\(name(of: account)) should hold \(held) and has no account row")
    }
  }

  /// Until when nothing that is on hold of an account ends.
  func firstDeadlines(_ replay: Replay) -> [AccountNumber: Int64] {
    var first: [AccountNumber: Int64] = [:]
    for hold in replay.effects.holds.values {
      for part in hold.parts.keys { first[part.account] = min(first[part.account] ?? .max, hold.deadline) }
    }
    return first
  }

  private mutating func compareHolds(_ replay: inout Replay) throws(LedgerError) {
    var last: TransactionNumber = 0
    while true {
      let page = try scan.holds(after: last, limit: ScanPage.size)
      guard let end = page.last?.number else { break }
      for row in page where replay.customers.contains(replay.root(row.customer)) {
        let hold = replay.effects.holds.removeValue(forKey: row.number)
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
    for (number, hold) in replay.effects.holds {
      report("holds_replay", "hold \(number) of customer number \(hold.owner) is open and has no row")
    }
  }

  /// What the row itself says of its effects.
  private mutating func compareWords(of row: HoldRow, _ hold: EffectReplay.Hold) {
    if let begunAt = row.begunAt, begunAt != hold.begunAt {
      report("holds_replay", "hold \(row.number) says that it began at \(begunAt); the effects say \(hold.begunAt)")
    }
    guard let sole = row.sole else { return }
    let account = AccountNumber(customer: row.customer, currency: sole.currency)
    guard hold.parts != [EffectReplay.Part(account: account, lot: sole.lot): Int128(sole.amount)] else { return }
    report(
      "holds_replay", currency: sole.currency,
      "hold \(row.number) says that it has \(sole.amount) of lot \(sole.lot) alone; the effects say otherwise")
  }

  private mutating func compareCounts(_ replay: inout Replay) throws(LedgerError) {
    var last: CountRow?
    while true {
      let page = try scan.counts(after: last, limit: ScanPage.size)
      if page.isEmpty { break }
      for row in page where replay.customers.contains(replay.root(row.customer)) {
        let place = EffectReplay.CountPlace(customer: row.customer, key: number(of: row.key))
        let count = replay.effects.counts.removeValue(forKey: place)
        let isOver = replay.root(row.customer) != row.customer
        if isOver || count != EffectReplay.Count(period: row.period, value: row.value) {
          report(
            "counts_replay",
            "the count \(row.key.kind) of \"\(row.key.subject)\" of customer number \(row.customer) is \(row.value); "
              + "the effects say \(isOver ? "nothing" : count.map { "\($0.value)" } ?? "nothing")")
        }
      }
      last = page.last
    }
    // The counts of merged customers continue with their surviving customers.
    for place in replay.effects.counts.keys where replay.root(place.customer) == place.customer {
      report("counts_replay", "a count of customer number \(place.customer) has no row")
    }
  }

  private mutating func number(of key: CountKey) -> Int32 {
    if let known = countKeys[key] { return known }
    let number = Int32(truncatingIfNeeded: countKeys.count)
    countKeys[key] = number
    return number
  }
}
