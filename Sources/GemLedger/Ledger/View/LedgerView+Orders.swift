extension LedgerView {
  /// Purchases announced before payment.
  public struct Orders {
    let snapshot: any StorageSnapshot

    /// Finds the order; nil if there is none.
    public func find(_ code: PurchaseCode) throws(LedgerError) -> LedgerOrder? {
      try snapshot.order(code).map(LedgerOrder.init)
    }

    /// Returns the order.
    ///
    /// - Throws: ``LedgerError`` with `order_not_found`.
    public func order(_ code: PurchaseCode) throws(LedgerError) -> LedgerOrder {
      guard let order = try find(code) else { throw .orderNotFound(code) }
      return order
    }

    /// Returns the order that the purchase paid for; nil if it was not announced.
    public func order(paidBy purchase: Purchase) throws(LedgerError) -> LedgerOrder? {
      try snapshot.order(purchase: purchase.address.number).map(LedgerOrder.init)
    }

    /// Returns the order that the customer announced under the key; nil if there is none.
    public func order(key: IdempotencyKey, customer: KnownCustomer) throws(LedgerError) -> LedgerOrder? {
      try snapshot.order(key: key, customer: customer.found).map(LedgerOrder.init)
    }

    /// Returns a page of the customer's orders, newest first; pages count from 1.
    public func page(_ page: Int, size: Int, of customer: KnownCustomer) throws(LedgerError) -> [LedgerOrder] {
      let numbers = try CustomerFinder(snapshot).numbers(of: customer.found)
      return try NumberedPages.page(page, size: size, number: \.number) { (below, limit) throws(LedgerError) in
        var rows: [OrderRow] = []
        for number in numbers { rows += try snapshot.orders(of: number, below: below, limit: limit) }
        return Array(rows.sorted { $0.number > $1.number }.prefix(limit))
      }.map(LedgerOrder.init)
    }

    /// Returns the orders to search for the one that a purchase pays for.
    ///
    /// - Parameters:
    ///   - id: The customer of the purchase.
    ///   - purchase: The purchase if it is credited, else nil.
    ///   - limit: The maximum number of orders of the customer, and of each merged customer.
    /// - Returns: The candidates; nil if the purchase has its order, or belongs to another customer.
    public func candidates(
      of id: CustomerID, for purchase: Purchase?, limit: Int
    ) throws(LedgerError) -> [LedgerOrder]? {
      let customer = try snapshot.customer(id)
      if let purchase {
        guard try snapshot.order(purchase: purchase.address.number) == nil, customer?.number == purchase.address.owner
        else {
          return nil
        }
      }
      guard let customer else { return [] }
      var orders: [LedgerOrder] = []
      for number in try CustomerFinder(snapshot).numbers(of: customer) {
        orders += try snapshot.orders(of: number, below: .max, limit: limit).map(LedgerOrder.init)
      }
      return orders
    }

    /// Returns orders of a state after a position that are due until an instant, inclusive, in the order in which they
    /// are due.
    package func orders(
      _ state: LedgerOrder.State, after position: OrderPosition, dueUntil: Timestamp, limit: Int
    ) throws(LedgerError) -> [LedgerOrder] {
      try snapshot.orders(state.stored, after: position, dueUntil: dueUntil.milliseconds, limit: limit)
        .map(LedgerOrder.init)
    }

    /// Returns the id of the customer of an order, following merges.
    ///
    /// - Parameters:
    ///   - order: An order of this ledger.
    ///   - asked: The id to return if it names the same customer, so that callers recognise their id.
    public func customer(
      of order: LedgerOrder, asNamedBy asked: CustomerID? = nil
    ) throws(LedgerError) -> CustomerID {
      let finder = CustomerFinder(snapshot)
      return try finder.id(of: finder.survivor(of: order.owner), asNamedBy: asked)
    }

    /// Returns the store's id of the transaction that paid for the order; nil if none did.
    public func storeTransactionID(of order: LedgerOrder) throws(LedgerError) -> StoreTransactionID? {
      try payment(of: order)?.id
    }

    /// Returns the transaction that paid for the order, with the first transaction of its subscription and the price.
    ///
    /// - Returns: Nil if no transaction paid for the order.
    package func payment(
      of order: LedgerOrder
    ) throws(LedgerError) -> (id: StoreTransactionID, originalID: StoreTransactionID, price: Money?)? {
      guard let number = order.purchaseNumber, let row = try snapshot.purchase(number: number) else { return nil }
      return (row.identity.transactionID, row.originalTransactionID ?? row.identity.transactionID, row.price)
    }
  }
}
