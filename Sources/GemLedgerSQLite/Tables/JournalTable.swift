internal import GemLedger

/// Transactions, entries, allocations, notes and merges.
struct JournalTable {
  let statements: StatementRunner

  // MARK: Reading

  func transaction(_ number: TransactionNumber) throws(LedgerError) -> TransactionRow? {
    try statements.first(
      """
      SELECT number, kind, customer, created_at, first_entry, digest, erasable_digest FROM transactions
      WHERE number = ?1
      """,
      { $0.bind(1, number) }, Self.transaction)
  }

  func entry(_ number: EntryNumber) throws(LedgerError) -> EntryRow? {
    try statements.first("SELECT * FROM entries WHERE number = ?1", { $0.bind(1, number) }, Self.entry)
  }

  func entries(of transaction: TransactionNumber) throws(LedgerError) -> [EntryRow] {
    guard let row = try self.transaction(transaction) else { return [] }
    return try entries(of: row)
  }

  func entries(of transaction: TransactionRow) throws(LedgerError) -> [EntryRow] {
    // Those of a transaction lie together: one walk up to the first of another is cheaper than a look at each.
    let statement = try statements.statement("SELECT * FROM entries WHERE number >= ?1 ORDER BY number")
    return try statements.translating { () throws(SQLiteFailure) in
      statement.bind(1, transaction.firstEntry)
      defer { statement.reset() }
      var found: [EntryRow] = []
      while try statement.step() {
        let entry = try Self.entry(statement)
        guard entry.transaction == transaction.number else { break }
        // Pages that lead back to themselves would be read without end.
        guard entry.number > found.last?.number ?? -1 else { throw .notAscending }
        found.append(entry)
      }
      return found
    }
  }

  func allocations(of entry: EntryNumber) throws(LedgerError) -> [AllocationRow] {
    try statements.rows("WHERE entry = ?1 ORDER BY position") { $0.bind(1, entry) }
  }

  func note(_ transaction: TransactionNumber) throws(LedgerError) -> NoteRow? {
    try statements.row("WHERE transaction_number = ?1") { $0.bind(1, transaction) }
  }

  // MARK: Batches

  func transactions(_ wanted: [RowAddress]) throws(LedgerError) -> [TransactionNumber: TransactionRow] {
    var found: [TransactionNumber: TransactionRow] = [:]
    found.reserveCapacity(wanted.count)
    try statements.batch(
      wanted.map(\.number),
      """
      SELECT number, kind, customer, created_at, first_entry, digest, erasable_digest FROM transactions
      WHERE number >= ?1 ORDER BY number
      """
    ) { (number, row) throws(SQLiteFailure) in found[number] = try Self.transaction(row) }
    return found
  }

  func entries(_ wanted: [RowAddress]) throws(LedgerError) -> [EntryNumber: EntryRow] {
    var found: [EntryNumber: EntryRow] = [:]
    try statements.batch(wanted.map(\.number), "SELECT * FROM entries WHERE number >= ?1 ORDER BY number") {
      (number, row) throws(SQLiteFailure) in
      found[number] = try Self.entry(row)
    }
    return found
  }

  // MARK: Scanning

  func transactions(after: TransactionNumber, limit: Int) throws(LedgerError) -> [TransactionRow] {
    try statements.page(
      """
      SELECT number, kind, customer, created_at, first_entry, digest, erasable_digest FROM transactions
      WHERE number > ?1 ORDER BY number LIMIT ?2
      """, after: after, limit, Self.transaction)
  }

  func entries(after: EntryNumber, limit: Int) throws(LedgerError) -> [EntryRow] {
    try statements.page(
      "SELECT * FROM entries WHERE number > ?1 ORDER BY number LIMIT ?2", after: after, limit, Self.entry)
  }

  func merges(into number: CustomerNumber) throws(LedgerError) -> [MergeRow] {
    try statements.all(
      """
      SELECT transaction_number, from_customer, into_customer FROM merges WHERE into_customer = ?1
      ORDER BY transaction_number
      """,
      { $0.bind(1, number) },
      { (row) throws(SQLiteFailure) in
        MergeRow(transaction: try row.transaction(0), from: try row.number(1), into: try row.number(2))
      })
  }

  // MARK: Rows

  private static func transaction(_ row: SQLiteStatement) throws(SQLiteFailure) -> TransactionRow {
    TransactionRow(
      number: try row.transaction(0), kind: EntryKind(rawValue: row.integer(1)) ?? .mixed,
      customer: try row.number(2), createdAt: try row.instant(3), firstEntry: try row.entry(4),
      digest: row.integer(5), erasable: row.integer(6))
  }

  private static func entry(_ row: SQLiteStatement) throws(SQLiteFailure) -> EntryRow {
    EntryRow(
      number: try row.entry(0), transaction: try row.transaction(1), account: try row.account(2),
      kind: EntryKind(rawValue: row.integer(3)) ?? .mixed, amount: try row.amount(4), balance: try row.amount(5),
      debt: try row.amount(6), version: try row.number(7), previous: try row.entry(8), lot: try row.number(9))
  }
}
