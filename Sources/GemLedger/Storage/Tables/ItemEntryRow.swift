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

extension ItemEntryRow: ExportedRow {
  package static let table: StaticString = "item_entries"
  package static let keyColumnCount = 3
  package static let checks = ["quantity <> 0", "owned >= 0"]
  package static var blank: Self {
    Self(transaction: 0, customer: 0, item: ItemID(unchecked: ""), quantity: 0, owned: 0)
  }

  package mutating func visit<Members: MemberVisitor>(_ columns: inout Members) {
    columns.transaction("transaction_number", &transaction, .derived)
    columns.identifier("item", &item, .exported)
    columns.number("customer", &customer, .exported(unless: .transaction))
    columns.amount("quantity", &quantity, .exported)
    columns.amount("owned", &owned, .exported(atLeast: 0))
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
