/// A lot with a separate row: it has a price, an expiry, or another source than the account's pool.
package struct LotRow: Hashable, Sendable {
  package var number: LotNumber
  package var account: AccountNumber
  package var source: LotSource
  package var environment: Int64
  package var granted: Int64
  package var remaining: Int64
  /// The price paid for the whole lot.
  package var price: Money?
  package var purchase: Int64?
  /// Milliseconds; `.max` for never.
  package var expiresAt: Int64

  package init(
    number: LotNumber, account: AccountNumber, source: LotSource, environment: Int64, granted: Int64,
    remaining: Int64, price: Money?, purchase: Int64?, expiresAt: Int64
  ) {
    self.number = number
    self.account = account
    self.source = source
    self.environment = environment
    self.granted = granted
    self.remaining = remaining
    self.price = price
    self.purchase = purchase
    self.expiresAt = expiresAt
  }

  package var isPaid: Bool { source == .paid }
}

extension LotRow: StoredRow {
  package static let table: StaticString = "lots"
  package static let checks = ["remaining >= 0 AND remaining <= granted"]
  package static var blank: Self {
    Self(
      number: 0, account: AccountNumber(rawValue: 0), source: .admin, environment: 0, granted: 0, remaining: 0,
      price: nil, purchase: nil, expiresAt: .max)
  }

  package mutating func visit<Columns: ColumnVisitor>(_ columns: inout Columns) {
    columns.number("lot", &number, .derived)
    columns.account(&account, .derived)
    columns.kind("source", &source, else: .admin, .derived)
    columns.number("environment", &environment, .derived)
    columns.integer("granted", .granted, &granted, .derived)
    columns.amount("remaining", &remaining, .derived)
    columns.money("price", "price_currency", &price, .derived)
    columns.number("purchase", optional: &purchase, .derived)
    columns.expiry("expires_at", &expiresAt, .derived)
  }
}

// MARK: Indexes

extension LotRow {
  package static var indexes: [RowIndex<Self>] { [byNumber, openFree, openPaid, pooled] }

  package static let byNumber = RowIndex<Self>(
    "lotByNumber", key: ["lot"], isOwned: true, inMemory: .one { $0.lots[$1.first] })
  /// Free lots of one account with a remaining amount, in the order of burning.
  package static let openFree = RowIndex<Self>(
    "openFreeLots", key: [.account], order: ["expires_at", "lot"],
    where: [.unequal("source", 1), .positive("remaining")], inMemory: .page { $0.lots.open($1, $2, $3, paid: false) })
  /// Paid lots of one account with a remaining amount, in the order of burning.
  package static let openPaid = RowIndex<Self>(
    "openPaidLots", key: [.account], order: ["expires_at", "lot"],
    where: [.equal("source", 1), .positive("remaining")], inMemory: .page { $0.lots.open($1, $2, $3, paid: true) })
  /// The account's lot of a source and environment that has a separate row, no purchase and no expiry.
  package static let pooled = RowIndex<Self>(
    "pooledLot", key: [.account, "source", "environment"],
    where: [.null("purchase"), .never("expires_at"), .null("price")], inMemory: .one { $0.lots.pooled($1) })
}
