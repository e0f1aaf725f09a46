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
  ///   - place: An id, so that the list begins after the customer that was made under it, or the text of a cursor that
  ///     an earlier call gave; nil for the oldest.
  ///   - limit: How many at most; at least 1.
  /// - Returns: The ids, and the cursor of their end where more follow; an erasure leaves it where it is.
  /// - Throws: ``LedgerError`` with `customer_not_found`.
  package func originalCustomerIDs(
    after place: CustomerID? = nil, limit: Int
  ) throws(LedgerError) -> (ids: [CustomerID], next: PageCursor?) {
    try storage.read { (snapshot) throws(LedgerError) -> (ids: [CustomerID], next: PageCursor?) in
      let finder = CustomerFinder(snapshot)
      let salt = try snapshot.project().salt
      var last = try place.map { (place) throws(LedgerError) in try finder.number(at: place, salt: salt) } ?? 0
      var rows: [CustomerRow] = []
      while rows.count <= limit {
        let page = try finder.unmerged(after: last, limit: limit + 1)
        guard let end = page.last?.number else { break }
        rows += page.lazy.filter { !$0.id.isOfErased }
        last = end
      }
      let next =
        rows.count > limit ? PageCursor(position: rows[limit - 1].number, list: Self.customersList, salt: salt) : nil
      return (rows.prefix(limit).map(\.id), next)
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

extension CustomerFinder {
  /// The number of the customer that was made under an id, or at which a cursor of the list stands.
  fileprivate func number(at place: CustomerID, salt: UInt64) throws(LedgerError) -> CustomerNumber {
    do throws(LedgerError) {
      return try PageCursor(place.text).position(list: Ledger.customersList, salt: salt)
    } catch {
      return try customer(place).original
    }
  }
}
