/// The number of units of an item that a customer owns.
package struct OwnedItemRow: Hashable, Sendable {
  package var customer: CustomerNumber
  package var item: ItemID
  package var quantity: Int64

  package init(customer: CustomerNumber, item: ItemID, quantity: Int64) {
    self.customer = customer
    self.item = item
    self.quantity = quantity
  }
}

extension OwnedItemRow: StoredRow {
  package static let table: StaticString = "owned_items"
  package static let keyColumnCount = 2
  package static let checks = ["quantity >= 0"]
  package static var blank: Self { Self(customer: 0, item: ItemID(unchecked: ""), quantity: 0) }

  package mutating func visit<Columns: ColumnVisitor>(_ columns: inout Columns) {
    columns.number("customer", &customer, .derived)
    columns.identifier("item", &item, .derived)
    columns.amount("quantity", &quantity, .derived)
  }
}

// MARK: Indexes

extension OwnedItemRow {
  package static var indexes: [RowIndex<Self>] { [byItem, ofCustomer] }

  package static let byItem = RowIndex<Self>(
    "ownedItem", key: ["customer", .text("item")],
    inMemory: .one { $0.owned($1.first, ItemID(unchecked: $1.text)) })
  package static let ofCustomer = RowIndex<Self>(
    "ownedItemsOfCustomer", key: ["customer"], order: ["item"],
    inMemory: .many { tables, key in
      (tables.cold.itemsOfCustomers[key.first] ?? []).sorted().compactMap { tables.owned(key.first, $0) }
    })
}
