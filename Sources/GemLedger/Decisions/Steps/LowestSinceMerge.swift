/// How little an account had of pooled lots and of debt at any time since a merge.
///
/// A pooled lot mixes what the merge brought with what the survivor had and got since. The survivor's own part counts
/// as spent first, and currency that came later never stands in for merged currency.
struct LowestSinceMerge {
  private(set) var lots: [LotNumber: Int64]
  private(set) var debt: Int64
  /// The amounts after the entry that is looked at next, held ones included.
  private var present: [LotNumber: Int64]
  /// Whether the account had lost everything to a merge that was undone since.
  private var isAway = false

  /// - Parameter present: The present amounts of the lots, held ones included.
  init(present: [LotNumber: Int64], debt: Int64) {
    (lots, self.debt, self.present) = (present, debt, present)
  }

  /// Goes back over the account's next older entry.
  mutating func goBack(over entry: EntryRow, _ amounts: [(lot: LotNumber, amount: Int64)]) {
    note(entry)
    for (lot, amount) in amounts where present[lot] != nil { present[lot, default: 0] -= amount }
    // Between the merge that emptied the account and its undoing the account had nothing of its own.
    if entry.kind == .unmerge, entry.amount > 0 { isAway = true }
    if entry.kind == .merge, entry.amount < 0 { isAway = false }
  }

  /// Ends at the merge's newest entry.
  mutating func end(at entry: EntryRow) { note(entry) }

  private mutating func note(_ entry: EntryRow) {
    guard !isAway else { return }
    for (lot, amount) in present { lots[lot] = min(lots[lot] ?? amount, amount) }
    debt = min(debt, entry.debt)
  }

  /// Reads the account's entries back to the merge.
  static func read(
    _ work: inout UnitOfWork, slot: Int, present: [LotNumber: Int64], since merge: TransactionNumber,
    session: any StorageSnapshot
  ) throws(LedgerError) -> Self {
    let account = work.accounts[slot].row
    var lowest = Self(present: present, debt: account.debt)
    for entry in work.changes.entries.reversed() where entry.account == account.number {
      if entry.transaction == merge {
        lowest.end(at: entry)
        return lowest
      }
      lowest.goBack(over: entry, entry.amounts(among: work.changes.allocations))
    }
    guard let stored = try session.account(account.number), stored.lastEntry != 0 else { return lowest }
    let history = AccountHistory(snapshot: session, account: stored)
    var next = try session.entry(stored.lastEntry, of: account.number.customer)
    while let entry = next, entry.transaction != merge {
      let allocations =
        entry.lot == 0 ? try session.allocations(of: entry.number, of: account.number.customer) : []
      lowest.goBack(over: entry, entry.amounts(among: allocations))
      next = try history.previous(entry)
    }
    if let entry = next { lowest.end(at: entry) }
    return lowest
  }
}
