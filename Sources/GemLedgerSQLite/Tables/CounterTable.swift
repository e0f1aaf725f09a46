internal import GemLedger

/// Counters that limits, allowances and recharges keep.
struct CounterTable {
  let statements: StatementRunner

  func count(_ key: CountKey, of customer: CustomerNumber) throws(LedgerError) -> CountRow? {
    try statements.row("WHERE customer = ?1 AND kind = ?2 AND subject = ?3") {
      $0.bind(1, customer)
      $0.bind(2, key.kind.rawValue)
      $0.bind(3, key.subject)
    }
  }

  func counts(of customer: CustomerNumber) throws(LedgerError) -> [CountRow] {
    try statements.rows("WHERE customer = ?1 ORDER BY kind, subject") { $0.bind(1, customer) }
  }

  func counts(after: CountRow?, limit: Int) throws(LedgerError) -> [CountRow] {
    // The position behind an unknown kind has no representation; the integrity check reports such rows.
    try statements.page(
      """
      WHERE (customer, kind, subject) > (?1, ?2, ?3) AND kind BETWEEN 1 AND ?5
      ORDER BY customer, kind, subject LIMIT ?4
      """, after: after, { $0.customer != $1.customer ? $0.customer < $1.customer : $0.key < $1.key }
    ) {
      $0.bind(1, after?.customer ?? .min)
      $0.bind(2, after?.key.kind.rawValue ?? .min)
      $0.bind(3, after?.key.subject ?? "")
      $0.bind(4, Int64(limit))
      $0.bind(5, Int64(CountKey.Kind.allCases.count))
    }
  }

  func write(_ changes: ColdChanges) throws(LedgerError) {
    try statements.replace(changes.counts)
    try statements.run("DELETE FROM counters WHERE customer = ?1 AND kind = ?2 AND subject = ?3", changes.endedCounts) {
      $0.bind(1, $1.customer)
      $0.bind(2, $1.key.kind.rawValue)
      $0.bind(3, $1.key.subject)
    }
  }
}
