internal import GemLedger

/// Transactions, entries, allocations, notes and merges.
struct JournalTable {
  let statements: StatementRunner

  // MARK: By keys

  func transaction(_ number: TransactionNumber) throws(LedgerError) -> TransactionRow? {
    try statements.first(
      """
      SELECT number, kind, customer, created_at, first_entry, digest, erasable_digest FROM transactions
      WHERE number = ?1
      """,
      { $0.bind(1, number) }, Self.transaction)
  }

  func transactions(_ keys: [IndexKey]) throws(LedgerError) -> [TransactionRow] {
    if keys.count == 1 { return try transaction(keys[0].first).map { [$0] } ?? [] }
    var found: [TransactionRow] = []
    found.reserveCapacity(keys.count)
    try statements.batch(
      keys.map(\.first),
      """
      SELECT number, kind, customer, created_at, first_entry, digest, erasable_digest FROM transactions
      WHERE number >= ?1 ORDER BY number
      """
    ) { (_, row) throws(SQLiteFailure) in found.append(try Self.transaction(row)) }
    return found
  }

  func entries(_ keys: [IndexKey]) throws(LedgerError) -> [EntryRow] {
    if keys.count == 1 {
      return try statements.all("SELECT * FROM entries WHERE number = ?1", { $0.bind(1, keys[0].first) }, Self.entry)
    }
    var found: [EntryRow] = []
    try statements.batch(keys.map(\.first), "SELECT * FROM entries WHERE number >= ?1 ORDER BY number") {
      (_, row) throws(SQLiteFailure) in
      found.append(try Self.entry(row))
    }
    return found
  }

  /// - Parameter keys: The transactions with the numbers of their first entries, or 0.
  func entries(of keys: [IndexKey]) throws(LedgerError) -> [EntryRow] {
    var found: [EntryRow] = []
    for key in keys {
      let first = key.second != 0 ? key.second : try transaction(key.first)?.firstEntry
      if let first { found += try entries(of: key.first, from: first) }
    }
    return found
  }

  private func entries(
    of transaction: TransactionNumber, from first: EntryNumber
  ) throws(LedgerError) -> [EntryRow] {
    // The entries of a transaction are adjacent: one scan up to the next transaction is cheaper than single look-ups.
    let statement = try statements.statement("SELECT * FROM entries WHERE number >= ?1 ORDER BY number")
    return try statements.translating { () throws(SQLiteFailure) in
      statement.bind(1, first)
      defer { statement.reset() }
      var found: [EntryRow] = []
      while try statement.step() {
        let entry = try Self.entry(statement)
        guard entry.transaction == transaction else { break }
        // Pages that form a cycle would be read endlessly.
        guard entry.number > found.last?.number ?? -1 else { throw .notAscending }
        found.append(entry)
      }
      return found
    }
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
