internal import GemLedger

/// Checks every transaction against the previous transaction and against its entries.
struct TransactionCheck {
  private(set) var tally = JournalTally()
  private let context: VerifyContext
  private var walk: TransactionWalk
  /// If numbers have gaps, the time of the newest transaction of each lane.
  private var laneTimes = [Timestamp](repeating: Timestamp(milliseconds: .min), count: Numbering.laneCountMax)
  /// Transactions that must be in histories, collected for a batch read.
  private var withoutEntries: [TransactionRow] = []

  init(_ context: VerifyContext) {
    self.context = context
    walk = TransactionWalk(context.scan)
  }

  /// Advances to the transaction of this entry, and compares the two.
  mutating func check(_ entry: EntryRow, _ merges: MergedCustomers) throws(LedgerError) {
    while let next = try walk.next(upTo: entry) { try enter(next) }
    let isFirst = !walk.hasEntries
    walk.hasEntries = true
    guard let transaction = walk.current, transaction.number == entry.transaction else {
      context.report(
        "entries_have_transactions",
        "entry \(entry.number) names transaction \(entry.transaction), which is missing or has other entries")
      return
    }
    // A transaction is found by its first entry.
    if isFirst, transaction.firstEntry != entry.number {
      context.report(
        "entries_have_transactions",
        "transaction \(transaction.number) begins at entry \(transaction.firstEntry); its first is \(entry.number)")
    }
    compare(transaction, entry, merges)
  }

  private func compare(_ transaction: TransactionRow, _ entry: EntryRow, _ merges: MergedCustomers) {
    let isMerged =
      (transaction.kind == .merge || transaction.kind == .unmerge)
      && merges.survivor(of: transaction.customer) == merges.survivor(of: entry.account.customer)
    if transaction.customer != entry.account.customer, !isMerged {
      context.report(
        "entries_have_transactions",
        "entry \(entry.number) is of customer number \(entry.account.customer), its transaction "
          + "\(transaction.number) of "
          + "\(transaction.customer)")
    }
    let fits =
      transaction.kind == .mixed || transaction.kind == entry.kind
      || transaction.kind == .capture && entry.kind == .spend
      // The debt is no longer owed: its amount was returned and taken.
      || transaction.kind == .refund && entry.kind == .reversedRefund
    if !fits || !entry.kind.permits(entry.amount) {
      context.report(
        "kinds_fit", currency: entry.account.currency,
        "entry \(entry.number) of \(entry.amount) is of kind \(entry.kind.name) in a transaction of kind "
          + "\(transaction.kind.name)")
    }
  }

  /// Reads the transactions after the last entry.
  mutating func finish() throws(LedgerError) {
    while let next = try walk.next() { try enter(next) }
    if let last = walk.current, !walk.hasEntries { withoutEntries.append(last) }
    try checkHistories()
  }

  private mutating func enter(_ row: TransactionRow) throws(LedgerError) {
    if let left = walk.current, !walk.hasEntries {
      withoutEntries.append(left)
      if withoutEntries.count >= ScanPage.size { try checkHistories() }
    }
    if let counts = context.counts {
      checkPlace(of: row, after: walk.current, isSparse: counts.isSparse)
    } else {
      checkPlace(of: row, after: walk.current)
    }
    tally.add(row)
    walk.advance()
  }

  /// Checks, for numbers without gaps, that a transaction directly follows the previous transaction.
  private func checkPlace(of row: TransactionRow, after previous: TransactionRow?) {
    let expected = (previous?.number ?? 0) + 1
    if row.number != expected {
      context.report("transactions_are_complete", "transactions \(expected) to \(row.number - 1) are missing")
    }
    if let previous, row.createdAt < previous.createdAt {
      context.report("journal_time_goes_on", "transaction \(row.number) is older than its predecessor")
    }
    if row.firstEntry < previous?.firstEntry ?? 1 {
      context.report("entries_have_transactions", "transaction \(row.number) begins before the one before it")
    }
  }

  /// Checks, for numbers with gaps, that time ascends within each lane.
  ///
  /// Numbers that were drawn without lanes are in order in each lane. Sparse numbers determine the transactions' first
  /// entries.
  private mutating func checkPlace(of row: TransactionRow, after previous: TransactionRow?, isSparse: Bool) {
    let lane = Int(Numbering.lane(of: row.number))
    if row.createdAt < laneTimes[lane] {
      context.report(
        "journal_time_goes_on", "transaction \(row.number) is older than its predecessor in lane \(lane)")
    }
    laneTimes[lane] = row.createdAt
    guard isSparse else {
      if row.firstEntry < previous?.firstEntry ?? 1 {
        context.report("entries_have_transactions", "transaction \(row.number) begins before the one before it")
      }
      return
    }
    // Shifted instead of computed as a range: a damaged number may have no room for entries.
    let expected = row.number << Numbering.entryBits
    if row.firstEntry != expected {
      context.report(
        "entries_have_transactions",
        "transaction \(row.number) begins at entry \(row.firstEntry); by its number it begins at \(expected)")
    }
  }

  /// Checks that transactions without entries are in their customers' histories.
  private mutating func checkHistories() throws(LedgerError) {
    guard !withoutEntries.isEmpty else { return }
    let listed = try context.snapshot.transactionsWithoutEntries(
      withoutEntries.map { RowAddress($0.number, of: $0.customer) })
    let customers = try context.snapshot.customers(withoutEntries.map(\.customer).distinct())
    for row in withoutEntries {
      if !listed.contains(row.number) {
        context.report(
          "histories_are_complete",
          "transaction \(row.number) without entries is missing in the history of customer number \(row.customer)")
      }
      if customers[row.customer] == nil {
        context.report(
          "customers_are_known", "the customer of transaction \(row.number), number \(row.customer), has no row")
      }
    }
    withoutEntries.removeAll(keepingCapacity: true)
  }
}
