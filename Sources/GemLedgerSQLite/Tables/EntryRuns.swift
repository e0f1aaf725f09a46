internal import CSQLite
internal import GemLedger

/// Maps the numbers of plain transactions to those of their entries, and back.
///
/// It keeps the run of the last transaction, since most reads are of neighbours. It serves one read: later commits add
/// runs.
struct EntryRuns {
  private let statements: StatementRunner
  /// A run that was read.
  private var known: Known?

  private struct Known {
    let run: EntryRun
    /// Where the next run begins.
    let next: EntryRun
  }

  init(_ statements: StatementRunner) { self.statements = statements }

  /// The number of the entry of a plain transaction.
  mutating func entry(of transaction: TransactionNumber) throws(SQLiteFailure) -> EntryNumber {
    let isKnown = known.map { $0.run.transaction <= transaction && transaction < $0.next.transaction } ?? false
    if !isKnown { known = try read(.runOfTransaction, transaction) }
    guard let run = known?.run, case let entry = transaction &- run.lag,
      RowBounds.isNumber(entry, upTo: RowBounds.entry)
    else {
      throw SQLiteFailure(
        extendedCode: SQLITE_CORRUPT, message: "no run has a number for the entry of transaction \(transaction)")
    }
    return entry
  }

  /// The lowest number that a plain transaction can have whose entry has this number or a higher one.
  mutating func transaction(from entry: EntryNumber) throws(SQLiteFailure) -> TransactionNumber {
    let isKnown = known.map { $0.run.firstEntry <= entry && entry < $0.next.firstEntry } ?? false
    if !isKnown { known = try read(.runOfEntry, entry) }
    guard let known else { return 1 }
    return min(entry &+ known.run.lag, known.next.transaction)
  }

  /// Reads the last run that begins at a number or before it.
  private func read(_ kind: StatementCache.Hot, _ number: Int64) throws(SQLiteFailure) -> Known? {
    let statement = try statements.hot(kind)
    defer { statement.reset() }
    statement.bind(1, number)
    guard try statement.step() else { return nil }
    // 0 after the last run.
    let (transaction, entry) = (statement.integer(2), statement.integer(3))
    return Known(
      run: EntryRun(transaction: try statement.transaction(0), firstEntry: try statement.entry(1)),
      next: EntryRun(transaction: transaction == 0 ? .max : transaction, firstEntry: entry == 0 ? .max : entry))
  }
}
