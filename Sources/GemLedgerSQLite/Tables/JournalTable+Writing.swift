internal import CSQLite
internal import GemLedger

extension JournalTable {
  func add(_ transactions: [TransactionRow], _ entries: [EntryRow]) throws(LedgerError) {
    guard !transactions.isEmpty else { return try statements.insert(.addEntry, entries, Self.bind) }
    let last = try lastRun()
    // A run ahead of the journal is damage. It must not come to hold for transactions of this group.
    let isFree = (last?.run.transaction ?? 0) < transactions[0].number
    var lag = last?.isPlain == true ? last?.run.lag : nil
    var (runs, plain): ([EntryRun], [PlainTransactionRow]) = ([], [])
    var (others, otherEntries): ([TransactionRow], [EntryRow]) = ([], [])
    plain.reserveCapacity(transactions.count)
    var start = 0
    for (index, transaction) in transactions.enumerated() {
      var end = start
      while end < entries.count, entries[end].transaction == transaction.number { end += 1 }
      let own = entries[start..<end]
      start = end
      // The numbers go on from the last entry, which a damaged run can make too low.
      for entry in own where entry.previous >= entry.number { throw damage("entry \(entry.number) is there already") }
      if isFree, let row = PlainTransactionRow(transaction, entries: own) {
        let run = EntryRun(transaction: transaction.number, firstEntry: transaction.firstEntry)
        if run.lag != lag, try isSteady(run, index, transactions) {
          runs.append(run)
          lag = run.lag
        }
        if run.lag == lag {
          plain.append(row)
          continue
        }
      }
      others.append(transaction)
      otherEntries += own
    }
    otherEntries += entries[start...]
    try write(runs)
    try statements.insert(.addPlainTransaction, plain, Self.bind)
    try statements.insert(.addTransaction, others, Self.bind)
    try statements.insert(.addEntry, otherEntries, Self.bind)
  }

  private func damage(_ message: String) -> LedgerError {
    SQLiteFailure(extendedCode: SQLITE_CORRUPT, message: message).ledgerError(path: statements.path)
  }

  /// Refuses an entry number that an account has as its last one, or a higher one.
  ///
  /// Rows of a new entry replace those of an entry that is not there, so this must be sure. It reads all accounts, and
  /// only after a constraint failed.
  func refuseUsed(_ entry: EntryNumber) throws(LedgerError) {
    let used = try statements.first(
      "SELECT max(last_entry) FROM accounts WHERE last_entry >= ?1", { $0.bind(1, entry) }, { $0.integer(0) })
    if let used, used >= entry { throw damage("entry \(entry) is not new: an account has entry \(used)") }
  }

  private func lastRun() throws(LedgerError) -> (run: EntryRun, isPlain: Bool)? {
    try statements.translating { () throws(SQLiteFailure) in
      let statement = try statements.hot(.lastRun)
      defer { statement.reset() }
      guard try statement.step() else { return nil }
      let run = EntryRun(transaction: statement.integer(0), firstEntry: statement.integer(1))
      return (run, statement.integer(2) != 0)
    }
  }

  /// Whether the transactions before this one have the same lag: a run of few transactions takes more than it saves.
  private func isSteady(
    _ run: EntryRun, _ index: Int, _ transactions: [TransactionRow]
  ) throws(LedgerError) -> Bool {
    let (number, place) = (run.transaction - runUp, index - Int(runUp))
    if place >= 0 {
      return transactions[place].number == number && transactions[place].firstEntry == run.firstEntry - runUp
    }
    do throws(LedgerError) {
      return try transaction(number)?.firstEntry == run.firstEntry - runUp
    } catch {
      // A damaged row must not stop the bookings of others.
      guard error.code == .storageDamaged else { throw error }
      return false
    }
  }

  private func write(_ runs: [EntryRun]) throws(LedgerError) {
    if statements.replacesOrphans { try statements.replace(runs) } else { try statements.insert(runs) }
  }

  func add(_ notes: [NoteRow]) throws(LedgerError) {
    guard !statements.replacesOrphans else { return try statements.insert(notes) }
    try statements.insert(.addNote, notes, Self.bind)
  }

  func add(_ allocations: [AllocationRow]) throws(LedgerError) { try statements.insert(allocations) }

  func add(_ merges: [MergeRow]) throws(LedgerError) { try statements.insert(merges) }

  private static func bind(_ statement: SQLiteStatement, _ row: PlainTransactionRow) {
    statement.bind(1, row.transaction.number)
    statement.bind(2, row.transaction.kind.rawValue)
    statement.bind(3, row.transaction.createdAt.milliseconds)
    statement.bind(4, row.entry.account.rawValue)
    statement.bind(5, row.entry.amount)
    statement.bind(6, row.entry.balance)
    statement.bind(7, row.entry.version)
    statement.bind(8, row.entry.previous)
    statement.bind(9, row.entry.lot)
    statement.bind(10, row.transaction.digest)
    if row.transaction.erasable == 0 { statement.bindNull(11) } else { statement.bind(11, row.transaction.erasable) }
  }

  private static func bind(_ statement: SQLiteStatement, _ row: TransactionRow) {
    statement.bind(1, row.number)
    statement.bind(2, row.kind.rawValue)
    statement.bind(3, row.customer)
    statement.bind(4, row.createdAt.milliseconds)
    statement.bind(5, row.firstEntry)
    statement.bind(6, row.digest)
    if row.erasable == 0 { statement.bindNull(7) } else { statement.bind(7, row.erasable) }
  }

  private static func bind(_ statement: SQLiteStatement, _ row: EntryRow) {
    statement.bind(1, row.number)
    statement.bind(2, row.transaction)
    statement.bind(3, row.account.rawValue)
    statement.bind(4, row.kind.rawValue)
    statement.bind(5, row.amount)
    statement.bind(6, row.balance)
    statement.bind(7, row.debt)
    statement.bind(8, row.version)
    statement.bind(9, row.previous)
    statement.bind(10, row.lot)
  }

  private static func bind(_ statement: SQLiteStatement, _ row: NoteRow) {
    statement.bind(1, row.transaction)
    statement.bind(2, row.reference?.text)
    statement.bind(3, row.reason?.text)
    statement.bind(4, row.actor?.text)
  }
}
