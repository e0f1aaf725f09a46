/// The merges into a customer since the oldest one that a merge has to be told apart from, and their unmerges.
struct MergeHistory {
  private struct Merge {
    let row: MergeRow
    /// The unmerge that undid it; 0 where none did.
    let undoneBy: TransactionNumber
    /// The customers that it brought.
    let members: [CustomerNumber]
  }

  let survivor: CustomerNumber
  private let merges: [Merge]
  /// The merge's position among the owners of shares.
  let position: Int

  /// - Parameter merge: A merge into the customer that is not undone.
  init(
    around merge: MergeRow, _ work: borrowing UnitOfWork, session: any StorageSnapshot
  ) throws(LedgerError) {
    survivor = merge.into
    var merges: [Merge] = []
    for record in try MergeRecords.records(of: merge.into, work, session: session) where !record.isUnmerge {
      let row = record.row
      let undone = try MergeRecords.records(of: row.from, work, session: session).first {
        $0.isUnmerge && $0.row.from == merge.into && $0.row.transaction > row.transaction
      }
      let followers = try MergeRules.followers(of: row.from) { (number) throws(LedgerError) in
        try MergeRecords.records(of: number, work, session: session)
      }
      merges.append(
        Merge(row: row, undoneBy: undone?.row.transaction ?? 0, members: [row.from] + followers))
    }
    let oldest = merges.firstIndex { $0.undoneBy == 0 || $0.undoneBy > merge.transaction } ?? 0
    self.merges = Array(merges[oldest...])
    guard let index = self.merges.firstIndex(where: { $0.row == merge }) else {
      throw .lacksTransaction(merge.transaction)
    }
    position = index + 1
  }

  /// Reads the shares of an account.
  ///
  /// - Parameter present: What its lots hold now, held amounts included.
  func shares(
    _ work: inout UnitOfWork, slot: Int, present: [LotNumber: Int64], session: any StorageSnapshot
  ) throws(LedgerError) -> MergedShares {
    let account = work.accounts[slot].row
    let entries = try entries(work, of: account.number, session: session)
    var (owned, debt) = (present, account.debt)
    for (entry, amounts) in entries {
      for (lot, amount) in amounts { owned[lot, default: 0] -= amount }
      debt -= entry.debtChange(amounts)
    }
    var shares = MergedShares(owned: owned, debt: debt, merges: merges.count)
    for (entry, amounts) in entries.reversed() {
      shares.add(
        amounts, debtChange: entry.debtChange(amounts), try cause(of: entry, &work, session: session))
    }
    return shares
  }

  /// The account's entries since the oldest merge, newest first.
  private func entries(
    _ work: borrowing UnitOfWork, of account: AccountNumber, session: any StorageSnapshot
  ) throws(LedgerError) -> [(EntryRow, [(lot: LotNumber, amount: Int64)])] {
    let oldest = merges[0].row.transaction
    var found: [(EntryRow, [(lot: LotNumber, amount: Int64)])] = []
    for entry in work.changes.entries.reversed() where entry.account == account {
      guard entry.transaction >= oldest else { return found }
      found.append((entry, entry.amounts(among: work.changes.allocations)))
    }
    guard let stored = try session.account(account), stored.lastEntry != 0 else { return found }
    let history = AccountHistory(snapshot: session, account: stored)
    var next = try session.entry(stored.lastEntry, of: account.customer)
    while let entry = next, entry.transaction >= oldest {
      let allocations = entry.lot == 0 ? try session.allocations(of: entry.number, of: account.customer) : []
      found.append((entry, entry.amounts(among: allocations)))
      next = try history.previous(entry)
    }
    return found
  }

  private func cause(
    of entry: EntryRow, _ work: inout UnitOfWork, session: any StorageSnapshot
  ) throws(LedgerError) -> MergedShares.Cause {
    switch entry.kind {
    case .merge:
      let index = merges.firstIndex { $0.row.transaction == entry.transaction }
      return index.map { .merge($0 + 1) } ?? .departure
    case .unmerge:
      let index = merges.firstIndex { $0.undoneBy == entry.transaction }
      return index.map { .unmerge($0 + 1) } ?? .comeback
    case .reversal:
      let events = try work.events(of: entry.transaction, ofAny: [survivor], session: session)
      guard let target = events.first(where: { $0.kind == .reversal })?.target else { break }
      var row = work.transaction(target)
      if row == nil { row = try session.transaction(target) }
      guard let row else { throw .lacksTransaction(target) }
      return .givingBack(.transaction(target), takenFrom: owner(row.customer))
    case .refund, .reversedRefund:
      let owners = [survivor] + merges.flatMap(\.members)
      guard let refund = try work.refund(bookedBy: entry.transaction, ofAny: owners, session: session),
        let purchase = try JournalLookup.purchase(&work, refund.purchase, session: session)
      else { throw .lacksTransaction(entry.transaction) }
      let source = MergedShares.Source.refundsOfPurchase(purchase.number)
      return entry.kind == .refund ? .booking(source) : .givingBack(source, takenFrom: owner(purchase.customer))
    default: break
    }
    return .booking(.transaction(entry.transaction))
  }

  /// Whose share it is what a customer of that number had before the merges.
  private func owner(_ number: CustomerNumber) -> Int {
    merges.lastIndex { $0.members.contains(number) }.map { $0 + 1 } ?? 0
  }
}

extension EntryRow {
  /// By how much it changed the debt: the part that changed no balance.
  func debtChange(_ amounts: [(lot: LotNumber, amount: Int64)]) -> Int64 {
    amounts.reduce(0) { $0 + $1.amount } - amount
  }
}
