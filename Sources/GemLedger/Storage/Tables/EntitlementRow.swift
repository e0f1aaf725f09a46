/// The owner of a purchase's entitlement: the credited customer, until the entitlement moves.
package struct EntitlementRow: Hashable, Sendable {
  package var purchase: Int64
  package var holder: CustomerNumber

  package init(purchase: Int64, holder: CustomerNumber) {
    self.purchase = purchase
    self.holder = holder
  }
}

extension EntitlementRow: StoredRow {
  package static let table: StaticString = "entitlements"
  package static var blank: Self { Self(purchase: 0, holder: 0) }

  package mutating func visit<Columns: ColumnVisitor>(_ columns: inout Columns) {
    columns.number("purchase", &purchase)
    columns.number("holder", &holder)
  }
}

// MARK: Indexes

extension EntitlementRow {
  package static var indexes: [RowIndex<Self>] { [byPurchase, ofHolder] }

  package static let byPurchase = RowIndex<Self>(
    "entitlementByPurchase", key: ["purchase"],
    inMemory: .one { tables, key in
      tables.orders.holders[key.first].map { Self(purchase: key.first, holder: $0) }
    })
  /// Newest purchase first.
  package static let ofHolder = RowIndex<Self>(
    "entitlementsOfHolder", key: ["holder"], order: ["purchase"], isDescending: true,
    inMemory: .page { tables, key, place, limit in
      tables.orders.entitlements(of: key.first, below: place?.first ?? .max, limit: limit)
        .map { Self(purchase: $0, holder: key.first) }
    })
}
