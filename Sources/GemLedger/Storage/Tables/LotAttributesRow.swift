/// The attributes of a lot when it was made, without its amounts; part of the journal.
package struct LotAttributesRow: Hashable, Sendable {
  package var lot: LotNumber
  package var source: LotSource
  package var environment: Int64
  package var price: Money?
  package var purchase: Int64?
  /// Milliseconds; `.max` for never.
  package var expiresAt: Int64
  /// The lot that the currency was in before a transfer or an exchange; 0 for none.
  package var originalLot: LotNumber

  package init(
    lot: LotNumber, source: LotSource, environment: Int64, price: Money?, purchase: Int64?, expiresAt: Int64,
    originalLot: LotNumber = 0
  ) {
    self.lot = lot
    self.source = source
    self.environment = environment
    self.price = price
    self.purchase = purchase
    self.expiresAt = expiresAt
    self.originalLot = originalLot
  }

  package init(of row: LotRow, originalLot: LotNumber = 0) {
    self.init(
      lot: row.number, source: row.source, environment: row.environment, price: row.price, purchase: row.purchase,
      expiresAt: row.expiresAt, originalLot: originalLot)
  }
}

extension LotAttributesRow: ExportedRow {
  package static let table: StaticString = "lot_attributes"
  package static var blank: Self {
    Self(lot: 0, source: .admin, environment: 0, price: nil, purchase: nil, expiresAt: .max)
  }

  package mutating func visit<Members: MemberVisitor>(_ columns: inout Members) {
    columns.number("lot", &lot, .exported)
    columns.kind("source", &source, else: .admin, .exported)
    columns.environment("environment", &environment, .exported)
    columns.money("price", "price_currency", &price, .exported)
    columns.number("purchase", optional: &purchase, .exported)
    columns.expiry("expires_at", &expiresAt, .exported)
    columns.number("original_lot", &originalLot, .exported(as: "origin", unless: .zero))
  }
}

// MARK: Indexes

extension LotAttributesRow {
  package static var indexes: [RowIndex<Self>] { [byLot] }

  /// The owner is any past or present customer of the lot.
  package static let byLot = RowIndex<Self>(
    "attributesByLot", key: ["lot"], isOwned: true, inMemory: .one { $0.cold.lotAttributes[$1.first] })
}

// MARK: Digest

extension RowDigest {
  package static func of(_ row: LotAttributesRow) -> UInt64 {
    var digest = RowDigest(.lotAttributes)
    digest.add(row.lot)
    digest.add(row.source.rawValue)
    digest.add(row.environment)
    digest.add(row.price)
    digest.add(row.purchase)
    digest.add(row.expiresAt)
    digest.add(row.originalLot)
    return digest.value
  }
}
