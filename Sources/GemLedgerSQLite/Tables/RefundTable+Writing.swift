internal import GemLedger

extension RefundTable {
  func write(_ changes: ColdChanges) throws(LedgerError) {
    let parts = changes.partsOfRefunds()
    try statements.insert(parts.rows)
    try statements.insert(parts.others)
    try statements.replace(changes.evidence)
  }
}
