internal import GemLedger

/// Customers with their ids.
struct CustomerTable {
  let statements: StatementRunner
  let catalog: CatalogTable

  // MARK: Reading

  func customer(_ id: CustomerID) throws(LedgerError) -> FoundCustomer? {
    // An id of that form that a caller chose, before such ids were refused, is listed as every other.
    if id.isOfErased, let row = try erased(id) {
      guard row.mergedInto != 0 else { return FoundCustomer(row, original: row.number) }
      return try customer(number: row.mergedInto).map { FoundCustomer($0, original: row.number) }
    }
    let (found, mergedInto) = try statements.translating {
      () throws(SQLiteFailure) -> (FoundCustomer?, CustomerNumber) in
      let statement = try statements.hot(.customer)
      statement.bind(1, id.text)
      guard try statement.step() else { return (nil, 0) }
      defer { statement.reset() }
      var found = FoundCustomer(number: try statement.number(0), isFrozen: statement.integer(1) != 0)
      found.isOneOfSeveral = statement.integer(3) > 0
      return (found, try statement.number(2))
    }
    guard let found, mergedInto != 0 else { return found }
    guard let survivor = try customer(number: mergedInto) else {
      throw LedgerError(
        .storageDamaged,
        "\(statements.path) has no customer \(mergedInto), whom another became part of. Run verify.")
    }
    return FoundCustomer(survivor, original: found.number)
  }

  /// The customer that has the erased form of an id, which contains the customer's number.
  func erased(_ id: CustomerID) throws(LedgerError) -> CustomerRow? {
    guard let number = id.numberOfErased(salt: try catalog.project().salt), let row = try customer(number: number)
    else {
      return nil
    }
    return row.id == id ? row : nil
  }

  func customer(number: CustomerNumber) throws(LedgerError) -> CustomerRow? {
    try statements.first(
      """
      SELECT customer, id, created_at, frozen, frozen_reason, merged_into, merged_count FROM customers
      WHERE customer = ?1
      """, { $0.bind(1, number) }, Self.customer)
  }

  func customers(after number: CustomerNumber, limit: Int) throws(LedgerError) -> [CustomerRow] {
    try statements.page(
      """
      SELECT customer, id, created_at, frozen, frozen_reason, merged_into, merged_count FROM customers
      WHERE customer > ?1 ORDER BY customer LIMIT ?2
      """, after: number, limit, Self.customer)
  }

  func mergedCustomers(into number: CustomerNumber) throws(LedgerError) -> [CustomerNumber] {
    try statements.all(
      "SELECT customer FROM customers WHERE merged_into = ?1 AND merged_into <> 0 ORDER BY customer",
      { $0.bind(1, number) }, { (row) throws(SQLiteFailure) in try row.number(0) })
  }

  func addedIDs(of number: CustomerNumber) throws(LedgerError) -> [CustomerID] {
    try statements.all(
      "SELECT id FROM added_ids WHERE customer = ?1", { $0.bind(1, number) }, { CustomerID(unchecked: $0.text(0)) })
  }

  func customerIDs(after: CustomerID?, limit: Int) throws(LedgerError) -> [AddedIDRow] {
    try statements.scanned(
      "SELECT customer, id FROM aliases WHERE id > ?1 ORDER BY id LIMIT ?2",
      after: after.map { AddedIDRow(customer: 0, id: $0) },
      { ByteOrder.precedes(($0.id.text, 0), ($1.id.text, 0)) },
      {
        // Nothing sorts before the empty text, which is no id.
        $0.bind(1, after?.text ?? "")
        $0.bind(2, Int64(limit))
      },
      { (row) throws(SQLiteFailure) in
        AddedIDRow(customer: try row.number(0), id: CustomerID(unchecked: row.text(1)))
      })
  }

  static func customer(_ row: SQLiteStatement) throws(SQLiteFailure) -> CustomerRow {
    var customer = CustomerRow(
      number: try row.number(0), id: CustomerID(unchecked: row.text(1)), createdAt: try row.instant(2))
    customer.frozen = try row.number(3)
    customer.frozenReason = row.optionalText(4).map(Reason.init(unchecked:))
    customer.mergedInto = try row.number(5)
    customer.merged = try row.number(6)
    return customer
  }

  // MARK: Batches

  func customers(_ wanted: [CustomerNumber]) throws(LedgerError) -> [CustomerNumber: CustomerRow] {
    var found: [CustomerNumber: CustomerRow] = [:]
    found.reserveCapacity(wanted.count)
    try statements.batch(
      wanted,
      """
      SELECT customer, id, created_at, frozen, frozen_reason, merged_into, merged_count FROM customers
      WHERE customer >= ?1 ORDER BY customer
      """
    ) { (number, row) throws(SQLiteFailure) in found[number] = try Self.customer(row) }
    return found
  }

  /// By the rows that are there: the numbers in between may be none.
  func customerNumber(after: CustomerNumber, skipping count: Int) throws(LedgerError) -> CustomerNumber? {
    try statements.first(
      "SELECT customer FROM customers WHERE customer > ?1 ORDER BY customer LIMIT 1 OFFSET ?2",
      {
        $0.bind(1, after)
        $0.bind(2, Int64(count))
      }, { (row) throws(SQLiteFailure) in try row.number(0) })
  }

  func addedIDs(of customers: [CustomerNumber]) throws(LedgerError) -> [CustomerNumber: [CustomerID]] {
    var found: [CustomerNumber: [CustomerID]] = [:]
    try statements.batch(customers, "SELECT customer, id FROM added_ids WHERE customer >= ?1 ORDER BY customer") {
      found[$0, default: []].append(CustomerID(unchecked: $1.text(1)))
    }
    return found
  }
}
