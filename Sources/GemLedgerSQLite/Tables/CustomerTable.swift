internal import GemLedger

/// Customers and their ids.
final class CustomerTable {
  let statements: StatementRunner
  let catalog: CatalogTable
  private let cache: RowCache
  // Only one thread at a time uses a connection and its tables, so these need no exclusivity checks.
  @exclusivity(unchecked) private var hints = CustomerHints()
  /// The neighbours of customers that were searched in transactions of the writer.
  @exclusivity(unchecked) var neighbours: NeighbourRanges

  init(statements: StatementRunner, catalog: CatalogTable, cache: RowCache, sizes: TableSizes) {
    self.statements = statements
    self.catalog = catalog
    self.cache = cache
    neighbours = NeighbourRanges(sizes)
  }

  // MARK: Reading

  func customer(_ id: CustomerID, hash: Int) throws(LedgerError) -> FoundCustomer? {
    // An id of that form that a caller chose before such ids were refused is listed like others.
    if id.isOfErased, let row = try erased(id) {
      guard row.mergedInto != 0 else { return FoundCustomer(row, original: row.number) }
      return try customer(number: row.mergedInto).map { FoundCustomer($0, original: row.number) }
    }
    let hint = hints[hash]
    if let known = cache.customer(hint, id) { return known }
    let (found, mergedInto) = try statements.translating {
      () throws(SQLiteFailure) -> (FoundCustomer?, CustomerNumber) in
      if let hinted = try hinted(id, hint) { return hinted }
      return try searched(id, hash)
    }
    guard let found, mergedInto != 0 else { return found }
    guard let survivor = try customer(number: mergedInto) else {
      throw LedgerError(
        .storageDamaged,
        "\(statements.path) has no customer \(mergedInto), the target of a merge. Run verify.")
    }
    return FoundCustomer(survivor, original: found.number)
  }

  /// Brings the rows of the commands' customers into the processor's cache.
  func prefetchIntoCache(_ commands: Slice<UnsafeBufferPointer<LedgerCommand>>) {
    withUnsafeTemporaryAllocation(of: CustomerNumber.self, capacity: commands.count) { numbers in
      for (index, command) in commands.enumerated() { numbers[index] = hints[command.customerHash] }
      cache.prefetchIntoCache(numbers)
    }
  }

  private func hinted(
    _ id: CustomerID, _ number: CustomerNumber
  ) throws(SQLiteFailure) -> (FoundCustomer, mergedInto: CustomerNumber)? {
    guard number != 0 else { return nil }
    let statement = try statements.hot(.hintedCustomer)
    statement.bind(1, number)
    guard try statement.step() else { return nil }
    defer { statement.reset() }
    guard statement.hasText(4, id.text) else { return nil }
    return try keeping(id, Self.found(statement))
  }

  private func searched(
    _ id: CustomerID, _ hash: Int
  ) throws(SQLiteFailure) -> (FoundCustomer?, mergedInto: CustomerNumber) {
    let statement = try statements.hot(.customer)
    statement.bind(1, id.text)
    guard try statement.step() else { return (nil, 0) }
    defer { statement.reset() }
    let found = try Self.found(statement)
    // The row of a customer with an added id has another id.
    guard statement.hasText(4, id.text) else { return found }
    hints[hash] = found.0.number
    if cache.isReading { neighbours.note(found.0.number) }
    return keeping(id, found)
  }

  /// Reads customers, so that they are found by number or in memory.
  func readAhead(_ customers: ClosedRange<CustomerNumber>) throws(SQLiteFailure) {
    try statements.range(
      """
      SELECT customer, frozen, merged_into, merged_count, id FROM customers WHERE customer BETWEEN ?1 AND ?2
      ORDER BY customer
      """, customers, column: 0
    ) { (row) throws(SQLiteFailure) in
      guard let text = row.optionalText(4) else { return }
      let found = try Self.found(row)
      hints[ByteHash.of(text)] = found.0.number
      if neighbours.fitIntoCache { _ = keeping(CustomerID(unchecked: text), found) }
    }
  }

  /// Keeps a row with its own id for later groups.
  private func keeping(
    _ id: CustomerID, _ row: (FoundCustomer, mergedInto: CustomerNumber)
  ) -> (FoundCustomer, mergedInto: CustomerNumber) {
    if row.mergedInto == 0 { cache.keep(RowCache.Customer(id: id, found: row.0)) }
    return row
  }

  private static func found(
    _ statement: SQLiteStatement
  ) throws(SQLiteFailure) -> (FoundCustomer, mergedInto: CustomerNumber) {
    var found = FoundCustomer(number: try statement.number(0), isFrozen: statement.integer(1) != 0)
    found.isOneOfSeveral = statement.integer(3) > 0
    return (found, try statement.number(2))
  }

  /// Returns the customer with the erased form of an id, which contains the customer's number.
  func erased(_ id: CustomerID) throws(LedgerError) -> CustomerRow? {
    guard let number = id.numberOfErased(salt: try catalog.project().salt), let row = try customer(number: number)
    else {
      return nil
    }
    return row.id == id ? row : nil
  }

  func customer(number: CustomerNumber) throws(LedgerError) -> CustomerRow? {
    try statements.row("WHERE customer = ?1") { $0.bind(1, number) }
  }

  /// Returns ids of any kind with the number of the named customer.
  func named(_ keys: [IndexKey]) throws(LedgerError) -> [AddedIDRow] {
    var found: [AddedIDRow] = []
    for key in keys {
      let id = CustomerID(unchecked: key.text)
      if id.isOfErased, let row = try erased(id) {
        found.append(AddedIDRow(customer: row.number, id: id))
      } else {
        found += try statements.rows(AddedIDRow.byID, [key])
      }
    }
    return found
  }

  func customerIDs(after: CustomerID?, limit: Int) throws(LedgerError) -> [AddedIDRow] {
    try statements.scanned(
      try statements.statement("SELECT customer, id FROM aliases WHERE id > ?1 ORDER BY id LIMIT ?2"),
      after: after.map { AddedIDRow(customer: 0, id: $0) },
      { ByteOrder.precedes(($0.id.text, 0), ($1.id.text, 0)) },
      {
        // The empty text is not an id, and nothing sorts before it.
        $0.bind(1, after?.text ?? "")
        $0.bind(2, Int64(limit))
      },
      { (row) throws(SQLiteFailure) in
        AddedIDRow(customer: try row.number(0), id: CustomerID(unchecked: row.text(1)))
      })
  }
}
