internal import GemLedger

extension SQLiteTables {
  /// What a repair changes of customers' ids.
  func write(_ changes: IDChanges) throws(LedgerError) {
    try run("DELETE FROM aliases WHERE id = ?1 AND customer = ?2", changes.removed) {
      $0.bind(1, $1.id.text)
      $0.bind(2, $1.customer)
    }
    try run("INSERT INTO aliases (customer, id) VALUES (?1, ?2)", changes.named) {
      $0.bind(1, $1.customer)
      $0.bind(2, $1.id.text)
    }
    try run("UPDATE customers SET id = ?2 WHERE customer = ?1", changes.renamed) {
      $0.bind(1, $1.row.number)
      $0.bind(2, $1.id.text)
    }
  }
}
