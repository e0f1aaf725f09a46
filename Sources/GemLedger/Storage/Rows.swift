/// A customer's number inside the ledger.
package typealias CustomerNumber = Int64
/// A transaction's number: its position in the journal.
package typealias TransactionNumber = Int64
/// An entry's number: its position in the journal.
package typealias EntryNumber = Int64
/// A lot's number; lots are numbered in the order of their creation.
package typealias LotNumber = Int64

/// One currency of one customer, as a single number, so that a storage needs no index to find it.
package struct AccountNumber: RawRepresentable, Hashable, Comparable, Sendable {
  package let rawValue: Int64

  package init(rawValue: Int64) { self.rawValue = rawValue }
  package init(customer: CustomerNumber, currency: Int64) { rawValue = customer << 10 | currency }

  package var customer: CustomerNumber { rawValue >> 10 }
  package var currency: Int64 { rawValue & 1023 }
  package static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
}

/// The project's values, drawn once at its creation.
package struct ProjectRow: Hashable, Sendable {
  package var salt: UInt64
  package var createdAt: Timestamp

  package init(salt: UInt64, createdAt: Timestamp) {
    self.salt = salt
    self.createdAt = createdAt
  }
}

/// A customer with the original id.
package struct CustomerRow: Sendable {
  package var number: CustomerNumber
  package var id: CustomerID
  package var createdAt: Timestamp
  /// Attributes that few customers have, stored separately so that most rows stay small; nil if none applies.
  private var status: Status?

  package init(number: CustomerNumber, id: CustomerID, createdAt: Timestamp) {
    self.number = number
    self.id = id
    self.createdAt = createdAt
  }

  private final class Status: Sendable {
    let frozen: Int64
    let frozenReason: Reason?
    let mergedInto: CustomerNumber
    let merged: Int64

    init(frozen: Int64 = 0, frozenReason: Reason? = nil, mergedInto: CustomerNumber = 0, merged: Int64 = 0) {
      self.frozen = frozen
      self.frozenReason = frozenReason
      self.mergedInto = mergedInto
      self.merged = merged
    }
  }
}

extension CustomerRow {
  /// Whether the customer may spend and was never part of a merge.
  @inline(__always)
  package var isPlain: Bool { status == nil }

  package var isFrozen: Bool { frozen != 0 }

  /// 0 if the customer may spend; an operator's freeze adds 1, and each refund that froze the customer adds 2.
  package var frozen: Int64 {
    get { status?.frozen ?? 0 }
    set { set(newValue, frozenReason, mergedInto, merged) }
  }

  package var frozenReason: Reason? {
    get { status?.frozenReason }
    set { set(frozen, newValue, mergedInto, merged) }
  }

  /// The surviving customer that this one was merged into; 0 for a customer that is not merged.
  package var mergedInto: CustomerNumber {
    get { status?.mergedInto ?? 0 }
    set { set(frozen, frozenReason, newValue, merged) }
  }

  /// The number of other customers that were merged into this customer or split off by an unmerge.
  ///
  /// Rows that concern the customer may be stored under the numbers of all of these.
  package var merged: Int64 {
    get { status?.merged ?? 0 }
    set { set(frozen, frozenReason, mergedInto, newValue) }
  }

  private mutating func set(_ frozen: Int64, _ reason: Reason?, _ mergedInto: CustomerNumber, _ merged: Int64) {
    let isPlain = frozen == 0 && reason == nil && mergedInto == 0 && merged == 0
    status = isPlain ? nil : Status(frozen: frozen, frozenReason: reason, mergedInto: mergedInto, merged: merged)
  }
}

/// The customer's data that decisions about commands need.
package struct FoundCustomer: Hashable, Sendable {
  package var number: CustomerNumber
  package var isFrozen: Bool
  /// The original customer, which the id named before merges.
  package var original: CustomerNumber
  /// Whether other customers were merged into this customer; keys and histories are then under several numbers.
  package var isOneOfSeveral: Bool

  package init(number: CustomerNumber, isFrozen: Bool) {
    self.number = number
    self.isFrozen = isFrozen
    original = number
    isOneOfSeveral = false
  }

  package init(_ row: CustomerRow, original: CustomerNumber) {
    number = row.number
    isFrozen = row.isFrozen
    self.original = original
    isOneOfSeveral = row.merged > 0
  }
}

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

/// One journal record.
package struct TransactionRow: Hashable, Sendable {
  package var number: TransactionNumber
  package var kind: EntryKind
  package var customer: CustomerNumber
  package var createdAt: Timestamp
  /// The first entry number; entries from there on that name the transaction belong to it.
  package var firstEntry: EntryNumber
  /// The digest of everything booked with the transaction; 0 until it is known.
  package var digest: Int64 = 0
  /// The part of the digest for rows that an erasure removes, which are its keys and its note; 0 if it has none.
  package var erasable: Int64 = 0

  package init(
    number: TransactionNumber, kind: EntryKind, customer: CustomerNumber, createdAt: Timestamp,
    firstEntry: EntryNumber, digest: Int64 = 0, erasable: Int64 = 0
  ) {
    self.number = number
    self.kind = kind
    self.customer = customer
    self.createdAt = createdAt
    self.firstEntry = firstEntry
    self.digest = digest
    self.erasable = erasable
  }
}

