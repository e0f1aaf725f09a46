#if PostgreSQL
internal import GemLedger

/// Reads of purchases announced before payment.
protocol PostgresOrderReads: PostgresReads {}

extension PostgresOrderReads {
  func order(_ code: PurchaseCode) throws(LedgerError) -> OrderRow? {
    if let deciding, !layout.isDistributed { return try deciding.ordersOfCodes.first(code) }
    // Two steps: the code says where the order lies, and where that is may be another machine.
    let address = try first(
      "SELECT customer, number FROM purchase_codes WHERE code = $1", { $0.add(code.text) },
      { ($0.integer($1, 0), $0.integer($1, 1)) })
    guard let (customer, number) = address else { return nil }
    return try first(
      "SELECT \(OrderRow.columns) FROM orders WHERE customer = $1 AND number = $2",
      {
        $0.add(customer)
        $0.add(number)
      }, OrderRow.read)
  }

  func order(purchase: Int64) throws(LedgerError) -> OrderRow? {
    try first("SELECT \(OrderRow.columns) FROM orders WHERE purchase = $1", { $0.add(purchase) }, OrderRow.read)
  }

  func order(key: IdempotencyKey, customer: CustomerNumber) throws(LedgerError) -> OrderRow? {
    try first(
      "SELECT \(OrderRow.columns) FROM orders WHERE customer = $1 AND key = $2",
      {
        $0.add(customer)
        $0.add(key.text)
      }, OrderRow.read)
  }

  func orders(of customer: CustomerNumber, below: OrderNumber, limit: Int) throws(LedgerError) -> [OrderRow] {
    try all(
      "SELECT \(OrderRow.columns) FROM orders WHERE customer = $1 AND number < $2 ORDER BY number DESC LIMIT $3",
      {
        $0.add(customer)
        $0.add(below)
        $0.add(Int64(limit))
      }, OrderRow.read)
  }

  func orders(
    _ state: OrderRow.State, after: OrderPosition, dueUntil: Int64, limit: Int
  ) throws(LedgerError) -> [OrderRow] {
    try all(
      """
      SELECT \(OrderRow.columns) FROM orders
      WHERE state = $1 AND state <> 2 AND (due_at, number) > ($2, $3) AND due_at <= $4
      ORDER BY due_at, number LIMIT $5
      """,
      {
        $0.add(state.rawValue)
        $0.add(after.dueAt)
        $0.add(after.number)
        $0.add(dueUntil)
        $0.add(Int64(limit))
      }, OrderRow.read)
  }
}
#endif
