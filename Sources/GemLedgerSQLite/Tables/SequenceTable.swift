internal import GemLedger

/// The last assigned numbers.
struct SequenceTable {
  let statements: StatementRunner
  let copies: CopyTable

  func sequences() throws(LedgerError) -> Sequences {
    var sequences = try ownSequences()
    // In a journal copied from several lanes, the transaction with the highest number need not be the latest.
    if let copied = try copies.copiedJournal() { sequences.createdAt = max(sequences.createdAt, copied.createdAt) }
    return sequences
  }

  private func ownSequences() throws(LedgerError) -> Sequences {
    try statements.translating { () throws(SQLiteFailure) in
      let (lastTransaction, lastEntry) = (try statements.hot(.lastTransaction), try statements.hot(.lastEntry))
      let lastPlain = try statements.hot(.lastPlainTransaction)
      defer { for statement in [lastTransaction, lastEntry, lastPlain] { statement.reset() } }
      var sequences = Sequences()
      if try lastTransaction.step() {
        sequences.transaction = try lastTransaction.transaction(0)
        sequences.createdAt = try lastTransaction.instant(1)
      }
      if try lastEntry.step() { sequences.entry = try lastEntry.entry(0) }
      guard try lastPlain.step() else { return sequences }
      var runs = EntryRuns(statements)
      let number = try lastPlain.transaction(0)
      sequences.entry = max(sequences.entry, try runs.entry(of: number))
      guard number > sequences.transaction else { return sequences }
      sequences.transaction = number
      sequences.createdAt = try lastPlain.instant(1)
      return sequences
    }
  }

  func journalCounts() throws(LedgerError) -> JournalCounts? {
    guard let copied = try copies.copiedJournal() else { return nil }
    let last = try sequences()
    return JournalCounts(
      transactions: copied.counts.transactions + max(0, last.transaction - copied.lastTransaction),
      entries: copied.counts.entries + max(0, last.entry - copied.lastEntry), isSparse: false)
  }

  func last(_ sequence: ColdSequence) throws(LedgerError) -> Int64 {
    switch sequence {
    case .customer: try number("SELECT max(customer) FROM customers")
    // The first pooled lot of an account has no row, hence the separate table.
    case .lot: statements.replacesOrphans ? try lastLotOfAnyRow() : try number("SELECT last FROM lot_sequence")
    case .purchase: try number("SELECT max(purchase) FROM purchases")
    case .environment: try number("SELECT max(environment) FROM environments")
    case .order: try number("SELECT max(number) FROM orders")
    }
  }

  /// Returns the highest lot number, including orphaned rows, so that no lot replaces another.
  private func lastLotOfAnyRow() throws(LedgerError) -> Int64 {
    try number(
      """
      SELECT max(last, coalesce((SELECT max(lot) FROM lots), 0), coalesce((SELECT max(lot) FROM lot_attributes), 0))
      FROM lot_sequence
      """)
  }

  private func number(_ sql: StaticString) throws(LedgerError) -> Int64 {
    try statements.first(sql) { (row) throws(SQLiteFailure) in try row.number(0) } ?? 0
  }
}
