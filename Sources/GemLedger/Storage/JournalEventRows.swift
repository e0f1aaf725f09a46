/// A journal event: an effect of a transaction beside its entries, such as held currency, a reversal or a count.
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
    /// A count that a limit, an allowance or a recharge keeps, as it is from here on; see ``CountRow``.
    case counted = 6
    /// The transaction expires an amount that had come back to its lot after the lot's expiry, by the transaction
    /// `target`.
    case late = 7
    /// Another customer's side of the same booking: the transaction `target` of the customer number `value`.
    case linked = 8
    /// The transaction takes, for a refund or a debt, an amount that had come back by the transaction `target`.
    case reclaimed = 9
    /// The merge brought the customer to another who did not prove to want it: later refunds of the purchases that it
    /// brought take nothing else of that customer.
    case unproven = 10
  }

  package var transaction: TransactionNumber
  /// Its position among those of the transaction, from 1.
  package var position: Int64
  package var customer: CustomerNumber
  package var kind: Kind
  /// The transaction that it is about: the one undone, or the one that began the hold; 0 if it is about none.
  package var target: TransactionNumber
  /// 0 if it concerns no currency.
  package var currency: Int64
  /// 0 if it concerns no lot.
  package var lot: LotNumber
  /// How much of the lot; never negative.
  package var amount: Int64
  /// A deadline, a customer's number, or the new value of a count.
  package var value: Int64
  /// Which count; nil for all but ``Kind/counted``.
  package var count: CountKey?
  /// The period that a count is of.
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

  /// The deadline that the hold has from here on, if the event sets one.
  package var deadline: Timestamp? {
    kind == .deadline || kind == .held && value != 0 ? Timestamp(milliseconds: value) : nil
  }
}

extension JournalEventRow.Kind {
  /// Whether it is about held amounts or counts, which are read by customer.
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
  /// It has ended from this instant on, whether that is booked or not.
  package var deadline: Timestamp
  /// The instant of its beginning, if its customer is still that of the beginning; nil if its transaction states.
  package var begunAt: Timestamp?
  /// The amount that it still holds, if that is of one lot; nil if its events say.
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
    /// How many of an item a customer bought in a period.
    case bought = 1
    /// How many of an item all customers bought.
    case sold = 2
    /// How much of a currency a customer spent in a period.
    case spent = 3
    /// How much of a currency a customer was granted in a period.
    case granted = 4
    /// Of a customer's newest allowance of a currency the instant in its period from which it was granted, and its lot.
    case allowed = 5
    /// When the current tick of a customer's recharge began, 0 if it is full; and when its catalog version came into
    /// force.
    ///
    /// The version is the one that the recharge was computed under.
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

/// A count of a customer as it stands; the projection of the newest event about it.
package struct CountRow: Hashable, Sendable {
  package var customer: CustomerNumber
  package var key: CountKey
  /// When the period began that it counts in, in milliseconds; 0 if it has no periods.
  package var period: Int64
  package var value: Int64

  package init(customer: CustomerNumber, key: CountKey, period: Int64, value: Int64) {
    self.customer = customer
    self.key = key
    self.period = period
    self.value = value
  }
}

/// The erasure of a customer: the ids and all texts about the customer go; the books stay.
///
/// The customer's rows come with it, among the changed rows.
package struct ErasureRow: Hashable, Sendable {
  package var transaction: TransactionNumber
  /// All numbers that mean the customer.
  package var numbers: [CustomerNumber]
  /// The id that each row of the numbers has from now on; it names no customer.
  package var ids: [CustomerID]
  /// The ids that the numbers came with, and those added later, of which each is free from now on; those apart that the
  /// commit itself gave.
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
