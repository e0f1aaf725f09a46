internal import CSQLite
internal import GemLedger

/// Transactions, entries, allocations, notes and merges.
///
/// A plain transaction and its entry are one row of a separate table.
struct JournalTable {
  let statements: StatementRunner
  /// The number of transactions with one number of their entries each before a run begins.
  let runUp: Int64

  // MARK: By keys

  func transaction(_ number: TransactionNumber) throws(LedgerError) -> TransactionRow? {
    if let plain = try plain(number) { return plain.transaction }
    return try statements.first(
      """
      SELECT number, kind, customer, created_at, first_entry, digest, erasable_digest FROM transaction_rows
      WHERE number = ?1
      """,
      { $0.bind(1, number) }, Self.transaction)
  }

  private func plain(_ number: TransactionNumber) throws(LedgerError) -> PlainTransactionRow? {
    var runs = EntryRuns(statements)
    return try statements.first(
      "SELECT * FROM plain_transactions WHERE number = ?1", { $0.bind(1, number) },
      { (row) throws(SQLiteFailure) in try Self.plain(row, &runs) })
  }

  func transactions(_ keys: [IndexKey]) throws(LedgerError) -> [TransactionRow] {
    if keys.count == 1 { return try transaction(keys[0].first).map { [$0] } ?? [] }
    var found = try plain(keys.map(\.first)).map(\.transaction)
    let plainCount = found.count
    if plainCount == keys.count { return found }
    try statements.batch(
      keys.map(\.first),
      """
      SELECT number, kind, customer, created_at, first_entry, digest, erasable_digest FROM transaction_rows
      WHERE number >= ?1 ORDER BY number
      """
    ) { (_, row) throws(SQLiteFailure) in found.append(try Self.transaction(row)) }
    if plainCount > 0, plainCount < found.count { found.sort { $0.number < $1.number } }
    return found
  }

  private func plain(_ numbers: [TransactionNumber]) throws(LedgerError) -> [PlainTransactionRow] {
    var runs = EntryRuns(statements)
    var found: [PlainTransactionRow] = []
    found.reserveCapacity(numbers.count)
    try statements.batch(numbers, "SELECT * FROM plain_transactions WHERE number >= ?1 ORDER BY number") {
      (_, row) throws(SQLiteFailure) in
      found.append(try Self.plain(row, &runs))
    }
    return found
  }

  func entry(_ number: EntryNumber) throws(LedgerError) -> EntryRow? {
    let row = try statements.first("SELECT * FROM entry_rows WHERE number = ?1", { $0.bind(1, number) }, Self.entry)
    if let row { return row }
    let transaction = try statements.translating { () throws(SQLiteFailure) in
      var runs = EntryRuns(statements)
      return try runs.transaction(from: number)
    }
    guard let entry = try plain(transaction)?.entry, entry.number == number else { return nil }
    return entry
  }

  func entries(_ keys: [IndexKey]) throws(LedgerError) -> [EntryRow] {
    if keys.count == 1 { return try entry(keys[0].first).map { [$0] } ?? [] }
    var wanted = Set(keys.map(\.first))
    var found: [EntryRow] = []
    found.reserveCapacity(wanted.count)
    try statements.batch(keys.map(\.first), "SELECT * FROM entry_rows WHERE number >= ?1 ORDER BY number") {
      (_, row) throws(SQLiteFailure) in
      found.append(try Self.entry(row))
    }
    for entry in found { wanted.remove(entry.number) }
    if wanted.isEmpty { return found }
    let transactions = try statements.translating { () throws(SQLiteFailure) in
      var runs = EntryRuns(statements)
      var transactions: [TransactionNumber] = []
      transactions.reserveCapacity(wanted.count)
      for number in wanted.sorted() { transactions.append(try runs.transaction(from: number)) }
      return transactions
    }
    let rowCount = found.count
    for plain in try plain(transactions) where wanted.contains(plain.entry.number) { found.append(plain.entry) }
    if rowCount > 0 { found.sort { $0.number < $1.number } }
    return found
  }

