internal import GemLedger

/// Many rows by their numbers. Who reads a ledger from end to end asks for numbers that lie near each other: then
/// stepping from one row to the next costs a tenth of looking each up.
extension SQLiteTables {
  func transactions(_ wanted: [RowPlace]) throws(LedgerError) -> [TransactionNumber: TransactionRow] {
    var found: [TransactionNumber: TransactionRow] = [:]
    found.reserveCapacity(wanted.count)
    try nearby(
      wanted.map(\.number),
      """
      SELECT number, kind, customer, created_at, first_entry, digest, erasable_digest FROM transactions
      WHERE number >= ?1 ORDER BY number
      """
    ) { (number, row) throws(SQLiteFailure) in found[number] = try Self.transaction(row) }
    return found
  }

  func entries(_ wanted: [RowPlace]) throws(LedgerError) -> [EntryNumber: EntryRow] {
    var found: [EntryNumber: EntryRow] = [:]
    try nearby(wanted.map(\.number), "SELECT * FROM entries WHERE number >= ?1 ORDER BY number") {
      (number, row) throws(SQLiteFailure) in
      found[number] = try Self.entry(row)
    }
    return found
  }

  func lotTerms(_ wanted: [RowPlace]) throws(LedgerError) -> [LotNumber: LotTermsRow] {
    var found: [LotNumber: LotTermsRow] = [:]
    found.reserveCapacity(wanted.count)
    try nearby(
      wanted.map(\.number),
      """
      SELECT lot, source, environment, price, price_currency, purchase, expires_at, original_lot FROM lot_attributes
      WHERE lot >= ?1 ORDER BY lot
      """
    ) { (number, row) throws(SQLiteFailure) in found[number] = try Self.lotTerms(row) }
    return found
  }

  func customers(_ wanted: [CustomerNumber]) throws(LedgerError) -> [CustomerNumber: CustomerRow] {
    var found: [CustomerNumber: CustomerRow] = [:]
    found.reserveCapacity(wanted.count)
    try nearby(
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
    try first(
      "SELECT customer FROM customers WHERE customer > ?1 ORDER BY customer LIMIT 1 OFFSET ?2",
      {
        $0.bind(1, after)
        $0.bind(2, Int64(count))
      }, { (row) throws(SQLiteFailure) in try row.number(0) })
  }

  func addedIDs(of customers: [CustomerNumber]) throws(LedgerError) -> [CustomerNumber: [CustomerID]] {
    var found: [CustomerNumber: [CustomerID]] = [:]
    try nearby(customers, "SELECT customer, id FROM added_ids WHERE customer >= ?1 ORDER BY customer") {
      found[$0, default: []].append(CustomerID(unchecked: $1.text(1)))
    }
    return found
  }

  func entitlementHolders(of purchases: [RowPlace]) throws(LedgerError) -> [Int64: CustomerNumber] {
    var found: [Int64: CustomerNumber] = [:]
    try nearby(
      purchases.map(\.number), "SELECT purchase, holder FROM entitlements WHERE purchase >= ?1 ORDER BY purchase"
    ) { (number, row) throws(SQLiteFailure) in found[number] = try row.number(1) }
    return found
  }

  /// Gives the rows of the numbers, by a statement whose first column is the number and that begins at one.
  private func nearby(
    _ wanted: [Int64], _ sql: StaticString, _ take: (Int64, SQLiteStatement) throws(SQLiteFailure) -> Void
  ) throws(LedgerError) {
    // What is no number of a row is not there.
    let wanted = wanted.filter { $0 >= 0 }.sorted()
    let statement = try statement(sql)
    try translating { () throws(SQLiteFailure) in
      defer { statement.reset() }
      var place = 0
      while place < wanted.count {
        statement.bind(1, wanted[place])
        var (isFar, last) = (false, wanted[place])
        while try statement.step() {
          let number = statement.integer(0)
          // Rows that go back would be looked for again without end.
          guard number >= last else { throw .notAscending }
          last = number
          while place < wanted.count, wanted[place] < number { place += 1 }
          isFar = place == wanted.count || UInt64(bitPattern: wanted[place] &- number) > Self.nearbyDistance
          if isFar { break }
          if wanted[place] == number { try take(number, statement) }
        }
        // Behind the last row there is nothing to find.
        guard isFar else { return }
        statement.reset()
      }
    }
  }

  /// How many rows are passed over rather than looking up the next one that is wanted.
  private static let nearbyDistance: UInt64 = 16
}
