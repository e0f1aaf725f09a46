// MARK: Purchases

extension StorageSnapshot {
  package func purchase(_ identity: PurchaseIdentity) throws(LedgerError) -> PurchaseRow? {
    try row(.byIdentity, IndexKey(identity))
  }

  package func purchase(number: Int64) throws(LedgerError) -> PurchaseRow? {
    try row(.byNumber, IndexKey(number))
  }

  package func purchases(_ wanted: [RowAddress]) throws(LedgerError) -> [Int64: PurchaseRow] {
    try rows(.byNumber, wanted.keys, by: \.number)
  }

  /// Purchases credited to the customer of this number, newest first, from those below a purchase number.
  package func purchases(
    of customer: CustomerNumber, below: Int64, limit: Int
  ) throws(LedgerError) -> [PurchaseRow] {
    try page(.ofCustomer, IndexKey(customer), after: IndexPlace(below), limit: limit)
  }

  /// Finds the numbers of the purchases that these transactions credited.
  ///
  /// - Parameter transactions: Each with its customer.
  package func purchases(creditedBy transactions: [RowAddress]) throws(LedgerError) -> [TransactionNumber: Int64] {
    let rows: [TransactionNumber: PurchaseRow] = try rows(.creditedBy, transactions.keys, by: \.transaction)
    return rows.mapValues(\.number)
  }

  /// Returns the owner of the entitlement that the purchase gave; nil where it gave none.
  package func entitlementHolder(purchase: Int64) throws(LedgerError) -> CustomerNumber? {
    let row: EntitlementRow? = try row(.byPurchase, IndexKey(purchase))
    return row?.holder
  }

  package func entitlementHolders(of purchases: [RowAddress]) throws(LedgerError) -> [Int64: CustomerNumber] {
    let rows: [Int64: EntitlementRow] = try rows(.byPurchase, purchases.keys, by: \.purchase)
    return rows.mapValues(\.holder)
  }

  /// Reads the purchases, below a number, with entitlements that the customer has now, newest first.
  package func entitlements(
    of customer: CustomerNumber, below purchase: Int64, limit: Int
  ) throws(LedgerError) -> [Int64] {
    let rows: [EntitlementRow] = try page(
      .ofHolder, IndexKey(customer), after: IndexPlace(purchase), limit: limit)
    return rows.map(\.purchase)
  }
}

// MARK: Refunds

extension StorageSnapshot {
  /// The evidence of a purchase for which no refund was booked.
  package func refundEvidence(_ identity: PurchaseIdentity) throws(LedgerError) -> [RefundEvidenceRow] {
    try rows(.ofPurchase, [IndexKey(identity)])
  }

  package func refundEvidence(
    of purchases: [PurchaseIdentity]
  ) throws(LedgerError) -> [PurchaseIdentity: [RefundEvidenceRow]] {
    try rows(.ofPurchase, purchases.map { IndexKey($0) }, groupedBy: \.identity)
  }

  /// The transactions that changed how much of the purchase is clawed back, oldest first.
  ///
  /// - Parameter owner: The credited customer.
  package func refunds(of purchase: Int64, of owner: CustomerNumber? = nil) throws(LedgerError) -> [RefundRow] {
    try rows(.ofPurchase, [IndexKey(purchase, of: owner)])
  }

  /// The refunds of each purchase, oldest first; one without is left out.
  package func refunds(of purchases: [RowAddress]) throws(LedgerError) -> [Int64: [RefundRow]] {
    try rows(.ofPurchase, purchases.keys, groupedBy: \.purchase)
  }

  /// Finds the refunds that these transactions booked; one that booked none is left out.
  ///
  /// - Parameter transactions: Each with its customer, into which the customer of the purchase may be merged.
  package func refunds(bookedBy transactions: [RowAddress]) throws(LedgerError) -> [TransactionNumber: RefundRow] {
    try rows(.byTransaction, transactions.keys, by: \.transaction)
  }

  /// - Parameter owner: The customer that the refunded purchase was credited to.
  package func refundParts(
    of transaction: TransactionNumber, of owner: CustomerNumber? = nil
  ) throws(LedgerError) -> [RefundPartRow] {
    try rows(.ofTransaction, [IndexKey(transaction, of: owner)])
  }

  /// Reads the parts of each refund in the order of their positions; a refund without any is left out.
  package func refundParts(of transactions: [RowAddress]) throws(LedgerError) -> [TransactionNumber: [RefundPartRow]] {
    try rows(.ofTransaction, transactions.keys, groupedBy: \.transaction)
  }
}

// MARK: Orders

extension StorageSnapshot {
  package func order(_ code: PurchaseCode) throws(LedgerError) -> OrderRow? {
    try row(.byCode, IndexKey(text: code.text))
  }

  /// The order that the purchase paid for.
  package func order(purchase: Int64) throws(LedgerError) -> OrderRow? { try row(.byPurchase, IndexKey(purchase)) }

  package func order(key: IdempotencyKey, customer: CustomerNumber) throws(LedgerError) -> OrderRow? {
    try row(.byKey, IndexKey(customer, text: key.text))
  }

  /// Finds the order under a key: of the customer as named first, then of the surviving customer, as keys are looked
  /// up.
  package func order(key: IdempotencyKey, customer: FoundCustomer) throws(LedgerError) -> OrderRow? {
    if let own = try order(key: key, customer: customer.original) { return own }
    return customer.original == customer.number ? nil : try order(key: key, customer: customer.number)
  }

  /// The customer's orders below a number, newest first.
  package func orders(
    of customer: CustomerNumber, below: OrderNumber, limit: Int
  ) throws(LedgerError) -> [OrderRow] {
    try page(.ofCustomer, IndexKey(customer), after: IndexPlace(below), limit: limit)
  }

  /// The orders of a state after a position that are due until an instant, it included, in the order in which they are
  /// due.
  package func orders(
    _ state: OrderRow.State, after: OrderPosition, dueUntil: Int64, limit: Int
  ) throws(LedgerError) -> [OrderRow] {
    let rows: [OrderRow] = try page(
      .due, IndexKey(state.rawValue), after: IndexPlace(after.dueAt, after.number), limit: limit)
    return Array(rows.prefix { $0.dueAt <= dueUntil })
  }
}
