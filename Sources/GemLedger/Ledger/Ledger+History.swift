extension Ledger {
  /// Returns a page of a customer's transactions, newest first; the cost depends on the page, not on the history's
  /// length.
  ///
  /// Transactions of merged customers are included, in order of time.
  ///
  /// - Parameters:
  ///   - customer: Must exist.
  ///   - limit: 1 to ``Limits/historyPage``.
  ///   - cursor: The cursor of the page before; nil for the newest.
  /// - Throws: ``LedgerError`` with, in order of precedence, `limit_exceeded`, `customer_not_found`, `invalid_request`
  ///   for a cursor that is not of this list.
  public func history(
    of customer: CustomerID, limit: Int = 100, after cursor: PageCursor? = nil
  ) throws(LedgerError) -> HistoryPage {
    try Limits.check(page: limit)
    return try reading { (snapshot, definitions) throws(LedgerError) -> HistoryPage in
      let finder = CustomerFinder(snapshot)
      let row = try finder.customer(customer)
      let salt = definitions.transactionIDs.salt
      let start = try cursor?.position(list: row.number, salt: salt) ?? .max
      let owners = try finder.numbers(of: row)
      let numbers = try snapshot.newestTransactions(ofAny: owners, below: start, limit: limit + 1)
      let records = try HistoryReader(snapshot: snapshot, definitions: definitions)
        .records(Array(numbers.prefix(limit)), of: owners, among: finder.related(to: row), customer: customer)
      let next = numbers.count > limit ? PageCursor(position: numbers[limit - 1], list: row.number, salt: salt) : nil
      return HistoryPage(transactions: records, next: next)
    }
  }

  /// Returns one transaction.
  ///
  /// - Throws: ``LedgerError`` with `transaction_not_found`, also for an id of another project.
  public func transaction(_ id: TransactionID) throws(LedgerError) -> HistoryRecord {
    try reading { (snapshot, definitions) throws(LedgerError) -> HistoryRecord in
      guard let number = definitions.transactionIDs.number(of: id), let row = try snapshot.transaction(number),
        definitions.transactionIDs.id(number: number, createdAt: row.createdAt) == id,
        let customer = try snapshot.customer(number: row.customer),
        let record = try HistoryReader(snapshot: snapshot, definitions: definitions)
          .records([number], of: [row.customer], among: [row.customer], customer: customer.id).first
      else { throw LedgerError(.transactionNotFound, "There is no transaction \(id) in this ledger.") }
      return record
    }
  }

  /// Returns a page of customers with their balances, oldest first.
  ///
  /// - Throws: ``LedgerError`` with, in order of precedence, `limit_exceeded`, `invalid_request` for a cursor that is
  ///   not of this list.
  public func customers(limit: Int = 100, after cursor: PageCursor? = nil) throws(LedgerError) -> CustomersPage {
    try Limits.check(page: limit)
    return try reading { (snapshot, definitions) throws(LedgerError) -> CustomersPage in
      let salt = definitions.transactionIDs.salt
      let start = try cursor?.position(list: Self.customersList, salt: salt) ?? 0
      let rows = try CustomerFinder(snapshot).unmerged(after: start, limit: limit + 1)
      var customers: [CustomerSummary] = []
      for row in rows.prefix(limit) {
        customers.append(try CustomerSummary(of: row, named: row.id, in: snapshot, of: self, definitions: definitions))
      }
      let next =
        rows.count > limit ? PageCursor(position: rows[limit - 1].number, list: Self.customersList, salt: salt) : nil
      return CustomersPage(customers: customers, next: next)
    }
  }

  // The number of this list; the lists of single customers have positive numbers.
  static let customersList: Int64 = -1
}
