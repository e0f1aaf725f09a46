/// A hold that has not ended; the projection of its events.
package struct HoldRow: Hashable, Sendable {
  /// The transaction that began it.
  package var number: TransactionNumber
  /// The present owner; after a merge the surviving customer.
  package var customer: CustomerNumber
  /// The hold has ended from this instant on, booked or not.
  package var deadline: Timestamp
  /// The instant of its beginning; nil if it must be read from its transaction, as after a change of the owner.
  package var begunAt: Timestamp?
  /// The amount still held, if it is of one lot; nil if it must be read from the events.
  package var sole: LotAmount?

  package init(
    number: TransactionNumber, customer: CustomerNumber, deadline: Timestamp, begunAt: Timestamp? = nil,
    sole: LotAmount? = nil
  ) {
    self.number = number
    self.customer = customer
    self.deadline = deadline
    self.begunAt = begunAt
    self.sole = sole
  }
}

extension HoldRow: StoredRow {
  package static let table: StaticString = "open_holds"
  package static var blank: Self { Self(number: 0, customer: 0, deadline: Timestamp(milliseconds: 0)) }

  package mutating func visit<Columns: ColumnVisitor>(_ columns: inout Columns) {
    columns.transaction("hold", &number, .derived)
    columns.number("customer", &customer, .derived)
    columns.instant("deadline", &deadline, .derived)
    columns.instant("begun_at", optional: &begunAt, .derived)
    columns.lotAmount("currency", "lot", "amount", &sole, .derived)
  }
}

// MARK: Indexes

extension HoldRow {
  package static var indexes: [RowIndex<Self>] { [byNumber, ofCustomer] }

  /// The owner is any customer that the hold may be stored with.
  package static let byNumber = RowIndex<Self>(
    "holdByNumber", key: ["hold"], isOwned: true, inMemory: .one { $0.cold.events.holds[$1.first] })
  /// The open holds of a customer, earliest deadline first.
  package static let ofCustomer = RowIndex<Self>(
    "holdsOfCustomer", key: ["customer"], order: ["deadline", "hold"],
    inMemory: .many { $0.cold.events.holds(of: $1.first) })
}
