internal import GemLedger

/// Purchases announced before payment.
struct OrderTable {
  let statements: StatementRunner

  // MARK: Reading

  func order(_ code: PurchaseCode) throws(LedgerError) -> OrderRow? {
    try statements.first("SELECT * FROM orders WHERE code = ?1", { $0.bind(1, code.text) }, Self.order)
  }

  func order(purchase: Int64) throws(LedgerError) -> OrderRow? {
    try statements.first("SELECT * FROM orders WHERE purchase = ?1", { $0.bind(1, purchase) }, Self.order)
  }

  func order(key: IdempotencyKey, customer: CustomerNumber) throws(LedgerError) -> OrderRow? {
    try statements.first(
      "SELECT * FROM orders WHERE customer = ?1 AND key = ?2",
      {
        $0.bind(1, customer)
        $0.bind(2, key.text)
      }, Self.order)
  }

  func orders(of customer: CustomerNumber, below: OrderNumber, limit: Int) throws(LedgerError) -> [OrderRow] {
    try statements.ordered(
      "SELECT * FROM orders WHERE customer = ?1 AND number < ?2 ORDER BY number DESC LIMIT ?3", after: below,
      \.number, >,
      {
        $0.bind(1, customer)
        $0.bind(2, below)
        $0.bind(3, Int64(limit))
      }, Self.order)
  }

  func orders(
    _ state: OrderRow.State, after: OrderPosition, dueUntil: Int64, limit: Int
  ) throws(LedgerError) -> [OrderRow] {
    try statements.all(
      """
      SELECT * FROM orders WHERE state = ?1 AND state <> 2 AND (due_at, number) > (?2, ?3) AND due_at <= ?4
      ORDER BY due_at, number LIMIT ?5
      """,
      {
        $0.bind(1, state.rawValue)
        $0.bind(2, after.dueAt)
        $0.bind(3, after.number)
        $0.bind(4, dueUntil)
        $0.bind(5, Int64(limit))
      }, Self.order)
  }

  func orders(after: OrderNumber, limit: Int) throws(LedgerError) -> [OrderRow] {
    try statements.page(
      "SELECT * FROM orders WHERE number > ?1 ORDER BY number LIMIT ?2", after: after, limit, Self.order)
  }

  private static func order(_ row: SQLiteStatement) throws(SQLiteFailure) -> OrderRow {
    var order = OrderRow(
      number: try row.number(0), code: PurchaseCode(unchecked: row.text(1)), customer: try row.number(2),
      store: Store.numbered(row.integer(3)) ?? .test, product: ProductCode(unchecked: row.text(4)),
      quantity: try row.amount(5), request: row.text(6), key: row.optionalText(7).map(IdempotencyKey.init(unchecked:)),
      createdAt: try row.instant(10), deadline: try row.instant(12))
    order.state = OrderRow.State(rawValue: row.integer(8)) ?? .failed
    order.purchase = try row.optionalNumber(9)
    order.updatedAt = try row.instant(11)
    order.dueAt = row.integer(13)
    order.deliveryAttempts = try row.number(14)
    return order
  }

  // MARK: Writing

  func write(_ changes: OrderChanges) throws(LedgerError) {
    try statements.run(
      "INSERT INTO orders VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15)",
      changes.new, Self.bind)
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

  private static func bind(_ statement: SQLiteStatement, _ row: OrderRow) {
    statement.bind(1, row.number)
    statement.bind(2, row.code.text)
    statement.bind(3, row.customer)
    statement.bind(4, row.store.number)
    statement.bind(5, row.product.text)
    statement.bind(6, row.quantity)
    statement.bind(7, row.request)
    statement.bind(8, row.key?.text)
    statement.bind(9, row.state.rawValue)
    statement.bind(10, row.purchase)
    statement.bind(11, row.createdAt.milliseconds)
    statement.bind(12, row.updatedAt.milliseconds)
    statement.bind(13, row.deadline.milliseconds)
    statement.bind(14, row.dueAt)
    statement.bind(15, row.deliveryAttempts)
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
