internal import GemLedger

/// A digest for comparing the rows of two sets of tables, independent of the reading order.
///
/// Valid in one process only: hashes differ from process to process.
struct CopyDigest: Hashable {
  private struct Sum: Hashable {
    var count = 0
    var hashes = 0
  }

  private var tables: [String: Sum] = [:]

  /// Returns the names of the tables that differ.
  func differences(from other: Self) -> [String] {
    Set(tables.keys).union(other.tables.keys)
      .filter { tables[$0, default: Sum()] != other.tables[$0, default: Sum()] }.sorted()
  }

  mutating func add(_ changes: borrowing ChangeSet) {
    add("customers", changes.customers)
    add("environments", changes.environments)
    add("transactions", changes.transactions)
    add("transactions without entries", changes.transactionsWithoutEntries)
    add("entries", changes.entries)
    add("allocations", changes.allocations)
    add("anchors", changes.checkpoints)
    add("keys", changes.keys)
    add("notes", changes.notes)
    add("purchases", changes.purchases)
    add("items", changes.itemEntries)
    add("accounts", changes.newAccounts)
    add("lots", changes.newLots)
    add("catalog", changes.catalog ?? [])
    add("catalog versions", changes.copy?.catalogVersions ?? [])
    add("orders", changes.orders.new)
    add("account tokens", changes.orders.accountTokens)
    add("entitlements", changes.orders.entitlements)
    guard let cold = changes.cold else { return }
    add("lot terms", cold.lotAttributes)
    add("added ids", cold.addedIDs)
    add("merges", cold.merges)
    add("refunds", cold.refunds)
    add("refund parts", cold.refundParts)
    add("evidence", cold.evidence)
    add("effects", cold.events)
    add("holds", cold.holds)
    add("counts", cold.counts)
    add("documents", cold.documents)
  }

  /// Adds rows that are compared but written together with other rows.
  mutating func add<Row: StoredRow>(_ table: String, _ rows: [Row]) {
    guard !rows.isEmpty else { return }
    tables[table, default: Sum()].count += rows.count
    for row in rows { tables[table, default: Sum()].hashes &+= RowHash.hash(of: row) }
  }
}

/// Hashes all columns of a row, texts by their bytes: texts that look equal may differ.
private struct RowHash: ColumnVisitor {
  private var hasher = Hasher()

  static func hash<Row: StoredRow>(of row: Row) -> Int {
    var (hash, row) = (Self(), row)
    row.visit(&hash)
    return hash.hasher.finalize()
  }

  mutating func integer(_ name: StaticString, _ bound: ColumnBound, _ value: inout Int64) { hasher.combine(value) }
  mutating func integer(_ name: StaticString, _ bound: ColumnBound, optional value: inout Int64?) {
    hasher.combine(value)
  }
  mutating func text(_ name: StaticString, _ value: inout String) { hasher.combine(ByteString(value)) }
  mutating func text(_ name: StaticString, optional value: inout String?) {
    hasher.combine(value.map(ByteString.init))
  }
}
