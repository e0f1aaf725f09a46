/// The bounds of all described columns, by their names.
package struct ColumnBounds: ColumnVisitor {
  private static let rows: [any StoredRow.Type] = [
    TransactionRow.self, EntryRow.self, JournalEventRow.self, AllocationRow.self, ItemEntryRow.self, MergeRow.self,
    KeyRow.self, NoteRow.self, LotAttributesRow.self, RefundWithPart.self, RefundPartRow.self, RefundStateRow.self,
    PurchaseRow.self, AccountRow.self, AddedIDRow.self, LotRow.self, CheckpointRow.self, OrderRow.self, HoldRow.self,
    CountRow.self, OwnedItemRow.self, AccountTokenRow.self, EntitlementRow.self, EvidenceRow.self,
    CustomerRow.self, MergedCustomerRow.self, ProjectRow.self, CatalogRow.self, CatalogVersionRow.self,
    EnvironmentRow.self, DocumentRow.self, CopyProgress.self, CopiedJournal.self,
  ]

  /// The bound of each name that has one bound in all rows.
  package static let all = found.compactMapValues { $0.count == 1 ? $0.first : nil }
  /// The names of columns with different bounds in different rows: a reader must distinguish the rows.
  package static let ambiguous = Set(found.filter { $0.value.count > 1 }.keys)

  private static let found: [String: Set<ColumnBound>] = {
    var bounds = Self()
    for row in rows { bounds.visit(row) }
    return bounds.found
  }()

  private var found: [String: Set<ColumnBound>] = [:]

  private mutating func visit<Row: StoredRow>(_ type: Row.Type) {
    var row = Row.blank
    row.visit(&self)
  }

  package mutating func integer(_ name: StaticString, _ bound: ColumnBound, _ value: inout Int64) {
    add(name, bound)
  }

  package mutating func integer(_ name: StaticString, _ bound: ColumnBound, optional value: inout Int64?) {
    add(name, bound)
  }

  private mutating func add(_ name: StaticString, _ bound: ColumnBound) {
    // Neither bound rejects a number, so a name may have both.
    found[name.description, default: []].insert(bound == .kind ? .any : bound)
  }

  package mutating func text(_ name: StaticString, _ value: inout String) {}
  package mutating func text(_ name: StaticString, optional value: inout String?) {}
}
