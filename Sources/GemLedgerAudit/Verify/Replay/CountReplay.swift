internal import GemLedger

/// Replays the counts of one window's customers, and compares them with their rows.
struct CountReplay {
  private struct Slot: Hashable, Comparable {
    let customer: CustomerNumber
    let key: Int32

    static func < (one: Self, other: Self) -> Bool { (one.customer, one.key) < (other.customer, other.key) }
  }

  private struct Count {
    let period: Int64
    let value: Int64
    /// The transaction that set the count.
    let transaction: TransactionNumber
  }

  private var counts: [Slot: Count] = [:]
  /// The index of each distinct count.
  private var keys: [CountKey: Int32] = [:]
  private let context: VerifyContext
  private let scope: ReplayScope

  init(_ context: VerifyContext, scope: ReplayScope) {
    self.context = context
    self.scope = scope
  }

  mutating func replay(_ event: JournalEventRow) {
    guard let key = event.count else { return }
    let slot = Slot(customer: event.customer, key: number(of: key))
    counts[slot] = Count(period: event.period, value: event.value, transaction: event.transaction)
  }

  mutating func compare() throws(LedgerError) {
    try context.pages { (page: [CountRow]) throws(LedgerError) in
      for row in page where scope.covers(row.customer) { compare(row) }
    }
    // The counts of merged customers continue with their surviving customers.
    for slot in counts.keys.sorted() where !scope.merges.isMerged(slot.customer) {
      // The merge ended these counts; the unmerge set the counts from which the customer continues.
      if let set = counts[slot]?.transaction, set < scope.merges.unmerges[slot.customer] ?? 0 { continue }
      context.report("counts_replay", "a count of customer number \(slot.customer) has no row")
    }
  }

  private mutating func compare(_ row: CountRow) {
    let count = counts.removeValue(forKey: Slot(customer: row.customer, key: number(of: row.key)))
    let isOver = scope.merges.isMerged(row.customer)
    guard isOver || count?.period != row.period || count?.value != row.value else { return }
    context.report(
      "counts_replay",
      "the count \(row.key.kind) of \"\(row.key.subject)\" of customer number \(row.customer) is \(row.value); "
        + "the effects give \(isOver ? "nothing" : count.map { "\($0.value)" } ?? "nothing")")
  }

  private mutating func number(of key: CountKey) -> Int32 {
    if let known = keys[key] { return known }
    let number = Int32(truncatingIfNeeded: keys.count)
    keys[key] = number
    return number
  }
}
