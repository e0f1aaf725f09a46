internal import GemLedger

/// Purchases announced before payment.
struct OrderTable {
  let statements: StatementRunner

  // MARK: Reading

  func order(_ code: PurchaseCode) throws(LedgerError) -> OrderRow? {
    try statements.row("WHERE code = ?1") { $0.bind(1, code.text) }
  }

  func order(purchase: Int64) throws(LedgerError) -> OrderRow? {
    try statements.row("WHERE purchase = ?1") { $0.bind(1, purchase) }
  }

  func order(key: IdempotencyKey, customer: CustomerNumber) throws(LedgerError) -> OrderRow? {
    try statements.row("WHERE customer = ?1 AND key = ?2") {
      $0.bind(1, customer)
      $0.bind(2, key.text)
    }
  }

  func orders(of customer: CustomerNumber, below: OrderNumber, limit: Int) throws(LedgerError) -> [OrderRow] {
    try statements.page(
      "WHERE customer = ?1 AND number < ?2 ORDER BY number DESC LIMIT ?3", after: below, \.number, >
    ) {
      $0.bind(1, customer)
      $0.bind(2, below)
      $0.bind(3, Int64(limit))
    }
  }

  func orders(
    _ state: OrderRow.State, after: OrderPosition, dueUntil: Int64, limit: Int
  ) throws(LedgerError) -> [OrderRow] {
    try statements.rows(
      """
      WHERE state = ?1 AND state <> 2 AND (due_at, number) > (?2, ?3) AND due_at <= ?4 ORDER BY due_at, number LIMIT ?5
      """
    ) {
      $0.bind(1, state.rawValue)
      $0.bind(2, after.dueAt)
      $0.bind(3, after.number)
      $0.bind(4, dueUntil)
      $0.bind(5, Int64(limit))
    }
  }

  // MARK: Writing

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
