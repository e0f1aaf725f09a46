internal import GemLedger

extension Verifier {
  /// Goes on to the transaction of this entry, and compares the two.
  mutating func checkTransaction(
    of entry: EntryRow, _ walk: inout TransactionWalk, _ replay: Replay
  ) throws(LedgerError) {
    // A transaction of this entry that wrongly says that it begins further on must not hold up the others.
    while let next = try walk.next(), next.firstEntry <= entry.number || next.number == entry.transaction {
      try enter(next, &walk)
    }
    let isFirst = !walk.hasEntries
    walk.hasEntries = true
    guard let transaction = walk.current, transaction.number == entry.transaction else {
      report(
        "entries_have_transactions",
        "entry \(entry.number) names transaction \(entry.transaction), which is missing or has other entries")
      return
    }
    // A transaction is found by its first entry.
    if isFirst, transaction.firstEntry != entry.number {
      report(
        "entries_have_transactions",
        "transaction \(transaction.number) begins at entry \(transaction.firstEntry); its first is \(entry.number)")
    }
    compare(transaction, entry, replay)
  }

  private mutating func compare(_ transaction: TransactionRow, _ entry: EntryRow, _ replay: Replay) {
    let isMerged =
      transaction.kind == .merge
      && replay.survivingCustomer(transaction.customer) == replay.survivingCustomer(entry.account.customer)
    if transaction.customer != entry.account.customer, !isMerged {
      report(
        "entries_have_transactions",
        "entry \(entry.number) is of customer number \(entry.account.customer), its transaction "
          + "\(transaction.number) of "
          + "\(transaction.customer)")
    }
    let fits =
      transaction.kind == .mixed || transaction.kind == entry.kind
      || transaction.kind == .capture && entry.kind == .spend
      // A debt that is no longer owed, since its amount came back and was taken.
      || transaction.kind == .refund && entry.kind == .reversedRefund
    if !fits || entry.kind == .mixed || entry.kind.hasSign(against: entry.amount) {
      report(
        "kinds_fit", currency: entry.account.currency,
        "entry \(entry.number) of \(entry.amount) is of kind \(entry.kind.name) in a transaction of kind "
          + "\(transaction.kind.name)")
    }
  }

  /// Walks over the transactions behind the last entry, and compares the rows with the counts.
  mutating func finish(_ walk: inout TransactionWalk, entryCount: Int64) throws(LedgerError) {
    while let next = try walk.next() { try enter(next, &walk) }
    if let last = walk.current, !walk.hasEntries { withoutEntries.append(last) }
    try checkHistories()
    guard let counts else { return }
    if counts.transactions != transactionCount {
      report(
        "transactions_are_complete",
        "there are \(transactionCount) transactions; the storage counted \(counts.transactions)")
    }
    if counts.entries != entryCount {
      report("entries_are_complete", "there are \(entryCount) entries; the storage counted \(counts.entries)")
    }
  }

  private mutating func enter(_ row: TransactionRow, _ walk: inout TransactionWalk) throws(LedgerError) {
    if let left = walk.current, !walk.hasEntries {
      withoutEntries.append(left)
      if withoutEntries.count >= ScanPage.size { try checkHistories() }
    }
    if let counts {
      checkPlace(of: row, after: walk.current, isSparse: counts.isSparse)
    } else {
      checkPlace(of: row, after: walk.current)
    }
    count(row)
    walk.advance()
  }

  /// Without gaps, a transaction follows the one before it in every way.
  private mutating func checkPlace(of row: TransactionRow, after previous: TransactionRow?) {
    let expected = (previous?.number ?? 0) + 1
    if row.number != expected {
      report("transactions_are_complete", "transactions \(expected) to \(row.number - 1) are missing")
    }
    if let previous, row.createdAt < previous.createdAt {
      report("journal_time_goes_on", "transaction \(row.number) is older than the one before it")
    }
    if row.firstEntry < previous?.firstEntry ?? 1 {
      report("entries_have_transactions", "transaction \(row.number) begins before the one before it")
    }
  }

  /// With gaps, time goes on in its lane; numbers that were drawn without lanes are in order in each of them.
  ///
  /// Where numbers are sparse, they say where transactions begin.
  private mutating func checkPlace(of row: TransactionRow, after previous: TransactionRow?, isSparse: Bool) {
    let lane = Int(Numbering.lane(of: row.number))
    if row.createdAt < laneTimes[lane] {
      report("journal_time_goes_on", "transaction \(row.number) is older than the one before it in lane \(lane)")
    }
    laneTimes[lane] = row.createdAt
    guard isSparse else {
      if row.firstEntry < previous?.firstEntry ?? 1 {
        report("entries_have_transactions", "transaction \(row.number) begins before the one before it")
      }
      return
    }
    // Shifted, not asked for as a range: a damaged number may have no room for entries.
    let expected = row.number << Numbering.entryBits
    if row.firstEntry != expected {
      report(
        "entries_have_transactions",
        "transaction \(row.number) begins at entry \(row.firstEntry); by its number it begins at \(expected)")
    }
  }

  private mutating func count(_ row: TransactionRow) {
    transactionCount += 1
    switch row.kind {
    case .purchase: purchaseCount += 1
    case .refund, .reversedRefund: refundTransactionCount += 1
    case .freeze, .unfreeze, .erase:
      if row.kind == .erase { erasedCustomers.insert(row.customer) }
      freezeEvents.append(
        FreezeEvent(transaction: row.number, customer: row.customer, kind: .byPerson(row.kind != .unfreeze)))
    case .hold, .extend, .release, .capture, .reversal: eventKindCounts[row.kind, default: 0] += 1
    default: break
    }
  }

  /// A transaction without entries is found in its customer's history.
  private mutating func checkHistories() throws(LedgerError) {
    guard !withoutEntries.isEmpty else { return }
    let listed = try snapshot.transactionsWithoutEntries(
      withoutEntries.map { RowAddress($0.number, of: $0.customer) })
    let customers = try snapshot.customers(Self.distinct(withoutEntries.map(\.customer)))
    for row in withoutEntries {
      if !listed.contains(row.number) {
        report(
          "histories_are_complete",
          "transaction \(row.number) without entries is missing in the history of customer number \(row.customer)")
      }
      if customers[row.customer] == nil {
        report("customers_are_known", "transaction \(row.number) is of customer number \(row.customer), who has no row")
      }
    }
    withoutEntries.removeAll(keepingCapacity: true)
  }

  /// Checks that new rows get numbers that are not in use.
  mutating func checkSequences() throws(LedgerError) {
    // Sparse numbers are drawn from no sequence.
    guard counts?.isSparse != true else { return }
    let last = try snapshot.last(.lot)
    if last < highestLot {
      report("sequences_go_on", "the next lot would be number \(last + 1); lot \(highestLot) is there already")
    }
  }
}

extension EntryKind {
  /// Whether an entry of this kind and amount has the wrong sign.
  fileprivate func hasSign(against amount: Int64) -> Bool {
    switch self {
    case .purchase, .grant, .reversedRefund, .recharge, .initial: amount < 0
    case .spend, .expiry, .refund: amount > 0
    case .reversal, .transfer, .exchange, .merge, .mixed: false
    // These touch no balance.
    case .freeze, .unfreeze, .hold, .extend, .release, .capture, .erase: true
    }
  }
}
