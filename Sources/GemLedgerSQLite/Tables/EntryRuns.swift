internal import CSQLite
internal import GemLedger

/// Maps the numbers of plain transactions to those of their entries, and back.
///
/// It keeps the run of the last transaction, since most reads are of neighbours. It serves one read: later commits add runs.
struct EntryRuns {
  private let statements: StatementRunner
  /// A run that was read, and the first transaction of the next run.
  private var known: (run: EntryRun, next: TransactionNumber)?

  init(_ statements: StatementRunner) { self.statements = statements }

  /// The number of the entry of a plain transaction.
  mutating func entry(of transaction: TransactionNumber) throws(SQLiteFailure) -> EntryNumber {
    let run: EntryRun?
    if let known, known.run.transaction <= transaction, transaction < known.next {
      run = known.run
    } else {
      run = try read(.runOfTransaction, transaction)
    }
    guard let run, case let entry = transaction &- run.lag, RowBounds.isNumber(entry, upTo: RowBounds.entry) else {
      throw SQLiteFailure(
        extendedCode: SQLITE_CORRUPT, message: "no run has a number for the entry of transaction \(transaction)")
    }
    return entry
  }

  /// The lowest number that a plain transaction can have whose entry has this number or a higher one.
  mutating func transaction(from entry: EntryNumber) throws(SQLiteFailure) -> TransactionNumber {
    guard let run = try read(.runOfEntry, entry), let next = known?.next else { return 1 }
    return min(entry &+ run.lag, next)
  }

  /// Reads the last run that begins at a number or before it.
  private mutating func read(_ kind: StatementCache.Hot, _ number: Int64) throws(SQLiteFailure) -> EntryRun? {
    let statement = try statements.hot(kind)
    defer { statement.reset() }
    statement.bind(1, number)
    guard try statement.step() else { return nil }
    let run = EntryRun(transaction: try statement.transaction(0), firstEntry: try statement.entry(1))
    known = (run, try statement.optionalTransaction(2) ?? .max)
    return run
  }
}
