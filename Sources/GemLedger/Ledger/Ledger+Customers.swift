extension Ledger {
  /// Returns the customer that an id names, following merges, with the balances.
  ///
  /// - Throws: ``LedgerError`` with `customer_not_found`.
  public func customer(_ id: CustomerID) throws(LedgerError) -> CustomerSummary {
    try reading { (snapshot, definitions) throws(LedgerError) -> CustomerSummary in
      let found = try CustomerFinder(snapshot).customer(id)
      guard let row = try snapshot.customer(number: found.number) else { throw .customerNotFound(id) }
      return try CustomerSummary(of: row, named: id, in: snapshot, of: self, definitions: definitions)
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

  /// Returns original ids of customers, oldest customer first, without merged and erased customers.
  ///
  /// - Parameters:
  ///   - place: The original id of the customer after which the list begins, or the text of a cursor of an earlier
  ///     call; nil for the oldest.
  ///   - limit: The maximum number of ids; at least 1.
  /// - Returns: The ids, and a cursor if more follow; an erasure does not invalidate it.
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
}

extension CustomerFinder {
  /// Returns the number of the customer with this original id, or the position of a cursor of the list.
  fileprivate func number(at place: CustomerID, salt: UInt64) throws(LedgerError) -> CustomerNumber {
    do throws(LedgerError) {
      return try PageCursor(place.text).position(list: Ledger.customersList, salt: salt)
    } catch {
      return try customer(place).original
    }
  }
}

extension CustomerSummary {
  init(
    of row: CustomerRow, named id: CustomerID, in snapshot: any StorageSnapshot, of ledger: Ledger,
    definitions: CurrencyDefinitions
  ) throws(LedgerError) {
    let customer = FoundCustomer(row, original: row.number)
    let moments = try ledger.moments(of: customer, in: snapshot, definitions: definitions)
    let known = Set(try snapshot.accounts(of: row.number).map(\.number.currency))
    var balances: [Balance] = []
    for currency in definitions.currencies {
      let moment = moments.moment(AccountNumber(customer: row.number, currency: currency.number))
      // A currency with scheduled grants has a balance before its first booking.
      guard known.contains(currency.number) || moment.balance != 0 else { continue }
      balances.append(Balance(currency, definitions, moment))
    }
    self.init(
      id: id, originalID: row.id, ids: try CustomerFinder(snapshot).ids(of: row), createdAt: row.createdAt,
      isFrozen: row.isFrozen, frozenReason: row.frozenReason, balances: balances)
  }
}
