/// An additional id of a customer, next to the original id.
package struct AddedIDRow: Hashable, Sendable {
  package var customer: CustomerNumber
  package var id: CustomerID

  package init(customer: CustomerNumber, id: CustomerID) {
    self.customer = customer
    self.id = id
  }
}

/// Every id with the number of its customer, without following merges, including original ids.
extension AddedIDRow: ExportedRow {
  package static let table: StaticString = "customer_ids"
  package static let hasPlacedMembers = true
  package static var blank: Self { Self(customer: 0, id: CustomerID(unchecked: "")) }

  package mutating func visit<Members: MemberVisitor>(_ columns: inout Members) {
    columns.identifier("id", &id, .exported(place: .last))
    columns.number("customer", &customer, .exported)
  }
}

// MARK: Indexes

extension AddedIDRow {
  package static var indexes: [RowIndex<Self>] { [byID, added] }

  /// The customer that any id names, without following merges.
  package static let byID = RowIndex<Self>(
    "customerByID", key: [.text("id")],
    inMemory: .one { tables, key in
      let id = CustomerID(unchecked: key.text)
      return tables.customer(id).map { Self(customer: $0.original, id: id) }
    })
  /// The ids added to a customer, without the original id.
  package static let added = RowIndex<Self>(
    "addedIDs", key: ["customer"], order: ["id"],
    inMemory: .many { tables, key in
      (tables.cold.idsOfCustomers[key.first] ?? []).sorted().map { Self(customer: key.first, id: $0) }
    })
}

// MARK: Digest

extension RowDigest {
  static func of(_ row: AddedIDRow) -> UInt64 {
    var digest = RowDigest(.addedID)
    digest.add(row.customer)
    digest.add(row.id.text)
    return digest.value
  }
}
