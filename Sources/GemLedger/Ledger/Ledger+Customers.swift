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
