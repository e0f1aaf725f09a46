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

extension JournalEventRow.Kind {
  /// Whether it concerns held amounts or counts, which are read by customer.
  package var isAskedByCustomer: Bool {
    switch self {
    case .held, .captured, .released, .counted: true
    case .reversal, .deadline, .late, .linked, .reclaimed, .unproven: false
    }
  }
}

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

/// Names a count: its kind, and its currency or item.
package struct CountKey: Hashable, Comparable, Sendable {
  package enum Kind: Int64, CaseIterable, Sendable {
    /// The number of units of an item that a customer bought in a period.
    case bought = 1
    /// The number of units of an item that all customers bought.
    case sold = 2
    /// The amount of a currency that a customer spent in a period.
    case spent = 3
    /// The amount of a currency that a customer was granted in a period.
    case granted = 4
    /// A customer's newest allowance of a currency: the instant in its period from which it was granted, and its lot.
    case allowed = 5
    /// The start of a customer's current recharge tick, 0 if the balance is full, and the start of its catalog version.
    ///
    /// The catalog version is the version under which the recharge was computed.
    case recharged = 6
  }

  package var kind: Kind
  /// The code of the currency, or the id of the item.
  package var subject: String

  package init(_ kind: Kind, _ subject: String) {
    self.kind = kind
    self.subject = subject
  }

  package static func < (left: Self, right: Self) -> Bool {
    left.kind != right.kind
      ? left.kind.rawValue < right.kind.rawValue : left.subject.utf8.lexicographicallyPrecedes(right.subject.utf8)
  }

  package static func == (left: Self, right: Self) -> Bool {
    left.kind == right.kind && left.subject.hasBytes(of: right.subject)
  }

  package func hash(into hasher: inout Hasher) {
    hasher.combine(kind)
    for byte in subject.utf8 { hasher.combine(byte) }
  }
}

/// A customer's current count; the projection of the newest event about it.
package struct CountRow: Hashable, Sendable {
  package var customer: CustomerNumber
  package var key: CountKey
  /// The start of the counted period, in milliseconds; 0 for a count without periods.
  package var period: Int64
  package var value: Int64

  package init(customer: CustomerNumber, key: CountKey, period: Int64, value: Int64) {
    self.customer = customer
    self.key = key
    self.period = period
    self.value = value
  }
}

/// The erasure of a customer: the ids and all texts about the customer are removed, the bookings stay.
///
/// The changed rows contain the customer's rows.
package struct ErasureRow: Hashable, Sendable {
  package var transaction: TransactionNumber
  /// All numbers of the customer.
  package var numbers: [CustomerNumber]
  /// The new id of each number's row; it names no customer.
  package var ids: [CustomerID]
  /// The original ids of the numbers, and the ids added later (`added`): all of them become free.
  ///
  /// Ids that the same commit gives are not included.
  package var former: [CustomerID]
  package var added: [AddedIDRow]

  package init(
    transaction: TransactionNumber, numbers: [CustomerNumber], ids: [CustomerID], former: [CustomerID],
    added: [AddedIDRow]
  ) {
    self.transaction = transaction
    self.numbers = numbers
    self.ids = ids
    self.former = former
    self.added = added
  }
}
