internal import GemLedger

/// The current owners of the entitlements that purchases gave.
struct EntitlementTable {
  let statements: StatementRunner

  func entitlementHolder(purchase: Int64) throws(LedgerError) -> CustomerNumber? {
    try statements.first(
      "SELECT holder FROM entitlements WHERE purchase = ?1", { $0.bind(1, purchase) },
      { (row) throws(SQLiteFailure) in try row.number(0) })
  }

  func entitlements(of customer: CustomerNumber, below purchase: Int64, limit: Int) throws(LedgerError) -> [Int64] {
    try statements.ordered(
      "SELECT purchase FROM entitlements WHERE holder = ?1 AND purchase < ?2 ORDER BY purchase DESC LIMIT ?3",
      after: purchase, { $0 }, >,
      {
        $0.bind(1, customer)
        $0.bind(2, purchase)
        $0.bind(3, Int64(limit))
      }, { (row) throws(SQLiteFailure) in try row.number(0) })
  }

  func entitlementHolders(of purchases: [RowAddress]) throws(LedgerError) -> [Int64: CustomerNumber] {
    var found: [Int64: CustomerNumber] = [:]
    try statements.batch(
      purchases.map(\.number), "SELECT purchase, holder FROM entitlements WHERE purchase >= ?1 ORDER BY purchase"
    ) { (number, row) throws(SQLiteFailure) in found[number] = try row.number(1) }
    return found
  }

  func write(_ entitlements: [EntitlementRow]) throws(LedgerError) {
    try statements.replace(entitlements)
  }
}
