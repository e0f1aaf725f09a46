/// Finds rows that no ledger code reads: rows numbered below 1 and rows of unknown kinds.
///
/// Every reader starts after 0 and asks for known kinds only, so a storage searches for these rows separately.
package enum UnreadRows {
  private static let numbered: [any StoredRow.Type] = [
    TransactionRow.self, EntryRow.self, JournalEventRow.self, AllocationRow.self, ItemEntryRow.self, MergeRow.self,
    NoteRow.self, LotAttributesRow.self, RefundWithPart.self, RefundPartRow.self, PurchaseRow.self, AccountRow.self,
    CustomerRow.self, LotRow.self, CheckpointRow.self, OrderRow.self, HoldRow.self, CountRow.self, OwnedItemRow.self,
    EntitlementRow.self, CatalogVersionRow.self, EnvironmentRow.self,
  ]

  /// Queries that return one message per row found, in SQL that all dialects share.
  ///
  /// - Parameters:
  ///   - splitsAccounts: Whether an account is two columns, `customer` and `currency`, and not one.
  ///   - tables: The tables that have the rows of a described one, if it is not a table.
  package static func queries(splitsAccounts: Bool, tables: [String: [String]] = [:]) -> [String] {
    numbered.flatMap { row in
      (tables["\(row.table)"] ?? ["\(row.table)"]).map {
        numberedBelowOne(row, in: $0, splitsAccounts: splitsAccounts)
      }
    } + [
      "SELECT 'a key is of customer number ' || customer FROM \(KeyRow.table) WHERE customer < 1",
      unknown("kind", in: CatalogRow.table, but: CatalogRow.Kind.allCases.map(\.rawValue)),
      unknown("kind", in: EvidenceRow.table, but: EvidenceRow.Kind.allCases.map(\.rawValue)),
      unknown("store", in: EvidenceRow.table, but: Store.all.map(\.number)),
      unknown("kind", in: JournalEventRow.table, but: JournalEventRow.Kind.allCases.map(\.rawValue)),
    ]
  }

  private static func numberedBelowOne<Row: StoredRow>(
    _ row: Row.Type, in table: String, splitsAccounts: Bool
  ) -> String {
    let key = ColumnNames(of: row, splitsAccounts: splitsAccounts).key.first ?? ""
    let least = key == "account" ? AccountNumber(customer: 1, currency: 1).rawValue : 1
    return "SELECT 'a row of \(row.table) has \(key) ' || \(key) || ', below every number of a ledger' "
      + "FROM \(table) WHERE \(key) < \(least)"
  }

  /// - Parameter column: A column that stores the number of a kind.
  package static func unknown(_ column: String, in table: StaticString, but known: [Int64]) -> String {
    let list = known.map { "\($0)" }.joined(separator: ", ")
    return "SELECT 'a row of \(table) is of \(column) ' || \(column) || ', which is unknown' "
      + "FROM \(table) WHERE \(column) NOT IN (\(list))"
  }
}
