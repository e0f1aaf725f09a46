internal import GemLedger

/// Counters that limits, allowances and recharges keep.
struct CounterTable {
  /// The rows of known kinds.
  ///
  /// No page could start after another kind; the integrity check reports those rows.
  static let known = "(SELECT * FROM counters WHERE kind BETWEEN 1 AND \(CountKey.Kind.allCases.count))"

  let statements: StatementRunner

  func write(_ changes: ColdChanges) throws(LedgerError) {
    try statements.replace(changes.counts)
    try statements.run("DELETE FROM counters WHERE customer = ?1 AND kind = ?2 AND subject = ?3", changes.endedCounts) {
      $0.bind(1, $1.customer)
      $0.bind(2, $1.key.kind.rawValue)
      $0.bind(3, $1.key.subject)
    }
  }
}
