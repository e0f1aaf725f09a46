internal import GemLedger

/// How the file writes an expiry that never comes: the last millisecond of the year 9999, which takes six bytes.
enum Never {
  static let stored = Limits.expiryMilliseconds

  static func stored(_ expiresAt: Int64) -> Int64 { min(expiresAt, stored) }
  static func loaded(_ expiresAt: Int64) -> Int64 { expiresAt >= stored ? .max : expiresAt }
}

/// From columns to rows; the columns stand in the order of the statements' lists.
///
/// This is where numbers are held to their bounds, with the readers of rarer rows beside their statements.
extension SQLiteTables {
  static func customer(_ row: SQLiteStatement) throws(SQLiteFailure) -> CustomerRow {
    var customer = CustomerRow(
      number: try row.number(0), id: CustomerID(unchecked: row.text(1)), createdAt: try row.instant(2))
    customer.frozen = try row.number(3)
    customer.frozenReason = row.optionalText(4).map(Reason.init(unchecked:))
    customer.mergedInto = try row.number(5)
    customer.merged = try row.number(6)
    return customer
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

  static func lot(_ row: SQLiteStatement) throws(SQLiteFailure) -> LotRow {
    LotRow(
      number: try row.number(0), account: try row.account(1), source: LotSource(rawValue: row.integer(2)) ?? .admin,
      environment: try row.number(3), granted: try row.granted(4), remaining: try row.amount(5),
      price: try money(row, 6), purchase: try row.optionalNumber(8), expiresAt: Never.loaded(try row.value(9)))
  }

  static func transaction(_ row: SQLiteStatement) throws(SQLiteFailure) -> TransactionRow {
    TransactionRow(
      number: try row.transaction(0), kind: EntryKind(rawValue: row.integer(1)) ?? .mixed,
      customer: try row.number(2), createdAt: try row.instant(3), firstEntry: try row.entry(4),
      digest: row.integer(5), erasable: row.integer(6))
  }

  static func entry(_ row: SQLiteStatement) throws(SQLiteFailure) -> EntryRow {
    EntryRow(
      number: try row.entry(0), transaction: try row.transaction(1), account: try row.account(2),
      kind: EntryKind(rawValue: row.integer(3)) ?? .mixed, amount: try row.amount(4), balance: try row.amount(5),
      debt: try row.amount(6), version: try row.number(7), previous: try row.entry(8), lot: try row.number(9))
  }

  static func allocation(_ row: SQLiteStatement) throws(SQLiteFailure) -> AllocationRow {
    AllocationRow(
      entry: try row.entry(0), position: try row.number(1), lot: try row.number(2), amount: try row.amount(3))
  }

  static func anchor(_ row: SQLiteStatement) throws(SQLiteFailure) -> AnchorRow {
    AnchorRow(
      account: try row.account(0), version: try row.number(1), entry: try row.entry(2),
      transaction: try row.transaction(3), createdAt: try row.instant(4))
  }

  static func itemEntry(_ row: SQLiteStatement) throws(SQLiteFailure) -> ItemEntryRow {
    ItemEntryRow(
      transaction: try row.transaction(0), customer: try row.number(2), item: ItemID(unchecked: row.text(1)),
      quantity: try row.amount(3), owned: try row.amount(4))
  }

  static func ownedItem(_ row: SQLiteStatement) throws(SQLiteFailure) -> OwnedItemRow {
    OwnedItemRow(customer: try row.number(0), item: ItemID(unchecked: row.text(1)), quantity: try row.amount(2))
  }

  /// The store's dates are what the store said, whatever that is; nobody adds to them without a check.
  static func purchase(_ row: SQLiteStatement) throws(SQLiteFailure) -> PurchaseRow {
    PurchaseRow(
      number: try row.number(0),
      identity: PurchaseIdentity(
        store: Store.numbered(row.integer(1)) ?? .test, environment: try row.number(2),
        transactionID: StoreTransactionID(unchecked: row.text(3))),
      customer: try row.number(4), transaction: try row.transaction(5), product: ProductCode(unchecked: row.text(6)),
      quantity: try row.amount(7), price: try money(row, 8), purchasedAt: Timestamp(milliseconds: row.integer(10)),
      terms: row.text(11), originalTransactionID: row.optionalText(12).map(StoreTransactionID.init(unchecked:)),
      expiresAt: row.optionalInteger(13).map(Timestamp.init(milliseconds:)), grant: try grant(row),
      refund: try refundState(row))
  }

  private static func grant(_ row: SQLiteStatement) throws(SQLiteFailure) -> LotAmount? {
    guard try row.optionalNumber(18) != nil else { return nil }
    return LotAmount(currency: try row.currency(18), lot: try row.number(19), amount: try row.amount(20))
  }

  private static func refundState(_ row: SQLiteStatement) throws(SQLiteFailure) -> RefundStateRow? {
    guard let transaction = try row.optionalTransaction(17) else { return nil }
    return RefundStateRow(
      purchase: try row.number(0), share: share(row, 14), evidenceAt: Timestamp(milliseconds: row.integer(16)),
      transaction: transaction)
  }

  static func money(_ row: SQLiteStatement, _ column: Int32) throws(SQLiteFailure) -> Money? {
    guard let minorUnits = try row.optionalAmount(column) else { return nil }
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
