#if PostgreSQL
  internal import GemLedger

  // Purchases announced before payment.

  extension PostgresTables {
    static let orderColumns = """
      number, code, customer, store, product, quantity, request, key, state, purchase, created_at, updated_at, deadline,
      due_at, delivery_attempts
      """

    static func order(_ rows: PostgresRows, _ row: Int) -> OrderRow {
      var order = OrderRow(
        number: rows.integer(row, 0), code: PurchaseCode(unchecked: rows.text(row, 1)),
        customer: rows.integer(row, 2), store: Store.numbered(rows.integer(row, 3)) ?? .test,
        product: ProductCode(unchecked: rows.text(row, 4)), quantity: rows.integer(row, 5),
        request: rows.text(row, 6), key: rows.optionalText(row, 7).map(IdempotencyKey.init(unchecked:)),
        createdAt: Timestamp(milliseconds: rows.integer(row, 10)),
        deadline: Timestamp(milliseconds: rows.integer(row, 12)))
      order.state = OrderRow.State(rawValue: rows.integer(row, 8)) ?? .failed
      order.purchase = rows.optionalInteger(row, 9)
      order.updatedAt = Timestamp(milliseconds: rows.integer(row, 11))
      order.dueAt = rows.integer(row, 13)
      order.deliveryAttempts = rows.integer(row, 14)
      return order
    }

    func order(_ code: PurchaseCode) throws(LedgerError) -> OrderRow? {
      // Two steps: the code says where the order lies, and where that is may be another machine.
      let place = try first(
        "SELECT customer, number FROM purchase_codes WHERE code = $1", { $0.add(code.text) },
        { ($0.integer($1, 0), $0.integer($1, 1)) })
      guard let (customer, number) = place else { return nil }
      return try first(
        "SELECT \(Self.orderColumns) FROM orders WHERE customer = $1 AND number = $2",
        {
          $0.add(customer)
          $0.add(number)
        }, Self.order)
    }

    func order(purchase: Int64) throws(LedgerError) -> OrderRow? {
      try first("SELECT \(Self.orderColumns) FROM orders WHERE purchase = $1", { $0.add(purchase) }, Self.order)
    }

    func order(key: IdempotencyKey, customer: CustomerNumber) throws(LedgerError) -> OrderRow? {
      try first(
        "SELECT \(Self.orderColumns) FROM orders WHERE customer = $1 AND key = $2",
        {
          $0.add(customer)
          $0.add(key.text)
        }, Self.order)
    }

    func orders(of customer: CustomerNumber, below: OrderNumber, limit: Int) throws(LedgerError) -> [OrderRow] {
      try all(
        "SELECT \(Self.orderColumns) FROM orders WHERE customer = $1 AND number < $2 ORDER BY number DESC LIMIT $3",
        {
          $0.add(customer)
          $0.add(below)
          $0.add(Int64(limit))
        }, Self.order)
    }

    func orders(
      _ state: OrderRow.State, after: OrderPosition, dueUntil: Int64, limit: Int
    ) throws(LedgerError) -> [OrderRow] {
      try all(
        """
        SELECT \(Self.orderColumns) FROM orders
        WHERE state = $1 AND state <> 2 AND (due_at, number) > ($2, $3) AND due_at <= $4
        ORDER BY due_at, number LIMIT $5
        """,
        {
          $0.add(state.rawValue)
          $0.add(after.dueAt)
          $0.add(after.number)
          $0.add(dueUntil)
          $0.add(Int64(limit))
        }, Self.order)
    }
  }
#endif
