extension Ledger {
  /// Returns a page of a customer's credits for store transactions, newest credit first.
  ///
  /// Credits to merged customers are included.
  ///
  /// - Parameters:
  ///   - customer: Must exist.
  ///   - cursor: The cursor of the page before; nil for the newest.
  ///   - limit: 1 to ``Limits/historyPage``.
  /// - Throws: ``LedgerError`` with, in order of precedence, `limit_exceeded`, `customer_not_found`, `invalid_request`
  ///   for a cursor that is not of this list.
  public func purchases(
    of customer: CustomerID, before cursor: PageCursor? = nil, limit: Int = 100
  ) throws(LedgerError) -> PurchasesPage {
    try Limits.check(page: limit)
    return try reading { (snapshot, definitions) throws(LedgerError) -> PurchasesPage in
      let found = try CustomerFinder(snapshot).customer(customer)
      // Negative, and below -1: histories have positive numbers, and the list of customers has -1.
      let list = -1 - found.number
      let salt = definitions.transactionIDs.salt
      let start = try cursor?.position(list: list, salt: salt) ?? .max
      var rows: [PurchaseRow] = []
      for number in try CustomerFinder(snapshot).numbers(of: found) {
        rows += try snapshot.purchases(of: number, below: start, limit: limit + 1)
      }
      rows.sort { $0.number > $1.number }
      var reader = PurchaseReader(snapshot: snapshot, definitions: definitions)
      var purchases: [Purchase] = []
      for row in rows.prefix(limit) { purchases.append(try reader.purchase(row)) }
      let next = rows.count > limit ? PageCursor(position: rows[limit - 1].number, list: list, salt: salt) : nil
      return PurchasesPage(purchases: purchases, next: next)
    }
  }

  /// Returns the purchase that was credited for a store transaction; nil if there is none.
  ///
  /// - Throws: ``LedgerError`` if the storage fails.
  public func purchase(
    store: Store, environment: StoreEnvironment, transactionID: StoreTransactionID
  ) throws(LedgerError) -> Purchase? {
    try view { (view) throws(LedgerError) -> Purchase? in
      try view.purchases.purchase(store: store, environment: environment, transactionID: transactionID)
    }
  }
}
