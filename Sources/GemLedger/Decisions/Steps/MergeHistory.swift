/// The merges into a customer, their unmerges, and the resulting shares in the customer's accounts.
struct MergeHistory {
  private struct Merge {
    let row: MergeRow
    /// The unmerge that undid it; `.max` if none did.
    let undoneBy: TransactionNumber
    /// The customers that it brought.
    let members: [CustomerNumber]

    func isInForce(at transaction: TransactionNumber) -> Bool {
      row.transaction < transaction && transaction < undoneBy
    }
  }

  private typealias Step = (entry: EntryRow, amounts: [(lot: LotNumber, amount: Int64)], cause: MergedShares.Cause)

  let survivor: CustomerNumber
  private let merges: [Merge]
  /// The merge that is undone now, as a position among the owners of shares.
  let position: Int

  /// - Parameter merge: A merge into the customer that is not undone.
  init(around merge: MergeRow, _ work: borrowing UnitOfWork) throws(LedgerError) {
    survivor = merge.into
    let rows = try work.customers.mergeRecords(of: merge.into).filter { !$0.isUnmerge }.map(\.row)
    merges = try rows.gather { (row) throws(LedgerError) in
      let undone = try work.customers.mergeRecords(of: row.from).first {
        $0.isUnmerge && $0.row.from == merge.into && $0.row.transaction > row.transaction
      }
      let followers = try MergeRules.followers(of: row.from, before: row.transaction) {
        (number) throws(LedgerError) in
        try work.customers.mergeRecords(of: number)
      }
      return Merge(row: row, undoneBy: undone?.row.transaction ?? .max, members: [row.from] + followers)
    }
    guard let index = rows.firstIndex(of: merge) else { throw .lacksTransaction(merge.transaction) }
    position = index + 1
  }

  /// Reads the shares of an account.
  ///
  /// - Parameter present: The amounts that its lots hold now, held amounts included.
  func shares(_ work: borrowing UnitOfWork, slot: Int, present: [LotNumber: Int64]) throws(LedgerError) -> MergedShares
  {
    let account = work.accounts[slot].row
    let steps = try steps(work, of: account.number)
    var (owned, debt) = (present, account.debt)
    for step in steps {
      for (lot, amount) in step.amounts { owned[lot, default: 0] -= amount }
      debt -= step.entry.debtChange(step.amounts)
    }
    var shares = MergedShares(owned: owned, debt: debt, undoneBy: merges.map(\.undoneBy))
    for step in steps.reversed() {
      shares.add(step.entry, step.amounts, step.cause)
    }
    return shares
  }

  /// Returns the account's entries since all its currency belonged to the customer, newest first.
  private func steps(_ work: borrowing UnitOfWork, of account: AccountNumber) throws(LedgerError) -> [Step] {
    var start = startOfMerges(before: merges[position - 1].row.transaction)
    while true {
      let steps = try entries(work, of: account, since: start).gather {
        (entry, amounts) throws(LedgerError) in
        (entry, amounts, try cause(of: entry, work))
      }
      // The shares that a refund took from follow from the refund's entry, so that entry is needed too.
      var earliest = start
      for (entry, _, cause) in steps where entry.kind == .reversedRefund {
        if case .givingBack(let refunds, _) = cause { earliest = min(earliest, refunds.first ?? start) }
      }
      guard earliest < start else { return steps }
      start = startOfMerges(before: earliest)
    }
  }

  /// Returns a transaction at or before the given one at which no merge into the customer was in force.
  private func startOfMerges(before transaction: TransactionNumber) -> TransactionNumber {
    var start = transaction
    while let earlier = merges.first(where: { $0.isInForce(at: start) }) { start = earlier.row.transaction }
    return start
  }

  /// Returns the account's entries since a transaction, newest first.
  private func entries(
    _ work: borrowing UnitOfWork, of account: AccountNumber, since oldest: TransactionNumber
  ) throws(LedgerError) -> [(EntryRow, [(lot: LotNumber, amount: Int64)])] {
    var found: [(EntryRow, [(lot: LotNumber, amount: Int64)])] = []
    for entry in work.journal.entries.reversed() where entry.account == account {
      guard entry.transaction >= oldest else { return found }
      found.append((entry, entry.amounts(among: work.journal.allocations)))
    }
    guard let stored = try work.session.account(account), stored.lastEntry != 0 else { return found }
    let history = AccountHistory(snapshot: work.session, account: stored)
    var next = try work.session.entry(stored.lastEntry, of: account.customer)
    while let entry = next, entry.transaction >= oldest {
      let allocations = entry.lot == 0 ? try work.session.allocations(of: entry.number, of: account.customer) : []
      found.append((entry, entry.amounts(among: allocations)))
      next = try history.previous(entry)
    }
    return found
  }

  private func cause(of entry: EntryRow, _ work: borrowing UnitOfWork) throws(LedgerError) -> MergedShares.Cause {
    switch entry.kind {
    case .merge:
      let index = merges.firstIndex { $0.row.transaction == entry.transaction }
      return index.map { .merge($0 + 1) } ?? .departure
    case .unmerge:
      let index = merges.firstIndex { $0.undoneBy == entry.transaction }
      return index.map { .unmerge($0 + 1) } ?? .comeback
    case .reversal:
      let events = try work.journal.events(of: entry.transaction, ofAny: [survivor])
      guard let target = events.first(where: { $0.kind == .reversal })?.target else { break }
      var row = work.journal.own(target)
      if row == nil { row = try work.session.transaction(target) }
      guard let row else { throw .lacksTransaction(target) }
      return .givingBack([target], owner: owner(of: row.customer, at: entry))
    case .reversedRefund:
      let owners = [survivor] + merges.flatMap(\.members)
      // Returned currency that repaid a debt has no refund.
      guard let refund = try work.purchases.refund(bookedBy: entry.transaction, ofAny: owners) else { break }
      guard let purchase = try work.purchases.find(refund.purchase) else {
        throw .lacksTransaction(entry.transaction)
      }
      let before = try work.purchases.refunds(of: purchase).filter { $0.transaction < entry.transaction }
      let standing = before.suffix(before.count - ((before.lastIndex { $0.share == .none } ?? -1) + 1))
      return .givingBack(standing.map(\.transaction), owner: owner(of: purchase.customer, at: entry))
    default: break
    }
    return .booking(entry.transaction)
  }

  /// Returns the owner of the amounts that customer `number` had before its merge into this customer.
  private func owner(of number: CustomerNumber, at entry: EntryRow) -> Int {
    let merge = merges.lastIndex { $0.members.contains(number) && $0.isInForce(at: entry.transaction) }
    return merge.map { $0 + 1 } ?? 0
  }
}

extension EntryRow {
  /// The change of the debt: the part of the amounts that changed no balance.
  func debtChange(_ amounts: [(lot: LotNumber, amount: Int64)]) -> Int64 {
    amounts.reduce(0) { $0 + $1.amount } - amount
  }
}
