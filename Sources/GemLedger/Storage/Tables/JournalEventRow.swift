/// A journal event: an effect of a transaction that is no entry, such as held currency, a reversal or a count.
package struct JournalEventRow: Hashable, Sendable {
  package enum Kind: Int64, CaseIterable, Sendable {
    /// The transaction undoes a part of the transaction `target`, or all of it.
    case reversal = 1
    /// A hold is extended: `target` is the hold, `value` its new deadline in milliseconds.
    case deadline = 2
    /// Currency of a lot is set aside for the hold `target`; if that begins the hold, `value` is its deadline.
    case held = 3
    /// Currency that the hold `target` had set aside is spent.
    case captured = 4
    /// Currency that the hold `target` had set aside is back in its lot.
    case released = 5
    /// A new value of a count that a limit, an allowance or a recharge keeps (``CountRow``).
    case counted = 6
    /// The transaction expires an amount that returned to its lot by the transaction `target` after the lot's expiry.
    case late = 7
    /// Another customer's side of the same booking: the transaction `target` of the customer number `value`.
    case linked = 8
    /// The transaction takes, for a refund or a debt, an amount that the transaction `target` had returned.
    case reclaimed = 9
    /// The merge joined the customer into another customer without proof of that customer's consent.
    ///
    /// Later refunds of the purchases that it moved take no other currency of that customer.
    case unproven = 10
  }

  package var transaction: TransactionNumber
  /// Its position among the events of the transaction, from 1.
  package var position: Int64
  package var customer: CustomerNumber
  package var kind: Kind
  /// The undone transaction, or the transaction that began the hold; 0 if the event is about none.
  package var target: TransactionNumber
  /// The currency's number; 0 if it concerns no currency.
  package var currency: Int64
  /// The lot's number; 0 if it concerns no lot.
  package var lot: LotNumber
  /// The amount of the lot; never negative.
  package var amount: Int64
  /// A deadline, a customer's number, or the new value of a count.
  package var value: Int64
  /// The count's key; nil for all kinds except ``Kind/counted``.
  package var count: CountKey?
  /// The period of the count.
  package var period: Int64
  package var createdAt: Timestamp
  /// The account's held amount after the transaction's events up to this one.
  package var heldAfter: Int64

  package init(
    transaction: TransactionNumber, position: Int64, customer: CustomerNumber, kind: Kind,
    target: TransactionNumber = 0, currency: Int64 = 0, lot: LotNumber = 0, amount: Int64 = 0, value: Int64 = 0,
    count: CountKey? = nil, period: Int64 = 0, createdAt: Timestamp, heldAfter: Int64 = 0
  ) {
    self.transaction = transaction
    self.position = position
    self.customer = customer
    self.kind = kind
    self.target = target
    self.currency = currency
    self.lot = lot
    self.amount = amount
    self.value = value
    self.count = count
    self.period = period
    self.createdAt = createdAt
    self.heldAfter = heldAfter
  }

  package var account: AccountNumber { AccountNumber(customer: customer, currency: currency) }

  /// The hold's new deadline; nil if the event sets none.
  package var deadline: Timestamp? {
    kind == .deadline || kind == .held && value != 0 ? Timestamp(milliseconds: value) : nil
  }
}

extension JournalEventRow: ExportedRow {
  package static let table: StaticString = "journal_events"
  package static let keyColumnCount = 2
  package static let hasPlacedMembers = true
  package static let checks = ["amount >= 0", "held_after >= 0"]
  package static var blank: Self {
    Self(transaction: 0, position: 0, customer: 0, kind: .late, createdAt: Timestamp(milliseconds: 0))
  }

  package mutating func visit<Members: MemberVisitor>(_ columns: inout Members) {
    columns.transaction("transaction_number", &transaction, .derived)
    columns.number("position", &position, .derived)
    columns.number("customer", &customer, .exported(unless: .transaction))
    columns.kind("kind", &kind, else: .late, .exported(place: .first))
    columns.transaction("target", &target, .exported(unless: .zero))
    columns.currency("currency", &currency, .exported(unless: .zero))
    columns.number("lot", &lot, .exported(unless: .zero))
    columns.amount("amount", &amount, .exported(unless: .zero, atLeast: 0))
    columns.value("value", &value, .exported(unless: .zero))
    columns.counter(&count, .exported)
    columns.value("period", &period, .exported(unless: .zero))
    columns.instant("created_at", &createdAt, .derived)
    columns.amount("held_after", &heldAfter, .exported(unless: .zero, atLeast: 0))
  }
}

extension JournalEventRow.Kind: ExportedKind {
  package var name: String {
    switch self {
    case .reversal: "reversal"
    case .deadline: "deadline"
    case .held: "held"
    case .captured: "captured"
    case .released: "released"
    case .counted: "counted"
    case .late: "late"
    case .linked: "linked"
    case .reclaimed: "reclaimed"
    case .unproven: "unproven"
    }
  }
}

// MARK: Indexes

extension JournalEventRow {
  package static var indexes: [RowIndex<Self>] { [ofTransaction, about, askedByCustomer] }

  package static let ofTransaction = RowIndex<Self>(
    "eventsOfTransaction", key: ["transaction_number"], order: ["position"], isOwned: true,
    inMemory: .many { $0.cold.events.events(of: $1.first) })
  /// The events about a hold or an undone transaction, in the order of transactions and positions.
  package static let about = RowIndex<Self>(
    "eventsAbout", key: ["target"], order: ["transaction_number", "position"], where: [.unequal("target", 0)],
    isOwned: true, inMemory: .many { $0.cold.events.events(about: $1.first) })
  /// The events about held amounts and counts (``Kind/isAskedByCustomer``), newest first.
  package static let askedByCustomer = RowIndex<Self>(
    "eventsOfCustomer", key: ["customer"], order: ["transaction_number", "position"], isDescending: true,
    where: [.within("kind", 3...6)],
    inMemory: .page { tables, key, place, limit in
      tables.cold.events.events(of: key.first, before: place ?? IndexPlace(.max), limit: limit)
    })
}

extension JournalEventRow.Kind {
  /// Whether it concerns held amounts or counts, which are read by customer.
  package var isAskedByCustomer: Bool {
    switch self {
    case .held, .captured, .released, .counted: true
    case .reversal, .deadline, .late, .linked, .reclaimed, .unproven: false
    }
  }
}

// MARK: Digest

extension RowDigest {
  package static func of(_ row: JournalEventRow) -> UInt64 {
    var digest = RowDigest(.event)
    digest.add(row.position)
    digest.add(row.customer)
    digest.add(row.kind.rawValue)
    digest.add(row.target)
    digest.add(row.currency)
    digest.add(row.lot)
    digest.add(row.amount)
    digest.add(row.value)
    digest.add(row.count?.kind.rawValue)
    digest.add(row.count?.subject)
    digest.add(row.period)
    digest.add(row.createdAt)
    digest.add(row.heldAfter)
    return digest.value
  }
}
