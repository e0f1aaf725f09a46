extension Ledger {
  /// Returns the customer that an id names, merges counted, with the balances.
  ///
  /// - Throws: ``LedgerError`` with `customer_not_found`.
  public func customer(_ id: CustomerID) throws(LedgerError) -> CustomerSummary {
    try reading { (snapshot, definitions) throws(LedgerError) -> CustomerSummary in
      let found = try CustomerFinder(snapshot).customer(id)
      guard let row = try snapshot.customer(number: found.number) else { throw .customerNotFound(id) }
      return try summary(of: row, named: id, in: snapshot, definitions: definitions)
    }
  }

  /// Returns all ids of the customer that an id names, the customer's original id first.
  ///
  /// - Throws: ``LedgerError`` with `customer_not_found`.
  public func customerIDs(of id: CustomerID) throws(LedgerError) -> [CustomerID] {
    try storage.read { (snapshot) throws(LedgerError) -> [CustomerID] in
      let found = try CustomerFinder(snapshot).customer(id)
      guard let row = try snapshot.customer(number: found.number) else { throw .customerNotFound(id) }
      return try CustomerFinder(snapshot).ids(of: row)
    }
  }

  /// Returns original ids of customers, oldest customer first; merged and erased ones are left out.
  ///
  /// - Parameters:
  ///   - id: The list begins behind the customer that was made under it; nil for the oldest.
  ///   - limit: How many at most; at least 1.
  /// - Throws: ``LedgerError`` with `customer_not_found`.
  package func originalCustomerIDs(
    after id: CustomerID? = nil, limit: Int
  ) throws(LedgerError) -> [CustomerID] {
    try storage.read { (snapshot) throws(LedgerError) -> [CustomerID] in
      let finder = CustomerFinder(snapshot)
      var last: CustomerNumber = 0
      if let id { last = try finder.customer(id).original }
      var ids: [CustomerID] = []
      while ids.count < limit {
        let page = try finder.unmerged(after: last, limit: limit)
        guard let end = page.last?.number else { break }
        ids += page.lazy.map(\.id).filter { !$0.isOfErased }
        last = end
      }
      return Array(ids.prefix(limit))
    }
  }

  func summary(
    of row: CustomerRow, named id: CustomerID, in snapshot: any StorageSnapshot, definitions: CurrencyDefinitions
  ) throws(LedgerError) -> CustomerSummary {
    let customer = FoundCustomer(row, original: row.number)
    let moments = try moments(of: customer, in: snapshot, definitions: definitions)
    let known = Set(try snapshot.accounts(of: row.number).map(\.number.currency))
    var balances: [Balance] = []
    for currency in definitions.currencies {
      let moment = moments.moment(AccountNumber(customer: row.number, currency: currency.number))
      // A currency with scheduled grants has a balance before anything is booked.
      guard known.contains(currency.number) || moment.balance != 0 else { continue }
      balances.append(Balance(currency, definitions, moment))
    }
    return CustomerSummary(
      id: id, originalID: row.id, ids: try CustomerFinder(snapshot).ids(of: row), createdAt: row.createdAt,
      isFrozen: row.isFrozen, frozenReason: row.frozenReason, balances: balances)
  }
}
