internal import GemLedger

extension JournalTable {
  func add(_ transactions: [TransactionRow], _ entries: [EntryRow]) throws(LedgerError) {
    try statements.run(.addTransaction, transactions, Self.bind)
    try statements.run(.addEntry, entries, Self.bind)
  }

  func add(_ notes: [NoteRow]) throws(LedgerError) {
    guard !statements.replacesOrphans else { return try statements.insert(notes) }
    try statements.run(.addNote, notes, Self.bind)
  }

  func add(_ allocations: [AllocationRow]) throws(LedgerError) { try statements.insert(allocations) }

  func add(_ merges: [MergeRow]) throws(LedgerError) { try statements.insert(merges) }

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
