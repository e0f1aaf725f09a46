/// The owner of a purchase's entitlement: the credited customer, until the entitlement moves.
package struct EntitlementRow: Hashable, Sendable {
  package var purchase: Int64
  package var holder: CustomerNumber

  package init(purchase: Int64, holder: CustomerNumber) {
    self.purchase = purchase
    self.holder = holder
  }
}

extension EntitlementRow: ExportedRow {
  package static let table: StaticString = "entitlements"
  package static var blank: Self { Self(purchase: 0, holder: 0) }

  package mutating func visit<Members: MemberVisitor>(_ columns: inout Members) {
    columns.number("purchase", &purchase, .exported)
    columns.number("holder", &holder, .exported)
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
