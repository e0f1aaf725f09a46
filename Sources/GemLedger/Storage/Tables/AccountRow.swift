/// The projection of one account: the result of all its entries.
///
/// The first lot without price and expiry is part of the account's row (`pool…`): most accounts have no other lot.
package struct AccountRow: Hashable, Sendable {
  package var number: AccountNumber
  package var balance: Int64 = 0
  package var debt: Int64 = 0
  package var held: Int64 = 0
  /// The number of the account's entries.
  package var version: Int64 = 0
  package var lastEntry: EntryNumber = 0
  package var poolLot: LotNumber = 0
  package var poolSource: Int64 = 0
  package var poolEnvironment: Int64 = 0
  package var poolGranted: Int64 = 0
  package var poolRemaining: Int64 = 0
  /// The number of further lots with a remaining amount.
  package var openLots: Int64 = 0
  /// No lot expires before this instant; `.max` if none expires.
  package var nextExpiry: Int64 = .max
  /// No hold ends, and no allowance or recharge is due, before this instant; `.max` if none is scheduled.
  package var nextDue: Int64 = .max

  package init(number: AccountNumber) { self.number = number }
}

extension AccountRow: StoredRow {
  package static let table: StaticString = "accounts"
  package static let checks = ["balance >= 0", "debt >= 0", "held >= 0", "pool_remaining >= 0"]
  package static var blank: Self { Self(number: AccountNumber(rawValue: 0)) }

  package mutating func visit<Columns: ColumnVisitor>(_ columns: inout Columns) {
    columns.account(&number, .derived)
    columns.amount("balance", &balance, .derived)
    columns.amount("debt", &debt, .derived)
    columns.amount("held", &held, .derived)
    columns.number("version", &version, .derived)
    columns.entry("last_entry", &lastEntry, .derived)
    columns.number("pool_lot", &poolLot, .derived)
    columns.integer("pool_source", .kind, &poolSource, .derived)
    columns.number("pool_environment", &poolEnvironment, .derived)
    columns.integer("pool_granted", .granted, &poolGranted, .derived)
    columns.amount("pool_remaining", &poolRemaining, .derived)
    columns.number("open_lots", &openLots, .derived)
    columns.integer("next_expiry", .instantOrNever, &nextExpiry, .derived)
    columns.integer("next_scheduled_at", .instantOrNever, &nextDue, .derived)
  }
}

// MARK: Indexes

extension AccountRow {
  package static var indexes: [RowIndex<Self>] { [ofCustomer] }

  package static let ofCustomer = RowIndex<Self>(
    "accountsOfCustomer", key: ["customer"], order: ["currency"], inMemory: .many { $0.accounts(of: $1.first) })
}

/// One currency of one customer, as a single number, so that a storage needs no index to find it.
package struct AccountNumber: RawRepresentable, Hashable, Comparable, Sendable {
  package let rawValue: Int64

  package init(rawValue: Int64) { self.rawValue = rawValue }
  package init(customer: CustomerNumber, currency: Int64) { rawValue = customer << 10 | currency }

  package var customer: CustomerNumber { rawValue >> 10 }
  package var currency: Int64 { rawValue & 1023 }
  package static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
}
