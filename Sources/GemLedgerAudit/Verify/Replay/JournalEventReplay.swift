internal import GemLedger

/// Replays the journal events of one window's customers in parallel with the entries.
struct JournalEventReplay {
  private(set) var holds: HoldReplay
  private var counts: CountReplay
  /// Events that hold amounts; the amounts leave the balance after the entries of the same transaction.
  private var waiting: [JournalEventRow] = []
  private var walk: JournalEventWalk
  private let scope: ReplayScope

  init(_ context: VerifyContext, scope: ReplayScope) throws(LedgerError) {
    self.scope = scope
    holds = HoldReplay(context, scope: scope)
    counts = CountReplay(context, scope: scope)
    walk = try JournalEventWalk(context.scan)
  }

  /// Whether there are events before the entries of the transaction.
  func isDue(before transaction: TransactionNumber) -> Bool { transaction >= walk.next || !waiting.isEmpty }

  /// Replays the events up to a transaction, before its entries are replayed.
  mutating func replay(
    through transaction: TransactionNumber, _ accounts: inout AccountReplay
  ) throws(LedgerError) {
    finishWaiting(before: transaction, &accounts)
    while walk.next <= transaction, let event = try walk.pop() {
      guard scope.covers(event.customer) else { continue }
      finishWaiting(before: event.transaction, &accounts)
      if event.kind == .held { waiting.append(event) } else { replay(event, &accounts) }
    }
    // Amounts held by a transaction without entries are held before the entries of the next one.
    finishWaiting(before: transaction, &accounts)
  }

  /// Replays the events after the last entry.
  mutating func finish(_ accounts: inout AccountReplay) throws(LedgerError) {
    try replay(through: .max, &accounts)
    holds.forgetEnded()
  }

  /// Compares holds and counts with the replay.
  mutating func compare() throws(LedgerError) {
    try holds.compare()
    try counts.compare()
  }

  private mutating func finishWaiting(before transaction: TransactionNumber, _ accounts: inout AccountReplay) {
    guard let first = waiting.first, first.transaction < transaction else { return }
    let events = waiting
    waiting.removeAll(keepingCapacity: true)
    for event in events { replay(event, &accounts) }
  }

  private mutating func replay(_ event: JournalEventRow, _ accounts: inout AccountReplay) {
    holds.replay(event, &accounts)
    if event.kind == .counted { counts.replay(event) }
  }
}
