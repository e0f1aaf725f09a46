extension Ledger {
  /// Returns a page of a customer's transactions, newest first; the cost is that of the page, however long the history.
  ///
  /// Transactions of merged customers are included, in order of time.
  ///
  /// - Parameters:
  ///   - customer: Must exist.
  ///   - limit: 1 to ``Limits/historyPage``.
  ///   - cursor: Where the page before ended; nil for the newest.
  /// - Throws: ``LedgerError`` with, in order of precedence, `limit_exceeded`, `customer_not_found`, `invalid_request`
  ///   for a cursor that this list did not give.
  public func history(
    of customer: CustomerID, limit: Int = 100, after cursor: PageCursor? = nil
  ) throws(LedgerError) -> HistoryPage {
    try Self.check(limit: limit)
    return try reading { (snapshot, definitions) throws(LedgerError) -> HistoryPage in
      let row = try Self.customer(customer, in: snapshot)
      let salt = definitions.transactionIDs.salt
      let start = try cursor?.position(list: row.number, salt: salt) ?? .max
      let owners = try Self.numbers(of: row, in: snapshot)
      let numbers = try snapshot.newestTransactions(ofAny: owners, below: start, limit: limit + 1)
      let records = try Self.records(
        Array(numbers.prefix(limit)), of: owners, customer: customer, in: snapshot, definitions: definitions)
      let next = numbers.count > limit ? PageCursor(position: numbers[limit - 1], list: row.number, salt: salt) : nil
      return HistoryPage(transactions: records, next: next)
    }
  }

  /// One transaction.
  ///
  /// - Throws: ``LedgerError`` with `transaction_not_found`, for an id of another project too.
  public func transaction(_ id: TransactionID) throws(LedgerError) -> HistoryRecord {
    try reading { (snapshot, definitions) throws(LedgerError) -> HistoryRecord in
      guard let number = definitions.transactionIDs.number(of: id), let row = try snapshot.transaction(number),
        definitions.transactionIDs.id(number: number, createdAt: row.createdAt) == id,
        let customer = try snapshot.customer(number: row.customer),
        let record = try Self.records(
          [number], of: [row.customer], customer: customer.id, in: snapshot, definitions: definitions
        ).first
      else { throw LedgerError(.transactionNotFound, "There is no transaction \(id) in this ledger.") }
      return record
    }
  }

  /// Returns a page of customers with their balances, oldest first.
  ///
  /// - Throws: ``LedgerError`` with, in order of precedence, `limit_exceeded`, `invalid_request` for a cursor that this
  ///   list did not give.
  public func customers(limit: Int = 100, after cursor: PageCursor? = nil) throws(LedgerError) -> CustomersPage {
    try Self.check(limit: limit)
    return try reading { (snapshot, definitions) throws(LedgerError) -> CustomersPage in
      let salt = definitions.transactionIDs.salt
      let start = try cursor?.position(list: Self.customersList, salt: salt) ?? 0
      let rows = try Self.unmergedCustomers(after: start, limit: limit + 1, in: snapshot)
      var customers: [CustomerSummary] = []
      for row in rows.prefix(limit) {
        customers.append(try summary(of: row, named: row.id, in: snapshot, definitions: definitions))
      }
      let next =
        rows.count > limit ? PageCursor(position: rows[limit - 1].number, list: Self.customersList, salt: salt) : nil
      return CustomersPage(customers: customers, next: next)
    }
  }

  /// Reads customers without the merged ones, which are listed as their surviving customers, and without stocks.
  private static func unmergedCustomers(
    after number: CustomerNumber, limit: Int, in snapshot: any StorageSnapshot
  ) throws(LedgerError) -> [CustomerRow] {
    var found: [CustomerRow] = []
    var last = number
    while found.count < limit {
      let page = try snapshot.customers(after: last, limit: limit)
      guard let end = page.last?.number else { break }
      found += page.filter { $0.mergedInto == 0 && !$0.id.isOfStock }
      last = end
    }
    return Array(found.prefix(limit))
  }

  // A list of its own beside the customers' lists, which have positive numbers.
  private static let customersList: Int64 = -1

  package static func check(limit: Int) throws(LedgerError) {
    guard (1...Limits.historyPage).contains(limit) else {
      throw LedgerError(
        .limitExceeded, "A page of \(limit) is out of range: 1 to \(Limits.historyPage).",
        details: [.integer("limit", Int64(Limits.historyPage))])
    }
  }

  private static func records(
    _ numbers: [TransactionNumber], of owners: [CustomerNumber], customer: CustomerID,
    in snapshot: any StorageSnapshot, definitions: CurrencyDefinitions
  ) throws(LedgerError) -> [HistoryRecord] {
    let found = try snapshot.notedTransactions(numbers, ofAny: owners)
    var records: [HistoryRecord] = []
    // An empty unit of work: reads return the stored rows.
    let set = UnitOfWork()
    for number in numbers {
      guard let transaction = found[number] else {
        throw LedgerError(.storageDamaged, "The journal lacks transaction \(number); run verify.")
      }
      let note = transaction.note
      var booking = try transaction.parts.booking(customer: customer, definitions: definitions)
      if transaction.parts.row.kind.hasEvents {
        try AnswerCompletion.completeAlone(
          set, &booking, of: transaction.parts.row, definitions: definitions, session: snapshot)
      }
      records.append(
        HistoryRecord(
          booking: booking, reference: note?.reference,
          reason: note?.reason, actor: note?.actor))
    }
    return records
  }
}
