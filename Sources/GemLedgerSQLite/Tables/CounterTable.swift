internal import GemLedger

/// Counters that limits, allowances and recharges keep.
struct CounterTable {
  let statements: StatementRunner

  func count(_ key: CountKey, of customer: CustomerNumber) throws(LedgerError) -> CountRow? {
    try statements.first(
      "SELECT * FROM counters WHERE customer = ?1 AND kind = ?2 AND subject = ?3",
      {
        $0.bind(1, customer)
        $0.bind(2, key.kind.rawValue)
        $0.bind(3, key.subject)
      }, Self.count)
  }

  func counts(of customer: CustomerNumber) throws(LedgerError) -> [CountRow] {
    try statements.all(
      "SELECT * FROM counters WHERE customer = ?1 ORDER BY kind, subject", { $0.bind(1, customer) }, Self.count)
  }

  func counts(after: CountRow?, limit: Int) throws(LedgerError) -> [CountRow] {
    // The position behind an unknown kind has no representation; the integrity check reports such rows.
    try statements.scanned(
      """
      SELECT * FROM counters WHERE (customer, kind, subject) > (?1, ?2, ?3) AND kind BETWEEN 1 AND ?5
      ORDER BY customer, kind, subject LIMIT ?4
      """, after: after, { $0.customer != $1.customer ? $0.customer < $1.customer : $0.key < $1.key },
      {
        $0.bind(1, after?.customer ?? .min)
        $0.bind(2, after?.key.kind.rawValue ?? .min)
        $0.bind(3, after?.key.subject ?? "")
        $0.bind(4, Int64(limit))
        $0.bind(5, Int64(CountKey.Kind.allCases.count))
      }, Self.count)
  }

  func write(_ changes: ColdChanges) throws(LedgerError) {
    try statements.run("INSERT OR REPLACE INTO counters VALUES (?1, ?2, ?3, ?4, ?5)", changes.counts) {
      $0.bind(1, $1.customer)
      $0.bind(2, $1.key.kind.rawValue)
      $0.bind(3, $1.key.subject)
      $0.bind(4, $1.period)
      $0.bind(5, $1.value)
    }
    try statements.run("DELETE FROM counters WHERE customer = ?1 AND kind = ?2 AND subject = ?3", changes.endedCounts) {
      $0.bind(1, $1.customer)
      $0.bind(2, $1.key.kind.rawValue)
      $0.bind(3, $1.key.subject)
    }
  }

  private static func count(_ row: SQLiteStatement) throws(SQLiteFailure) -> CountRow {
    CountRow(
      customer: try row.number(0), key: CountKey(CountKey.Kind(rawValue: row.integer(1)) ?? .bought, row.text(2)),
      period: try row.value(3), value: try row.value(4))
  }
}
