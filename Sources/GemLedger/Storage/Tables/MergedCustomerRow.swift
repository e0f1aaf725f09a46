/// A customer that is now part of another customer.
package struct MergedCustomerRow: Hashable, Sendable {
  /// The survivor.
  package var customer: CustomerNumber
  package var merged: CustomerNumber

  package init(customer: CustomerNumber, merged: CustomerNumber) {
    self.customer = customer
    self.merged = merged
  }
}

extension MergedCustomerRow: StoredRow {
  package static let table: StaticString = "merged_customers"
  package static let keyColumnCount = 2
  package static var blank: Self { Self(customer: 0, merged: 0) }

  package mutating func visit<Columns: ColumnVisitor>(_ columns: inout Columns) {
    columns.number("customer", &customer, .derived)
    columns.number("merged", &merged, .derived)
  }
}

// MARK: Indexes

extension MergedCustomerRow {
  package static var indexes: [RowIndex<Self>] { [ofSurvivor] }

  /// The customers merged into this customer.
  package static let ofSurvivor = RowIndex<Self>(
    "mergedCustomers", key: ["customer"], order: ["merged"],
    inMemory: .many { tables, key in
      (tables.cold.mergedInto[key.first] ?? []).sorted().map { Self(customer: key.first, merged: $0) }
    })
}
