internal import GemLedger

/// Replays the holds of one window's customers, event by event, and compares them with their rows.
struct HoldReplay {
  /// An open hold.
  private struct Hold {
    var owner: CustomerNumber
    var deadline: Int64
    let begunAt: Timestamp
    /// The remaining amounts, by account and lot.
    var parts: [Part: Int128] = [:]
  }

  private struct Part: Hashable {
    let account: AccountNumber
    let lot: LotNumber
  }

  private var holds: [TransactionNumber: Hold] = [:]
  /// Empty holds; the current transaction may still hold amounts for them again.
  private var emptied: Set<TransactionNumber> = []
  private var last: TransactionNumber = 0
  /// The amounts that the current transaction captured from lots.
  ///
  /// Its entries, which follow the events, take them out.
  private var captured: [LotNumber: Int128] = [:]
  private let context: VerifyContext
  private let scope: ReplayScope

  init(_ context: VerifyContext, scope: ReplayScope) {
    self.context = context
    self.scope = scope
  }

  mutating func replay(_ event: JournalEventRow, _ accounts: inout AccountReplay) {
    if event.transaction != last {
      if !emptied.isEmpty { forgetEnded() }
      captured.removeAll(keepingCapacity: true)
    }
    last = event.transaction
    switch event.kind {
    case .deadline: setDeadline(event)
    case .held:
      if event.value != 0 { setDeadline(event) }
      setAside(event, &accounts)
    case .captured, .released: setAside(event, &accounts)
    case .late, .reclaimed: checkHeld(event, accounts.held)
    case .counted, .reversal, .linked, .unproven: return
    }
  }

  mutating func forgetEnded() {
    for hold in emptied where holds[hold]?.parts.isEmpty == true { holds[hold] = nil }
    emptied.removeAll(keepingCapacity: true)
  }

  private mutating func setDeadline(_ event: JournalEventRow) {
    let owner = scope.merges.survivor(of: event.customer)
    let known = holds[event.target]
    if event.kind == .held, event.target == event.transaction, known == nil {
      holds[event.target] = Hold(owner: owner, deadline: event.value, begunAt: event.createdAt)
    } else if known?.owner == owner, event.kind == .deadline || known?.deadline == event.value {
      holds[event.target]?.deadline = event.value
    } else {
      context.report(
        "holds_replay",
        "transaction \(event.transaction) sets the deadline of hold \(event.target), which is closed or "
          + "another customer's")
    }
  }

  /// Moves currency between a lot and a hold.
  private mutating func setAside(_ event: JournalEventRow, _ accounts: inout AccountReplay) {
    let amount = Int128(event.heldChange)
    let part = Part(account: event.account, lot: event.lot)
    let left = (holds[event.target]?.parts[part] ?? 0) + amount
    if holds[event.target] == nil || left < 0 {
      context.report(
        "holds_replay", currency: event.currency,
        "transaction \(event.transaction) moves \(amount) of lot \(event.lot) to hold \(event.target), which is not "
          + "open or has less")
    }
    holds[event.target]?.parts[part] = left == 0 ? nil : left
    if left == 0 { emptied.insert(event.target) }
    let ofLot = accounts.held.move(amount, of: event.lot, in: event.account)
    checkHeld(event, accounts.held)
    guard let lot = accounts.lots[event.lot], scope.areOne(lot.account, event.account) else {
      context.report(
        "lots_belong_to_accounts", currency: event.currency,
        "transaction \(event.transaction) moves lot \(event.lot) of \(context.name(of: event.account)), which "
          + "does not own it")
      return
    }
    if lot.fold.remaining < ofLot, amount > 0 {
      context.report(
        "lots_are_never_overdrawn", currency: event.currency,
        "transaction \(event.transaction) holds more of lot \(event.lot) than it contains")
    }
    if event.kind == .captured { captured[event.lot, default: 0] -= amount }
    // A returned amount may make the lot larger than its entries did.
    if event.kind == .released {
      accounts.lots[event.lot]?.fold.fill(to: lot.fold.remaining - ofLot - (captured[event.lot] ?? 0))
    }
  }

  private func checkHeld(_ event: JournalEventRow, _ amounts: HeldAmounts) {
    let held = amounts.ofAccount(event.account)
    if Int128(event.heldAfter) != held {
      context.report(
        "effects_replay", currency: event.currency,
        "transaction \(event.transaction) leaves \(event.heldAfter) on hold of \(context.name(of: event.account)); the "
          + "replay gives \(held)")
    }
  }

  // MARK: Projections

  /// For each account with holds, the earliest end of a hold.
  var firstDeadlines: [AccountNumber: Int64] {
    var first: [AccountNumber: Int64] = [:]
    for hold in holds.values {
      for part in hold.parts.keys { first[part.account] = min(first[part.account] ?? .max, hold.deadline) }
    }
    return first
  }

  mutating func compare() throws(LedgerError) {
    try context.pages(after: .blank) { (page: [HoldRow]) throws(LedgerError) in
      for row in page where scope.covers(row.customer) { compare(row) }
    }
    for (number, hold) in holds.inKeyOrder {
      context.report("holds_replay", "hold \(number) of customer number \(hold.owner) is open and has no row")
    }
  }

  private mutating func compare(_ row: HoldRow) {
    let hold = holds.removeValue(forKey: row.number)
    if hold?.owner != scope.merges.survivor(of: row.customer) || scope.merges.isMerged(row.customer)
      || hold?.deadline != row.deadline.milliseconds || hold?.parts.isEmpty != false
    {
      context.report(
        "holds_replay",
        "hold \(row.number) of customer number \(row.customer) is open until \(row.deadline); the effects give "
          + (hold.map { "customer number \($0.owner), \(Timestamp(milliseconds: $0.deadline))" } ?? "no such hold"))
    }
    if let hold { compareFields(of: row, hold) }
  }

  /// Compares the fields of the row with its events.
  private func compareFields(of row: HoldRow, _ hold: Hold) {
    if let begunAt = row.begunAt, begunAt != hold.begunAt {
      context.report(
        "holds_replay", "hold \(row.number) records the beginning \(begunAt); the effects give \(hold.begunAt)")
    }
    guard let sole = row.sole else { return }
    let account = AccountNumber(customer: row.customer, currency: sole.currency)
    guard hold.parts != [Part(account: account, lot: sole.lot): Int128(sole.amount)] else { return }
    context.report(
      "holds_replay", currency: sole.currency,
      "hold \(row.number) records only \(sole.amount) of lot \(sole.lot); the effects differ")
  }
}
