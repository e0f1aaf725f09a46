// MARK: Purchases

extension StorageSnapshot {
  package func purchase(_ identity: PurchaseIdentity) throws(LedgerError) -> PurchaseRow? {
    try row(PurchaseRow.byIdentity, IndexKey(identity))
  }

  package func purchase(number: Int64) throws(LedgerError) -> PurchaseRow? {
    try row(PurchaseRow.byNumber, IndexKey(number))
  }

  package func purchases(_ wanted: [RowAddress]) throws(LedgerError) -> [Int64: PurchaseRow] {
    try rows(PurchaseRow.byNumber, wanted.keys, by: \.number)
  }

  /// Returns purchases credited to the customer of this number, newest first, below a purchase number.
  package func purchases(
    of customer: CustomerNumber, below: Int64, limit: Int
  ) throws(LedgerError) -> [PurchaseRow] {
    try page(PurchaseRow.ofCustomer, IndexKey(customer), after: IndexPlace(below), limit: limit)
  }

  /// Returns the owner of the entitlement that the purchase gave; nil if it gave none.
  package func entitlementHolder(purchase: Int64) throws(LedgerError) -> CustomerNumber? {
    let row: EntitlementRow? = try row(EntitlementRow.byPurchase, IndexKey(purchase))
    return row?.holder
  }

  package func entitlementHolders(of purchases: [RowAddress]) throws(LedgerError) -> [Int64: CustomerNumber] {
    let rows: [Int64: EntitlementRow] = try rows(EntitlementRow.byPurchase, purchases.keys, by: \.purchase)
    return rows.mapValues(\.holder)
  }
}

// MARK: Orders

extension StorageSnapshot {
  package func order(_ code: PurchaseCode) throws(LedgerError) -> OrderRow? {
    try row(OrderRow.byCode, IndexKey(text: code.text))
  }

  /// Returns the order that the purchase paid for.
  package func order(purchase: Int64) throws(LedgerError) -> OrderRow? {
    try row(OrderRow.byPurchase, IndexKey(purchase))
  }

  /// Finds the order under a key: first of the named customer, then of the surviving customer, like other keys.
  package func order(key: IdempotencyKey, customer: FoundCustomer) throws(LedgerError) -> OrderRow? {
    let own = try row(OrderRow.byKey, IndexKey(customer.original, text: key.text)) as OrderRow?
    if own != nil || customer.original == customer.number { return own }
    return try row(OrderRow.byKey, IndexKey(customer.number, text: key.text))
  }

  /// Returns the customer's orders below a number, newest first.
  package func orders(
    of customer: CustomerNumber, below: OrderNumber, limit: Int
  ) throws(LedgerError) -> [OrderRow] {
    try page(OrderRow.ofCustomer, IndexKey(customer), after: IndexPlace(below), limit: limit)
  }

  /// Returns orders of a state after a position that are due until an instant, inclusive, in the order in which they
  /// are due.
  package func orders(
    _ state: OrderRow.State, after: OrderPosition, dueUntil: Int64, limit: Int
  ) throws(LedgerError) -> [OrderRow] {
    let rows: [OrderRow] = try page(
      OrderRow.due, IndexKey(state.rawValue), after: IndexPlace(after.dueAt, after.number), limit: limit)
    return Array(rows.prefix { $0.dueAt <= dueUntil })
  }
}
