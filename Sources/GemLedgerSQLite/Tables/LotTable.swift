internal import GemLedger

/// Lots, and their attributes that never change.
struct LotTable {
  let statements: StatementRunner

  func write(_ changes: borrowing ChangeSet) throws(LedgerError) {
    if let last = changes.lastLot {
      // A copy does not write lots in creation order.
      try statements.run("UPDATE lot_sequence SET last = max(last, ?1)", [last]) { $0.bind(1, $1) }
    }
    try statements.insert(changes.newLots)
    try statements.run("UPDATE lots SET granted = ?2, remaining = ?3 WHERE lot = ?1", changes.changedLots) {
      $0.bind(1, $1.number)
      $0.bind(2, $1.granted)
      $0.bind(3, $1.remaining)
    }
  }

  func write(_ changes: ColdChanges) throws(LedgerError) {
    try statements.insert(changes.lotAttributes)
    try statements.run("UPDATE lots SET account = ?2 WHERE lot = ?1", changes.movedLots) {
      $0.bind(1, $1.number)
      $0.bind(2, $1.account.rawValue)
    }
  }
}
