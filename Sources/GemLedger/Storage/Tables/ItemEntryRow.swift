/// Items that a transaction added or removed.
package struct ItemEntryRow: Hashable, Sendable {
  package var transaction: TransactionNumber
  package var customer: CustomerNumber
  package var item: ItemID
  package var quantity: Int64
  /// The owned quantity after it.
  package var owned: Int64

  package init(
    transaction: TransactionNumber, customer: CustomerNumber, item: ItemID, quantity: Int64, owned: Int64
  ) {
    self.transaction = transaction
    self.customer = customer
    self.item = item
    self.quantity = quantity
    self.owned = owned
  }
}

extension ItemEntryRow: StoredRow {
  package static let table: StaticString = "item_entries"
  package static let keyColumnCount = 3
  package static let checks = ["quantity <> 0", "owned >= 0"]
  package static var blank: Self {
    Self(transaction: 0, customer: 0, item: ItemID(unchecked: ""), quantity: 0, owned: 0)
  }

  package mutating func visit<Columns: ColumnVisitor>(_ columns: inout Columns) {
    columns.transaction("transaction_number", &transaction)
    columns.identifier("item", &item)
    columns.number("customer", &customer)
    columns.amount("quantity", &quantity)
    columns.amount("owned", &owned)
  }
}

// MARK: Indexes

extension ItemEntryRow {
  package static var indexes: [RowIndex<Self>] { [ofTransaction] }

  package static let ofTransaction = RowIndex<Self>(
    "itemsOfTransaction", key: ["transaction_number"], order: ["item", "customer"], isOwned: true,
    inMemory: .many { $0.itemEntries[$1.first] ?? [] })
}

// MARK: Digest

extension RowDigest {
  package static func of(_ row: ItemEntryRow) -> UInt64 {
    var digest = RowDigest(.item)
    digest.add(row.item.text)
    digest.add(row.customer)
    digest.add(row.quantity)
    digest.add(row.owned)
    return digest.value
  }
}
