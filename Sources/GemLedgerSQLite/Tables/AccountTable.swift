internal import GemLedger

/// Accounts, and the checkpoints in their histories.
///
/// The row of an account in the buffer replaces its row in the large table; the view `accounts` has one row for each
/// account.
final class AccountTable {
  let buffer: RowBuffer
  private let statements: StatementRunner
  private let cache: RowCache
  /// Whether the storage is the target of a copy or an import, whose commits change many accounts each.
  private let isCopy: Bool
  /// Whether changed rows are written to the buffer; false as long as it is empty and the customers are few.
  private var isBuffered = false

  init(_ statements: StatementRunner, _ cache: RowCache, isCopy: Bool, sizes: TableSizes) {
    self.statements = statements
    self.cache = cache
    self.isCopy = isCopy
    buffer = RowBuffer(statements, SQL.accountsBuffer, sizes: sizes)
  }

  // MARK: Accounts

  func account(_ number: AccountNumber) throws(LedgerError) -> AccountRow? {
    if let row = cache.account(number) { return row }
    let row = try statements.translating { () throws(SQLiteFailure) -> AccountRow? in
      if let row = try account(number, .bufferedAccount) { return row }
      return try account(number, .account)
    }
    if let row { cache.keep(row) }
    return row
  }

  /// Reads the accounts of customers into memory.
  func readAhead(_ customers: ClosedRange<CustomerNumber>) throws(SQLiteFailure) {
    try statements.range(Self.selectRange, Self.accounts(of: customers), column: 12) { (row) throws(SQLiteFailure) in
      cache.keep(try Self.account(row))
    }
  }

  private func account(
    _ number: AccountNumber, _ select: StatementCache.Hot
  ) throws(SQLiteFailure) -> AccountRow? {
    let statement = try statements.hot(select)
    statement.bind(1, number.rawValue)
    guard try statement.step() else { return nil }
    defer { statement.reset() }
    return try Self.account(statement)
  }

  func accounts(of keys: [IndexKey]) throws(LedgerError) -> [AccountRow] {
    var found: [AccountRow] = []
    try statements.translating { () throws(SQLiteFailure) in
      for key in keys {
        try statements.range(Self.selectRange, Self.accounts(of: key.first...key.first), column: 12) {
          (row) throws(SQLiteFailure) in found.append(try Self.account(row))
        }
      }
    }
    return found
  }

  private static let selectRange: StaticString = """
    SELECT balance, debt, held, version, last_entry, pool_lot, pool_source, pool_environment, pool_granted,
      pool_remaining, open_lots, next_expiry, account, next_scheduled_at
    FROM accounts WHERE account BETWEEN ?1 AND ?2 ORDER BY account
    """

  private static func accounts(of customers: ClosedRange<CustomerNumber>) -> ClosedRange<Int64> {
    let first = AccountNumber(customer: customers.lowerBound, currency: 0)
    let last = AccountNumber(customer: customers.upperBound, currency: RowBounds.currency)
    return first.rawValue...last.rawValue
  }

  func accounts(after: AccountNumber, limit: Int) throws(LedgerError) -> [AccountRow] {
    try statements.page(
      """
      SELECT balance, debt, held, version, last_entry, pool_lot, pool_source, pool_environment, pool_granted,
        pool_remaining, open_lots, next_expiry, account, next_scheduled_at FROM accounts WHERE account > ?1
      ORDER BY account LIMIT ?2
      """, after: after.rawValue, limit, column: 12, Self.account)
  }

  func write(new: [AccountRow], changed: [AccountRow]) throws(LedgerError) {
    // Accounts of new customers have the greatest numbers, so their rows are neighbours.
    try statements.insert(.addAccount, new, Self.bind)
    guard try isBuffering() else { return try statements.run(.setAccount, changed, Self.bind) }
    try statements.run(.bufferAccount, changed, Self.bind)
    buffer.add(changed.count)
    try buffer.flush()
  }

  private func isBuffering() throws(LedgerError) -> Bool {
    if isBuffered { return true }
    try statements.translating { () throws(SQLiteFailure) in
      // A row in the buffer, also of another process, would hide a newer one in the large table.
      let buffered = try statements.hot(.lastBufferedAccount)
      defer { buffered.reset() }
      let last = try statements.hot(.lastAccount)
      defer { last.reset() }
      isBuffered = try buffered.step()
      // A copy's commit changes several rows of each page, so the buffer would only add two more writes of each row.
      guard !isBuffered, !isCopy, try last.step() else { return }
      isBuffered = AccountNumber(rawValue: last.integer(0)).customer > buffer.sizes.customers
    }
    return isBuffered
  }

  static func account(_ row: SQLiteStatement) throws(SQLiteFailure) -> AccountRow {
    var account = AccountRow(number: try row.account(12))
    account.balance = try row.amount(0)
    account.debt = try row.amount(1)
    account.held = try row.amount(2)
    account.version = try row.number(3)
    account.lastEntry = try row.entry(4)
    account.poolLot = try row.number(5)
    account.poolSource = try row.number(6)
    account.poolEnvironment = try row.number(7)
    account.poolGranted = try row.granted(8)
    account.poolRemaining = try row.amount(9)
    account.openLots = try row.number(10)
    account.nextExpiry = try row.optionalValue(11) ?? .max
    account.nextDue = try row.optionalValue(13) ?? .max
    return account
  }

  private static func bind(_ statement: SQLiteStatement, _ row: AccountRow) {
    statement.bind(1, row.balance)
    statement.bind(2, row.debt)
    statement.bind(3, row.held)
    statement.bind(4, row.version)
    statement.bind(5, row.lastEntry)
    statement.bind(6, row.poolLot)
    statement.bind(7, row.poolSource)
    statement.bind(8, row.poolEnvironment)
    statement.bind(9, row.poolGranted)
    statement.bind(10, row.poolRemaining)
    statement.bind(11, row.openLots)
    if row.nextExpiry == .max { statement.bindNull(12) } else { statement.bind(12, row.nextExpiry) }
    statement.bind(13, row.number.rawValue)
    if row.nextDue == .max { statement.bindNull(14) } else { statement.bind(14, row.nextDue) }
  }

  // MARK: Checkpoints

  func add(_ checkpoints: [CheckpointRow]) throws(LedgerError) { try statements.insert(checkpoints) }
}
