internal import GemLedger

/// Lots, and their attributes that never change.
struct LotTable {
  let statements: StatementRunner

  // MARK: Lots

  func openLots(
    _ account: AccountNumber, paid: Bool, after: LotPosition?, limit: Int
  ) throws(LedgerError) -> [LotRow] {
    try statements.ordered(
      """
      SELECT lot, account, source, environment, granted, remaining, price, price_currency, purchase, expires_at
      FROM lots WHERE account = ?1 AND paid = ?2 AND remaining > 0 AND (expires_at, lot) > (?3, ?4)
      ORDER BY expires_at, lot LIMIT ?5
      """, after: after, { LotPosition(expiresAt: $0.expiresAt, lot: $0.number) }, <,
      {
        $0.bind(1, account.rawValue)
        $0.bind(2, paid ? 1 : 0)
        $0.bind(3, StoredExpiry.stored(after?.expiresAt ?? .min))
        $0.bind(4, after?.lot ?? 0)
        $0.bind(5, Int64(limit))
      }, Self.lot)
  }

  func lot(_ number: LotNumber) throws(LedgerError) -> LotRow? {
    try statements.first(
      """
      SELECT lot, account, source, environment, granted, remaining, price, price_currency, purchase, expires_at
      FROM lots WHERE lot = ?1
      """, { $0.bind(1, number) }, Self.lot)
  }

  func pooledLot(
    _ account: AccountNumber, source: LotSource, environment: Int64
  ) throws(LedgerError) -> LotRow? {
    try statements.first(
      """
      SELECT lot, account, source, environment, granted, remaining, price, price_currency, purchase, expires_at
      FROM lots WHERE account = ?1 AND source = ?2 AND environment = ?3
        AND purchase IS NULL AND expires_at = 253402300799999 AND price IS NULL
      """,
      {
        $0.bind(1, account.rawValue)
        $0.bind(2, source.rawValue)
        $0.bind(3, environment)
      }, Self.lot)
  }

  func lots(after: LotNumber, limit: Int) throws(LedgerError) -> [LotRow] {
    try statements.page(
      """
      SELECT lot, account, source, environment, granted, remaining, price, price_currency, purchase, expires_at
      FROM lots WHERE lot > ?1 ORDER BY lot LIMIT ?2
      """, after: after, limit, Self.lot)
  }

  static func lot(_ row: SQLiteStatement) throws(SQLiteFailure) -> LotRow {
    LotRow(
      number: try row.number(0), account: try row.account(1), source: LotSource(rawValue: row.integer(2)) ?? .admin,
      environment: try row.number(3), granted: try row.granted(4), remaining: try row.amount(5),
      price: try row.money(6), purchase: try row.optionalNumber(8), expiresAt: StoredExpiry.loaded(try row.value(9)))
  }

  func write(_ changes: borrowing ChangeSet) throws(LedgerError) {
    if let last = changes.lastLot {
      // A copy comes by lots in another order than that of their making.
      try statements.run("UPDATE lot_sequence SET last = max(last, ?1)", [last]) { $0.bind(1, $1) }
    }
    try statements.run(
      "INSERT INTO lots VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)", changes.newLots
    ) {
      $0.bind(1, $1.number)
      $0.bind(2, $1.account.rawValue)
      $0.bind(3, $1.source.rawValue)
      $0.bind(4, $1.environment)
      $0.bind(5, $1.granted)
      $0.bind(6, $1.remaining)
      $0.bind(7, $1.price?.minorUnits)
      $0.bind(8, $1.price?.currency)
      $0.bind(9, $1.purchase)
      $0.bind(10, StoredExpiry.stored($1.expiresAt))
    }
    try statements.run("UPDATE lots SET granted = ?2, remaining = ?3 WHERE lot = ?1", changes.changedLots) {
      $0.bind(1, $1.number)
      $0.bind(2, $1.granted)
      $0.bind(3, $1.remaining)
    }
  }

  // MARK: Attributes

  func lotAttributes(_ number: LotNumber) throws(LedgerError) -> LotAttributesRow? {
    try statements.first(
      """
      SELECT lot, source, environment, price, price_currency, purchase, expires_at, original_lot FROM lot_attributes
      WHERE lot = ?1
      """, { $0.bind(1, number) }, Self.lotAttributes)
  }

  func lotAttributes(_ wanted: [RowAddress]) throws(LedgerError) -> [LotNumber: LotAttributesRow] {
    var found: [LotNumber: LotAttributesRow] = [:]
    found.reserveCapacity(wanted.count)
    try statements.batch(
      wanted.map(\.number),
      """
      SELECT lot, source, environment, price, price_currency, purchase, expires_at, original_lot FROM lot_attributes
      WHERE lot >= ?1 ORDER BY lot
      """
    ) { (number, row) throws(SQLiteFailure) in found[number] = try Self.lotAttributes(row) }
    return found
  }

  func lotAttributes(after: LotNumber, limit: Int) throws(LedgerError) -> [LotAttributesRow] {
    try statements.page(
      """
      SELECT lot, source, environment, price, price_currency, purchase, expires_at, original_lot FROM lot_attributes
      WHERE lot > ?1 ORDER BY lot LIMIT ?2
      """, after: after, limit, Self.lotAttributes)
  }

  static func lotAttributes(_ row: SQLiteStatement) throws(SQLiteFailure) -> LotAttributesRow {
    LotAttributesRow(
      lot: try row.number(0), source: LotSource(rawValue: row.integer(1)) ?? .admin, environment: try row.number(2),
      price: try row.money(3), purchase: try row.optionalNumber(5), expiresAt: StoredExpiry.loaded(try row.value(6)),
      originalLot: try row.number(7))
  }

  func write(_ changes: ColdChanges) throws(LedgerError) {
    try statements.run("INSERT INTO lot_attributes VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)", changes.lotAttributes) {
      $0.bind(1, $1.lot)
      $0.bind(2, $1.source.rawValue)
      $0.bind(3, $1.environment)
      $0.bind(4, $1.price?.minorUnits)
      $0.bind(5, $1.price?.currency)
      $0.bind(6, $1.purchase)
      $0.bind(7, StoredExpiry.stored($1.expiresAt))
      $0.bind(8, $1.originalLot)
    }
    try statements.run("UPDATE lots SET account = ?2 WHERE lot = ?1", changes.movedLots) {
      $0.bind(1, $1.number)
      $0.bind(2, $1.account.rawValue)
    }
  }
}

/// The stored form of an expiry that never comes: the last millisecond of the year 9999, which takes six bytes.
enum StoredExpiry {
  static let never = Limits.expiryMilliseconds

  static func stored(_ expiresAt: Int64) -> Int64 { min(expiresAt, never) }
  static func loaded(_ expiresAt: Int64) -> Int64 { expiresAt >= never ? .max : expiresAt }
}