/// A transaction's effect on one account, with the account's state after it.
package struct EntryRow: Hashable, Sendable {
  package var number: EntryNumber
  package var transaction: TransactionNumber
  package var account: AccountNumber
  package var kind: EntryKind
  package var amount: Int64
  package var balance: Int64
  package var debt: Int64
  package var version: Int64
  /// The account's entry before this one; 0 for its first.
  package var previous: EntryNumber
  /// The lot that the whole entry fell on; 0 if the allocations have separate rows.
  package var lot: LotNumber

  package init(
    number: EntryNumber, transaction: TransactionNumber, account: AccountNumber, kind: EntryKind, amount: Int64,
    balance: Int64, debt: Int64, version: Int64, previous: EntryNumber, lot: LotNumber
  ) {
    self.number = number
    self.transaction = transaction
    self.account = account
    self.kind = kind
    self.amount = amount
    self.balance = balance
    self.debt = debt
    self.version = version
    self.previous = previous
    self.lot = lot
  }
}

/// The amount of an entry that fell on one of several lots.
package struct AllocationRow: Hashable, Sendable {
  package var entry: EntryNumber
  /// Its position among the allocations of the entry, from 1, in the order of burning.
  package var position: Int64
  package var lot: LotNumber
  package var amount: Int64

  package init(entry: EntryNumber, position: Int64, lot: LotNumber, amount: Int64) {
    self.entry = entry
    self.position = position
    self.lot = lot
    self.amount = amount
  }
}

/// A checkpoint of an account's history: every 64th entry has one, so that a distant version is found fast.
package struct CheckpointRow: Hashable, Sendable {
  package static let interval: Int64 = 64

  package var account: AccountNumber
  package var version: Int64
  package var entry: EntryNumber
  package var transaction: TransactionNumber
  package var createdAt: Timestamp

  package init(
    account: AccountNumber, version: Int64, entry: EntryNumber, transaction: TransactionNumber, createdAt: Timestamp
  ) {
    self.account = account
    self.version = version
    self.entry = entry
    self.transaction = transaction
    self.createdAt = createdAt
  }
}

/// The use of a key, and its outcome.
package struct KeyRow: Sendable {
  package enum Outcome: Hashable, Sendable {
    case booked(TransactionNumber)
    case refused(KeptRefusal)
  }

  // Refusals are rare. The box keeps the rows of the many bookings small.
  private final class Box: Sendable {
    let refusal: KeptRefusal

    init(_ refusal: KeptRefusal) { self.refusal = refusal }
  }

  package var customer: CustomerNumber
  package var key: IdempotencyKey
  package var fingerprint: Fingerprint
  private var transaction: TransactionNumber
  private var refusal: Box?

  package init(customer: CustomerNumber, key: IdempotencyKey, fingerprint: Fingerprint, outcome: Outcome) {
    self.customer = customer
    self.key = key
    self.fingerprint = fingerprint
    transaction = 0
    self.outcome = outcome
  }

  package init(customer: CustomerNumber, key: IdempotencyKey, fingerprint: Fingerprint, booked: TransactionNumber) {
    self.customer = customer
    self.key = key
    self.fingerprint = fingerprint
    transaction = booked
    refusal = nil
  }

  package var outcome: Outcome {
    get { refusal.map { .refused($0.refusal) } ?? .booked(transaction) }
    set {
      switch newValue {
      case .booked(let number): (transaction, refusal) = (number, nil)
      case .refused(let kept): (transaction, refusal) = (0, Box(kept))
      }
    }
  }

  /// The transaction that was booked under the key; nil for a refusal.
  package var bookedTransaction: TransactionNumber? { refusal == nil ? transaction : nil }
  package var keptRefusal: KeptRefusal? { refusal?.refusal }

  /// Whether the outcome is known to be older than a transaction.
  func isOlder(than other: TransactionNumber) -> Bool {
    guard let refusal else { return transaction < other }
    return refusal.refusal.after.map { $0 < other } ?? false
  }
}

/// The note of a transaction, written by people; it is separate from the journal and can be erased.
package struct NoteRow: Hashable, Sendable {
  package var transaction: TransactionNumber
  package var reference: Reference?
  package var reason: Reason?
  package var actor: ActorName?

  package init(transaction: TransactionNumber, reference: Reference?, reason: Reason?, actor: ActorName?) {
    self.transaction = transaction
    self.reference = reference
    self.reason = reason
    self.actor = actor
  }
}

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

/// An environment with the number that lots and purchases refer to.
package struct EnvironmentRow: Hashable, Sendable {
  /// Lower numbers are fixed: one for each kind without a session.
  package static let firstDrawnNumber: Int64 = 16

  package var number: Int64
  package var environment: StoreEnvironment

  package init(number: Int64, environment: StoreEnvironment) {
    self.number = number
    self.environment = environment
  }
}

/// One object of the catalog: a currency, a product, an offering, an item, the settings, or an earlier version.
package struct CatalogRow: Hashable, Sendable {
  package enum Kind: Int64, CaseIterable, Sendable {
    case currency = 1
    case product = 2
    case offering = 3
    case item = 4
    case settings = 5
    /// A currency's document from the instant on that is the row's position, in milliseconds.
    case currencyVersion = 6
    /// A product's document until the instant that is the row's position, in milliseconds.
    case formerProduct = 7
  }

  /// The possible numbers of a currency: account numbers have ten bits for it.
  package static let currencyNumbers: Range<Int64> = 1..<1024

  package var kind: Kind
  package var code: String
  /// The position in its list: a currency's is its number in the ledger and never changes, a version's its instant.
  package var position: Int64
  package var document: String

  package init(kind: Kind, code: String, position: Int64, document: String) {
    self.kind = kind
    self.code = code
    self.position = position
    self.document = document
  }
}
