internal import GemLedger

/// Lots, and their attributes that never change.
struct LotTable {
  let statements: StatementRunner

  // MARK: Lots

  func openLots(
    _ account: AccountNumber, paid: Bool, after: LotPosition?, limit: Int
  ) throws(LedgerError) -> [LotRow] {
    try statements.page(
      """
      WHERE account = ?1 AND paid = ?2 AND remaining > 0 AND (expires_at, lot) > (?3, ?4)
      ORDER BY expires_at, lot LIMIT ?5
      """, after: after, LotPosition.init(of:), <
    ) {
      $0.bind(1, account.rawValue)
      $0.bind(2, paid ? 1 : 0)
      $0.bind(3, StoredExpiry.stored(after?.expiresAt ?? .min))
      $0.bind(4, after?.lot ?? 0)
      $0.bind(5, Int64(limit))
    }
  }

  func lot(_ number: LotNumber) throws(LedgerError) -> LotRow? {
    try statements.row("WHERE lot = ?1") { $0.bind(1, number) }
  }

  func pooledLot(
    _ account: AccountNumber, source: LotSource, environment: Int64
  ) throws(LedgerError) -> LotRow? {
    try statements.row(
      """
      WHERE account = ?1 AND source = ?2 AND environment = ?3
        AND purchase IS NULL AND expires_at = 253402300799999 AND price IS NULL
      """
    ) {
      $0.bind(1, account.rawValue)
      $0.bind(2, source.rawValue)
      $0.bind(3, environment)
    }
  }

  func write(_ changes: borrowing ChangeSet) throws(LedgerError) {
    if let last = changes.lastLot {
      // A copy comes by lots in another order than that of their making.
      try statements.run("UPDATE lot_sequence SET last = max(last, ?1)", [last]) { $0.bind(1, $1) }
    }
    try statements.insert(changes.newLots)
    try statements.run("UPDATE lots SET granted = ?2, remaining = ?3 WHERE lot = ?1", changes.changedLots) {
      $0.bind(1, $1.number)
      $0.bind(2, $1.granted)
      $0.bind(3, $1.remaining)
    }
  }

  // MARK: Attributes

  func lotAttributes(_ number: LotNumber) throws(LedgerError) -> LotAttributesRow? {
    try statements.row("WHERE lot = ?1") { $0.bind(1, number) }
  }

  func lotAttributes(_ wanted: [RowAddress]) throws(LedgerError) -> [LotNumber: LotAttributesRow] {
    try statements.batch("WHERE lot >= ?1 ORDER BY lot", wanted.map(\.number))
  }

  func write(_ changes: ColdChanges) throws(LedgerError) {
    try statements.insert(changes.lotAttributes)
    try statements.run("UPDATE lots SET account = ?2 WHERE lot = ?1", changes.movedLots) {
      $0.bind(1, $1.number)
      $0.bind(2, $1.account.rawValue)
    }
  }
}

extension LotPosition {
  fileprivate init(of lot: LotRow) { self.init(expiresAt: lot.expiresAt, lot: lot.number) }
}

/// The stored form of an expiry that never comes: the last millisecond of the year 9999, which takes six bytes.
enum StoredExpiry {
  static let never = Limits.expiryMilliseconds

  static func stored(_ expiresAt: Int64) -> Int64 { min(expiresAt, never) }
  static func loaded(_ expiresAt: Int64) -> Int64 { expiresAt >= never ? .max : expiresAt }
}
