internal import GemLedger

/// Purchases announced before payment.
struct OrderTable {
  let statements: StatementRunner

  func write(_ changes: OrderChanges) throws(LedgerError) {
    try statements.insert(changes.new)
    try statements.run(
      """
      UPDATE orders SET customer = ?2, state = ?3, purchase = ?4, updated_at = ?5, due_at = ?6, delivery_attempts = ?7
      WHERE number = ?1
      """, changes.changed
    ) {
      $0.bind(1, $1.number)
      $0.bind(2, $1.customer)
      $0.bind(3, $1.state.rawValue)
      $0.bind(4, $1.purchase)
      $0.bind(5, $1.updatedAt.milliseconds)
      $0.bind(6, $1.dueAt)
      $0.bind(7, $1.deliveryAttempts)
    }
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
