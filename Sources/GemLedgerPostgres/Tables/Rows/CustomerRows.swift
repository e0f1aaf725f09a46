#if PostgreSQL
internal import GemLedger

// Readers of rows; each list of columns and its reader must match.

extension AccountRow {
  static let columns = """
    customer, currency, balance, debt, held, version, last_entry, pool_lot, pool_source, pool_environment,
    pool_granted, pool_remaining, open_lots, next_expiry, next_scheduled_at
    """

  static func read(_ rows: PostgresRows, _ row: Int) -> AccountRow { read(rows, row, at: 0) }

  /// - Parameter at: The position of the first column.
  static func read(_ rows: PostgresRows, _ row: Int, at: Int) -> AccountRow {
    var account = AccountRow(
      number: AccountNumber(customer: rows.integer(row, at), currency: rows.integer(row, at + 1)))
    account.balance = rows.integer(row, at + 2)
    account.debt = rows.integer(row, at + 3)
    account.held = rows.integer(row, at + 4)
    account.version = rows.integer(row, at + 5)
    account.lastEntry = rows.integer(row, at + 6)
    account.poolLot = rows.integer(row, at + 7)
    account.poolSource = rows.integer(row, at + 8)
    account.poolEnvironment = rows.integer(row, at + 9)
    account.poolGranted = rows.integer(row, at + 10)
    account.poolRemaining = rows.integer(row, at + 11)
    account.openLots = rows.integer(row, at + 12)
    account.nextExpiry = rows.integer(row, at + 13)
    account.nextDue = rows.integer(row, at + 14)
    return account
  }
}

#endif
