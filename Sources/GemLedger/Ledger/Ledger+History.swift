extension Ledger {
  /// A page of a customer's transactions, newest first; the cost is that of the page, however long the history.
  ///
  /// What was booked for customers who became part of this one is among it, in its place in time.
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
    return try reading { (snapshot, terms) throws(LedgerError) -> HistoryPage in
      let row = try Self.customer(customer, in: snapshot)
      let salt = terms.transactionIDs.salt
      let start = try cursor?.place(list: row.number, salt: salt) ?? .max
      let owners = try Self.numbers(of: row, in: snapshot)
      let numbers = try Self.transactions(of: owners, below: start, limit: limit + 1, in: snapshot)
      var records: [HistoryRecord] = []
      for number in numbers.prefix(limit) {
        records.append(try Self.record(number, of: owners, customer: customer, in: snapshot, terms: terms))
      }
      let next = numbers.count > limit ? PageCursor(place: numbers[limit - 1], list: row.number, salt: salt) : nil
      return HistoryPage(transactions: records, next: next)
    }
  }

  /// One transaction.
  ///
  /// - Throws: ``LedgerError`` with `transaction_not_found`, for an id of another project too.
  public func transaction(_ id: TransactionID) throws(LedgerError) -> HistoryRecord {
    try reading { (snapshot, terms) throws(LedgerError) -> HistoryRecord in
      guard let number = terms.transactionIDs.number(of: id), let row = try snapshot.transaction(number),
        terms.transactionIDs.id(number: number, createdAt: row.createdAt) == id,
        let customer = try snapshot.customer(number: row.customer)
      else { throw LedgerError(.transactionNotFound, "There is no transaction \(id) in this ledger.") }
      return try Self.record(number, of: [row.customer], customer: customer.id, in: snapshot, terms: terms)
    }
  }

  /// A page of customers with what they have, oldest first.
  ///
  /// - Throws: ``LedgerError`` with, in order of precedence, `limit_exceeded`, `invalid_request` for a cursor that this
  ///   list did not give.
  public func customers(limit: Int = 100, after cursor: PageCursor? = nil) throws(LedgerError) -> CustomersPage {
    try Self.check(limit: limit)
    return try reading { (snapshot, terms) throws(LedgerError) -> CustomersPage in
      let salt = terms.transactionIDs.salt
      let start = try cursor?.place(list: Self.customersList, salt: salt) ?? 0
      let rows = try Self.unmergedCustomers(after: start, limit: limit + 1, in: snapshot)
      var customers: [CustomerSummary] = []
      for row in rows.prefix(limit) {
        customers.append(try summary(of: row, named: row.id, in: snapshot, terms: terms))
      }
      let next =
        rows.count > limit ? PageCursor(place: rows[limit - 1].number, list: Self.customersList, salt: salt) : nil
      return CustomersPage(customers: customers, next: next)
    }
  }

  /// Those who became part of another are the other.
  private static func unmergedCustomers(
    after number: CustomerNumber, limit: Int, in snapshot: any StorageSnapshot
  ) throws(LedgerError) -> [CustomerRow] {
    var found: [CustomerRow] = []
    var last = number
    while found.count < limit {
      let page = try snapshot.customers(after: last, limit: limit)
      guard let end = page.last?.number else { break }
      found += page.filter { $0.mergedInto == 0 }
      last = end
    }
    return Array(found.prefix(limit))
  }

  // A list of its own beside those of the customers, whose numbers are positive.
  private static let customersList: Int64 = -1

  static func check(limit: Int) throws(LedgerError) {
    guard (1...Limits.historyPage).contains(limit) else {
      throw LedgerError(
        .limitExceeded, "A page of \(limit) is out of range: 1 to \(Limits.historyPage).",
        details: [.integer("limit", Int64(Limits.historyPage))])
    }
  }

  /// The customer's newest transactions below a number, those of customers who became part of this one among them.
  private static func transactions(
    of owners: [CustomerNumber], below start: TransactionNumber, limit: Int, in snapshot: any StorageSnapshot
  ) throws(LedgerError) -> [TransactionNumber] {
    var found: [TransactionNumber] = []
    for number in owners {
      found += try transactions(of: number, below: start, limit: limit, in: snapshot)
    }
    return Array(Set(found).sorted(by: >).prefix(limit))
  }

  /// The newest transactions of one number: a merge of the histories of all accounts, and of the transactions that
  /// touched no balance.
  private static func transactions(
    of customer: CustomerNumber, below start: TransactionNumber, limit: Int, in snapshot: any StorageSnapshot
  ) throws(LedgerError) -> [TransactionNumber] {
    var found = try snapshot.transactionsWithoutEntries(of: customer, below: start, limit: limit)
    for account in try snapshot.accounts(of: customer) {
      let history = AccountHistory(snapshot: snapshot, account: account)
      var entry = try history.newest(below: start)
      var count = 0
      while let current = entry, count < limit {
        found.append(current.transaction)
        count += 1
        entry = try history.previous(current)
      }
    }
    return found
  }

  private static func record(
    _ number: TransactionNumber, of owners: [CustomerNumber], customer: CustomerID, in snapshot: any StorageSnapshot,
    terms: CatalogTerms
  ) throws(LedgerError) -> HistoryRecord {
    guard let parts = try snapshot.parts(of: number, ofAny: owners) else {
      throw LedgerError(.storageDamaged, "The journal lacks transaction \(number); run verify.")
    }
    let note = try snapshot.note(number, of: parts.row.customer)
    return HistoryRecord(
      receipt: try parts.receipt(customer: customer, terms: terms), reference: note?.reference, reason: note?.reason,
      actor: note?.actor)
  }
}
