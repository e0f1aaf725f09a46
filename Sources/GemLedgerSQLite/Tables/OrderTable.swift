internal import GemLedger

/// Purchases announced before payment.
struct OrderTable {
  let statements: StatementRunner

  func write(_ changes: OrderChanges) throws(LedgerError) {
    try statements.insert(changes.new)
    try statements.update(changes.changed)
  }

  func erase(of customer: CustomerNumber) throws(LedgerError) {
    let hasOrders =
      try statements.first("SELECT 1 FROM orders WHERE customer = ?1 LIMIT 1", { $0.bind(1, customer) }, { _ in true })
      ?? false
    guard hasOrders else { return }
    try statements.run("UPDATE orders SET request = ?2, key = NULL WHERE customer = ?1", [customer]) {
      $0.bind(1, $1)
      $0.bind(2, OrderRow.erasedRequest)
    }
  }
}
