#if PostgreSQL
internal import GemLedger

// How rows are read; each list of columns and its reader belong together.

extension CustomerRow {
  static let columns = "customer, id, created_at, frozen, frozen_reason, merged_into, merged_count"

  static func read(_ rows: PostgresRows, _ row: Int) -> CustomerRow {
    var customer = CustomerRow(
      number: rows.integer(row, 0), id: CustomerID(unchecked: rows.text(row, 1)),
      createdAt: Timestamp(milliseconds: rows.integer(row, 2)))
    customer.frozen = rows.integer(row, 3)
    customer.frozenReason = rows.optionalText(row, 4).map(Reason.init(unchecked:))
    customer.mergedInto = rows.integer(row, 5)
    customer.merged = rows.integer(row, 6)
    return customer
  }
}

extension AccountRow {
  static let columns = """
    customer, currency, balance, debt, held, version, last_entry, pool_lot, pool_source, pool_environment,
    pool_granted, pool_remaining, open_lots, next_expiry, next_scheduled_at
    """

  static func read(_ rows: PostgresRows, _ row: Int) -> AccountRow { read(rows, row, at: 0) }

  /// - Parameter at: The first of the columns.
  static func read(_ rows: PostgresRows, _ row: Int, at: Int) -> AccountRow {
    var account = AccountRow(
      number: AccountNumber(customer: rows.integer(row, at), currency: rows.integer(row, at + 1)))
    account.balance = rows.integer(row, at + 2)
    account.debt = rows.integer(row, at + 3)
    account.held = rows.integer(row, at + 4)
    account.version = rows.integer(row, at + 5)
    account.lastEntry = rows.integer(row, at + 6)
    account.poolLot = rows.integer(row, at + 7)
    account.poolSource = rows.integer(row, at + 8)
    account.poolEnvironment = rows.integer(row, at + 9)
    account.poolGranted = rows.integer(row, at + 10)
    account.poolRemaining = rows.integer(row, at + 11)
    account.openLots = rows.integer(row, at + 12)
    account.nextExpiry = rows.integer(row, at + 13)
    account.nextDue = rows.integer(row, at + 14)
    return account
  }
}

extension LotRow {
  static let columns = """
    customer, lot, currency, source, environment, granted, remaining, price, price_currency, purchase, expires_at
    """

  static func read(_ rows: PostgresRows, _ row: Int) -> LotRow {
    LotRow(
      number: rows.integer(row, 1),
      account: AccountNumber(customer: rows.integer(row, 0), currency: rows.integer(row, 2)),
      source: LotSource(rawValue: rows.integer(row, 3)) ?? .admin, environment: rows.integer(row, 4),
      granted: rows.integer(row, 5), remaining: rows.integer(row, 6), price: rows.money(row, 7),
      purchase: rows.optionalInteger(row, 9), expiresAt: rows.integer(row, 10))
  }
}

extension OwnedItemRow {
  static let columns = "customer, item, quantity"

  static func read(_ rows: PostgresRows, _ row: Int) -> OwnedItemRow {
    OwnedItemRow(
      customer: rows.integer(row, 0), item: ItemID(unchecked: rows.text(row, 1)), quantity: rows.integer(row, 2))
  }
}

extension OrderRow {
  static let columns = """
    number, code, customer, store, product, quantity, request, key, state, purchase, created_at, updated_at, deadline,
    due_at, delivery_attempts
    """

  static func read(_ rows: PostgresRows, _ row: Int) -> OrderRow {
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
}
#endif
