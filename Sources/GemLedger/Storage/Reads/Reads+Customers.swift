// Named reads, each through one index; a read of many rows passes all their keys in one call.

extension StorageSnapshot {
  /// Returns the first row with the key.
  @inline(__always)
  package func row<Row>(_ index: RowIndex<Row>, _ key: IndexKey) throws(LedgerError) -> Row? {
    try rows(index, [key]).first
  }

  /// Returns the rows with any of the keys, by name; of several rows with one name, the first.
  package func rows<Row, Name: Hashable>(
    _ index: RowIndex<Row>, _ keys: [IndexKey], by name: (Row) -> Name
  ) throws(LedgerError) -> [Name: Row] {
    if keys.isEmpty { return [:] }
    let rows = try rows(index, keys)
    var found = [Name: Row](minimumCapacity: rows.count)
    for row in rows where found[name(row)] == nil { found[name(row)] = row }
    return found
  }

  /// Returns the rows with any of the keys, grouped by name.
  package func rows<Row, Name: Hashable>(
    _ index: RowIndex<Row>, _ keys: [IndexKey], groupedBy name: (Row) -> Name
  ) throws(LedgerError) -> [Name: [Row]] {
    keys.isEmpty ? [:] : Dictionary(grouping: try rows(index, keys), by: name)
  }
}

extension Array where Element == RowAddress {
  package var keys: [IndexKey] { map(IndexKey.init) }
}

// MARK: Customers

extension StorageSnapshot {
  package func customer(_ id: CustomerID) throws(LedgerError) -> FoundCustomer? {
    try customer(id, hash: ByteHash.of(id.text))
  }

  package func customer(number: CustomerNumber) throws(LedgerError) -> CustomerRow? {
    try row(CustomerRow.byNumber, IndexKey(number))
  }

  package func customers(after number: CustomerNumber, limit: Int) throws(LedgerError) -> [CustomerRow] {
    try page(CustomerRow.inOrder, IndexKey(), after: IndexPlace(number), limit: limit)
  }

  package func customers(_ wanted: [CustomerNumber]) throws(LedgerError) -> [CustomerNumber: CustomerRow] {
    try rows(CustomerRow.byNumber, wanted.map { IndexKey($0) }, by: \.number)
  }

  /// Finds the customer that each id names.
  package func customers(named wanted: [CustomerID]) throws(LedgerError) -> [CustomerID: FoundCustomer] {
    let ids = try rows(AddedIDRow.byID, wanted.map { IndexKey(text: $0.text) })
    let named = try customers(ids.map(\.customer))
    let survivors = try customers(named.values.map(\.mergedInto).filter { $0 != 0 })
    var found: [CustomerID: FoundCustomer] = [:]
    for id in ids {
      guard let row = named[id.customer] else { continue }
      guard let survivor = row.mergedInto == 0 ? row : survivors[row.mergedInto] else {
        throw LedgerError(
          .storageDamaged, "Customer number \(row.mergedInto), the target of a merge, has no row. Run verify.")
      }
      found[id.id] = FoundCustomer(survivor, original: id.customer)
    }
    return found
  }

  /// The customers merged into this one, ascending.
  package func mergedCustomers(into number: CustomerNumber) throws(LedgerError) -> [CustomerNumber] {
    let rows: [MergedCustomerRow] = try rows(MergedCustomerRow.ofSurvivor, [IndexKey(number)])
    return rows.map(\.merged)
  }

  /// The merges into this customer and the unmerges that split it off, oldest first.
  package func merges(into number: CustomerNumber) throws(LedgerError) -> [MergeRow] {
    try rows(MergeRow.into, [IndexKey(number)])
  }

  /// The ids added to the customer of this number, without the original id.
  package func addedIDs(of number: CustomerNumber) throws(LedgerError) -> [CustomerID] {
    let rows: [AddedIDRow] = try rows(AddedIDRow.added, [IndexKey(number)])
    return rows.map(\.id)
  }

  /// Returns the added ids by customer; customers without added ids are left out.
  package func addedIDs(of customers: [CustomerNumber]) throws(LedgerError) -> [CustomerNumber: [CustomerID]] {
    let rows: [CustomerNumber: [AddedIDRow]] = try rows(
      AddedIDRow.added, customers.map { IndexKey($0) }, groupedBy: \.customer)
    return rows.mapValues { $0.map(\.id) }
  }

  package func customer(token: TokenNumber) throws(LedgerError) -> CustomerNumber? {
    let row: AccountTokenRow? = try row(AccountTokenRow.byToken, IndexKey(token.high, token.low))
    return row?.customer
  }
}

// MARK: Accounts

extension StorageSnapshot {
  package func accounts(of customer: CustomerNumber) throws(LedgerError) -> [AccountRow] {
    try rows(AccountRow.ofCustomer, [IndexKey(customer)])
  }

  /// Returns all accounts of the customers; each customer's accounts are in the order of currencies.
  package func accounts(of customers: [CustomerNumber]) throws(LedgerError) -> [AccountRow] {
    try rows(AccountRow.ofCustomer, customers.map { IndexKey($0) })
  }
}

extension CustomerRow {
  /// Reads the customers after a number to their end, page by page.
  package static func eachPage(
    after number: CustomerNumber = 0, in snapshot: some StorageSnapshot,
    _ body: ([CustomerRow]) throws(LedgerError) -> Void
  ) throws(LedgerError) {
    var last = number
    while true {
      let page = try snapshot.customers(after: last, limit: ScanPage.size)
      guard let end = page.last?.number else { return }
      last = end
      try body(page)
    }
  }
}
