/// Sums of the digests of all rows, by kind.
///
/// Every commit adds the digests of its rows, so that a row that is added, removed or changed outside the ledger is
/// noticed. Sums wrap around. They do not depend on the order of rows: lanes keep separate sums, and a copy of the
/// storage has equal sums.
package struct RecordSums: Hashable, Sendable {
  /// Of all transactions' digests.
  package var transactions: Int64 = 0
  package var customers: Int64 = 0
  package var addedIDs: Int64 = 0
  package var accountTokens: Int64 = 0
  /// Of the announced fields of orders.
  package var orders: Int64 = 0
  package var environments: Int64 = 0
  package var catalogVersions: Int64 = 0
  /// Of the catalog's current objects; nil in changes that leave the catalog as it was.
  package var catalog: Int64?

  package init() {}

  /// All sums, in an order that never changes.
  package var values: [Int64] {
    [transactions, customers, addedIDs, accountTokens, orders, environments, catalogVersions, catalog ?? 0]
  }

  /// - Parameter values: As many as ``values`` gives.
  package init(values: [Int64]) {
    (transactions, customers, addedIDs, accountTokens) = (values[0], values[1], values[2], values[3])
    (orders, environments, catalogVersions, catalog) = (values[4], values[5], values[6], values[7])
  }

  package static func + (left: Self, right: Self) -> Self {
    var sum = left
    sum.transactions &+= right.transactions
    sum.customers &+= right.customers
    sum.addedIDs &+= right.addedIDs
    sum.accountTokens &+= right.accountTokens
    sum.orders &+= right.orders
    sum.environments &+= right.environments
    sum.catalogVersions &+= right.catalogVersions
    if let catalog = right.catalog { sum.catalog = catalog }
    return sum
  }

  /// The kinds in which two sums differ, by their public names.
  package func differences(from other: Self) -> [String] {
    let pairs: [(String, Int64?, Int64?)] = [
      ("transactions", transactions, other.transactions),
      ("customers", customers, other.customers), ("added ids", addedIDs, other.addedIDs),
      ("account tokens", accountTokens, other.accountTokens), ("orders", orders, other.orders),
      ("environments", environments, other.environments),
      ("catalog versions", catalogVersions, other.catalogVersions), ("catalog", catalog ?? 0, other.catalog ?? 0),
    ]
    return pairs.filter { $0.1 != $0.2 }.map(\.0)
  }
}

extension RecordSums {
  package mutating func add(transaction row: TransactionRow) { transactions &+= row.digest }
  mutating func add(_ row: CustomerRow) { customers &+= Int64(bitPattern: RowDigest.of(row)) }
  mutating func add(_ row: AddedIDRow) { addedIDs &+= Int64(bitPattern: RowDigest.of(row)) }
  mutating func remove(_ row: AddedIDRow) { addedIDs &-= Int64(bitPattern: RowDigest.of(row)) }
  mutating func add(_ row: AccountTokenRow) { accountTokens &+= Int64(bitPattern: RowDigest.of(row)) }
  mutating func add(_ row: OrderRow) { orders &+= Int64(bitPattern: RowDigest.of(row)) }
  mutating func add(_ row: EnvironmentRow) { environments &+= Int64(bitPattern: RowDigest.of(row)) }

  mutating func addCatalogVersion(appliedAt instant: Timestamp) {
    catalogVersions &+= Int64(bitPattern: RowDigest.catalogVersion(appliedAt: instant))
  }

  mutating func set(catalog rows: [CatalogRow]) {
    catalog = rows.reduce(0) { $0 &+ Int64(bitPattern: RowDigest.of($1)) }
  }
}

extension ChangeSet {
  /// Returns the change of the sums by these rows.
  package func sums() -> RecordSums {
    var sums = RecordSums()
    for row in transactions { sums.add(transaction: row) }
    for row in customers { sums.add(row) }
    for row in environments { sums.add(row) }
    if !orders.isEmpty {
      for row in orders.new { sums.add(row) }
      for row in orders.accountTokens { sums.add(row) }
    }
    if let catalog {
      sums.set(catalog: catalog)
      if copy == nil { sums.addCatalogVersion(appliedAt: catalogAppliedAt) }
    }
    for row in copy?.catalogVersions ?? [] { sums.addCatalogVersion(appliedAt: row.appliedAt) }
    if let cold { add(cold, to: &sums) }
    return sums
  }

  private func add(_ cold: ColdChanges, to sums: inout RecordSums) {
    for row in cold.addedIDs { sums.add(row) }
    for change in cold.idChanges.renamed {
      let row = change.row
      let now = RowDigest.customer(row.number, change.id, row.createdAt)
      sums.customers &+= Int64(bitPattern: now &- RowDigest.of(row))
    }
    guard !cold.erasures.isEmpty else { return }
    let changed = Dictionary(cold.changedCustomers.map { ($0.number, $0) }, uniquingKeysWith: { _, last in last })
    for erasure in cold.erasures {
      for (index, number) in erasure.numbers.enumerated() {
        guard let row = changed[number] else { continue }
        let former = RowDigest.customer(number, erasure.former[index], row.createdAt)
        let left = RowDigest.customer(number, erasure.ids[index], row.createdAt)
        sums.customers &+= Int64(bitPattern: left &- former)
      }
      for row in erasure.added { sums.remove(row) }
      // Ids that this commit added are removed as well.
      for row in cold.addedIDs where erasure.numbers.contains(row.customer) { sums.remove(row) }
    }
  }
}