  /// - Parameter keys: The transactions with the numbers of their first entries, or 0.
  func entries(of keys: [IndexKey]) throws(LedgerError) -> [EntryRow] {
    if keys.count == 1, let plain = try plain(keys[0].first) { return [plain.entry] }
    var plain: [TransactionNumber: EntryRow] = [:]
    if keys.count > 1 { for row in try self.plain(keys.map(\.first)) { plain[row.transaction.number] = row.entry } }
    var found: [EntryRow] = []
    found.reserveCapacity(keys.count)
    for key in keys {
      if let entry = plain[key.first] {
        found.append(entry)
        continue
      }
      let first = key.second != 0 ? key.second : try transaction(key.first)?.firstEntry
      if let first { found += try entries(of: key.first, from: first) }
    }
    return found
  }

  private func entries(
    of transaction: TransactionNumber, from first: EntryNumber
  ) throws(LedgerError) -> [EntryRow] {
    // The entries of a transaction are adjacent: one scan up to the next transaction is cheaper than single look-ups.
    let statement = try statements.statement("SELECT * FROM entry_rows WHERE number >= ?1 ORDER BY number")
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

  /// - Parameter plain: The plain transactions of the scan.
  func transactions(
    after: TransactionNumber, limit: Int, _ plain: inout PlainPage
  ) throws(LedgerError) -> [TransactionRow] {
    let others = try statements.statement(
      """
      SELECT number, kind, customer, created_at, first_entry, digest, erasable_digest FROM transaction_rows
      WHERE number > ?1 ORDER BY number
      """)
    let more = { (last: TransactionRow?) throws(SQLiteFailure) in
      let index = try plain.index(after: last?.number ?? after, limit: limit, in: self)
      return plain.transactions[index...]
    }
    return try merged(others, after: after, limit: limit, { $0.number }, Self.transaction, more)
  }

  /// - Parameter plain: The plain transactions of the scan.
  func entries(after: EntryNumber, limit: Int, _ plain: inout PlainPage) throws(LedgerError) -> [EntryRow] {
    let others = try statements.statement("SELECT * FROM entry_rows WHERE number > ?1 ORDER BY number")
    let more = { (last: EntryRow?) throws(SQLiteFailure) in
      var start = last?.transaction
      if start == nil {
        var runs = EntryRuns(statements)
        start = try runs.transaction(from: after &+ 1) - 1
      }
      let index = try plain.index(after: start ?? 0, limit: limit, in: self)
      return plain.entries[index...]
    }
    return try merged(others, after: after, limit: limit, { $0.number }, Self.entry, more)
  }

  /// Reads a page of rows, those of plain transactions and others, in the order of their numbers.
  ///
  /// It checks the order: pages of a damaged file could form a cycle, and would be read endlessly. If two tables have
  /// the same number, which is damage, both rows are in the page.
  ///
  /// - Parameter more: Returns the rows of plain transactions after one of them, or the first ones of the page.
  private func merged<Row>(
    _ others: SQLiteStatement, after: Int64, limit: Int, _ number: (Row) -> Int64,
    _ read: (SQLiteStatement) throws(SQLiteFailure) -> Row,
    _ more: (Row?) throws(SQLiteFailure) -> ArraySlice<Row>
  ) throws(LedgerError) -> [Row] {
    try statements.translating { () throws(SQLiteFailure) in
      defer { others.reset() }
      others.bind(1, after)
      func next(_ last: Int64) throws(SQLiteFailure) -> Row? {
        guard try others.step() else { return nil }
        let row = try read(others)
        guard number(row) > last else { throw .notAscending }
        return row
      }
      var other = try next(after)
      var plain = try more(nil)
      // Most pages are of one table.
      if plain.count >= limit, let end = plain.prefix(limit).last, other.map({ number(end) < number($0) }) ?? true {
        return Array(plain.prefix(limit))
      }
      var (rows, last): ([Row], Int64) = ([], after)
      while rows.count < limit || other.map(number) == last {
        if let row = plain.first, other.map({ number(row) <= number($0) }) ?? true {
          guard number(row) > last else { throw .notAscending }
          last = number(row)
          rows.append(row)
          plain.removeFirst()
          if plain.isEmpty, rows.count < limit { plain = try more(row) }
        } else if let row = other {
          last = number(row)
          rows.append(row)
          other = try next(last)
        } else {
          break
        }
      }
      return rows
    }
  }

  /// Reads plain transactions after a number, in the order of their numbers.
  fileprivate func readPlain(
    after number: TransactionNumber, limit: Int, _ add: (PlainTransactionRow) throws(SQLiteFailure) -> Void
  ) throws(SQLiteFailure) {
    let statement = try statements.cache("SELECT * FROM plain_transactions WHERE number > ?1 ORDER BY number LIMIT ?2")
    defer { statement.reset() }
    statement.bind(1, number)
    statement.bind(2, Int64(limit))
    var runs = EntryRuns(statements)
    while try statement.step() { try add(try Self.plain(statement, &runs)) }
  }

  // MARK: Rows

  private static func transaction(_ row: SQLiteStatement) throws(SQLiteFailure) -> TransactionRow {
    TransactionRow(
      number: try row.transaction(0), kind: EntryKind(rawValue: row.integer(1)) ?? .mixed,
      customer: try row.number(2), createdAt: try row.instant(3), firstEntry: try row.entry(4),
      digest: row.integer(5), erasable: row.integer(6))
  }

  private static func plain(
    _ row: SQLiteStatement, _ runs: inout EntryRuns
  ) throws(SQLiteFailure) -> PlainTransactionRow {
    let (number, kind, account) = (
      try row.transaction(0), EntryKind(rawValue: row.integer(1)) ?? .mixed, try row.account(3)
    )
    let entry = try runs.entry(of: number)
    return PlainTransactionRow(
      TransactionRow(
        number: number, kind: kind, customer: account.customer, createdAt: try row.instant(2), firstEntry: entry,
        digest: row.integer(9), erasable: row.integer(10)),
      EntryRow(
        number: entry, transaction: number, account: account, kind: kind, amount: try row.amount(4),
        balance: try row.amount(5), debt: 0, version: try row.number(6), previous: try row.entry(7),
        lot: try row.number(8)))
  }

  private static func entry(_ row: SQLiteStatement) throws(SQLiteFailure) -> EntryRow {
    EntryRow(
      number: try row.entry(0), transaction: try row.transaction(1), account: try row.account(2),
      kind: EntryKind(rawValue: row.integer(3)) ?? .mixed, amount: try row.amount(4), balance: try row.amount(5),
      debt: try row.amount(6), version: try row.number(7), previous: try row.entry(8), lot: try row.number(9))
  }
}

/// The plain transactions that a scan read last: its pages of transactions and of entries need the same ones.
struct PlainPage {
  fileprivate private(set) var transactions: [TransactionRow] = []
  fileprivate private(set) var entries: [EntryRow] = []
  /// The rows are all plain transactions from here to the last of them.
  private var start: TransactionNumber = .max

  /// The place of the first row after a number; reads the rows from there on if they are not here.
  fileprivate mutating func index(
    after number: TransactionNumber, limit: Int, in journal: JournalTable
  ) throws(SQLiteFailure) -> Int {
    guard number < start || number >= transactions.last?.number ?? start else {
      return transactions.firstIndex { $0.number > number } ?? transactions.count
    }
    // Pages that follow each other have rising entries too.
    let lastEntry = transactions.last?.number == number ? entries.last?.number ?? 0 : 0
    start = .max
    transactions.removeAll(keepingCapacity: true)
    entries.removeAll(keepingCapacity: true)
    try journal.readPlain(after: number, limit: limit) { (row) throws(SQLiteFailure) in
      guard row.transaction.number > transactions.last?.number ?? number else { throw .notAscending }
      guard row.entry.number > entries.last?.number ?? lastEntry else {
        throw SQLiteFailure(
          extendedCode: SQLITE_CORRUPT, message: "the run of entries of transaction \(row.transaction.number) is wrong")
      }
      transactions.append(row.transaction)
      entries.append(row.entry)
    }
    start = number
    return 0
  }
}
