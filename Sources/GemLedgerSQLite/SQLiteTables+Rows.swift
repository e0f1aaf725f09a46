internal import GemLedger

/// How the file writes an expiry that never comes: the last millisecond of the year 9999, which takes six bytes.
enum Never {
  static let stored = Limits.expiryMilliseconds

  static func stored(_ expiresAt: Int64) -> Int64 { min(expiresAt, stored) }
  static func loaded(_ expiresAt: Int64) -> Int64 { expiresAt >= stored ? .max : expiresAt }
}

/// From columns to rows; the columns stand in the order of the statements' lists.
extension SQLiteTables {
  static func customer(_ row: SQLiteStatement) -> CustomerRow {
    var customer = CustomerRow(
      number: row.integer(0), id: CustomerID(unchecked: row.text(1)),
      createdAt: Timestamp(milliseconds: row.integer(2)))
    customer.frozen = row.integer(3)
    customer.frozenReason = row.optionalText(4).map(Reason.init(unchecked:))
    customer.mergedInto = row.integer(5)
    customer.merged = row.integer(6)
    return customer
  }

  static func account(_ row: SQLiteStatement) -> AccountRow {
    var account = AccountRow(number: AccountNumber(rawValue: row.integer(12)))
    account.balance = row.integer(0)
    account.debt = row.integer(1)
    account.held = row.integer(2)
    account.version = row.integer(3)
    account.lastEntry = row.integer(4)
    account.poolLot = row.integer(5)
    account.poolSource = row.integer(6)
    account.poolEnvironment = row.integer(7)
    account.poolGranted = row.integer(8)
    account.poolRemaining = row.integer(9)
    account.openLots = row.integer(10)
    account.nextExpiry = row.optionalInteger(11) ?? .max
    account.nextDue = row.optionalInteger(13) ?? .max
    return account
  }

  static func lot(_ row: SQLiteStatement) -> LotRow {
    LotRow(
      number: row.integer(0), account: AccountNumber(rawValue: row.integer(1)),
      source: LotSource(rawValue: row.integer(2)) ?? .admin, environment: row.integer(3), granted: row.integer(4),
      remaining: row.integer(5), price: money(row, 6), purchase: row.optionalInteger(8),
      expiresAt: Never.loaded(row.integer(9)))
  }

  static func transaction(_ row: SQLiteStatement) -> TransactionRow {
    TransactionRow(
      number: row.integer(0), kind: EntryKind(rawValue: row.integer(1)) ?? .mixed, customer: row.integer(2),
      createdAt: Timestamp(milliseconds: row.integer(3)), firstEntry: row.integer(4))
  }

  static func entry(_ row: SQLiteStatement) -> EntryRow {
    EntryRow(
      number: row.integer(0), transaction: row.integer(1), account: AccountNumber(rawValue: row.integer(2)),
      kind: EntryKind(rawValue: row.integer(3)) ?? .mixed, amount: row.integer(4), balance: row.integer(5),
      debt: row.integer(6), version: row.integer(7), previous: row.integer(8), lot: row.integer(9))
  }

  static func allocation(_ row: SQLiteStatement) -> AllocationRow {
    AllocationRow(entry: row.integer(0), position: row.integer(1), lot: row.integer(2), amount: row.integer(3))
  }

  static func anchor(_ row: SQLiteStatement) -> AnchorRow {
    AnchorRow(
      account: AccountNumber(rawValue: row.integer(0)), version: row.integer(1), entry: row.integer(2),
      transaction: row.integer(3), createdAt: Timestamp(milliseconds: row.integer(4)))
  }

  static func itemEntry(_ row: SQLiteStatement) -> ItemEntryRow {
    ItemEntryRow(
      transaction: row.integer(0), customer: row.integer(2), item: ItemID(unchecked: row.text(1)),
      quantity: row.integer(3), owned: row.integer(4))
  }

  static func purchase(_ row: SQLiteStatement) -> PurchaseRow {
    PurchaseRow(
      number: row.integer(0),
      identity: PurchaseIdentity(
        store: Store.numbered(row.integer(1)) ?? .test, environment: row.integer(2),
        transactionID: StoreTransactionID(unchecked: row.text(3))),
      customer: row.integer(4), transaction: row.integer(5), product: ProductCode(unchecked: row.text(6)),
      quantity: row.integer(7), price: money(row, 8), purchasedAt: Timestamp(milliseconds: row.integer(10)),
      terms: row.text(11), originalTransactionID: row.optionalText(12).map(StoreTransactionID.init(unchecked:)),
      expiresAt: row.optionalInteger(13).map(Timestamp.init(milliseconds:)), grant: grant(row),
      refund: refundState(row))
  }

  private static func grant(_ row: SQLiteStatement) -> LotAmount? {
    guard let currency = row.optionalInteger(18) else { return nil }
    return LotAmount(currency: currency, lot: row.integer(19), amount: row.integer(20))
  }

  private static func refundState(_ row: SQLiteStatement) -> RefundStateRow? {
    guard let transaction = row.optionalInteger(17) else { return nil }
    return RefundStateRow(
      purchase: row.integer(0), share: share(row, 14), evidenceAt: Timestamp(milliseconds: row.integer(16)),
      transaction: transaction)
  }

  static func money(_ row: SQLiteStatement, _ column: Int32) -> Money? {
    guard let minorUnits = row.optionalInteger(column) else { return nil }
    return Money(minorUnits: minorUnits, currency: row.text(column + 1))
  }

  static func outcome(
    transaction: Int64?, refusal: String?, path: String
  ) throws(LedgerError) -> KeyRow.Outcome {
    if let transaction { return .booked(transaction) }
    guard let refusal, let error = LedgerError(stored: refusal) else {
      throw LedgerError(.storageDamaged, "\(path) holds a key with neither a transaction nor a refusal. Run verify.")
    }
    return .refused(error)
  }
}
