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

/// A key with the outcome of its request: the transaction or the refusal.
extension KeyRow: ExportedRow {
  package static let table: StaticString = "keys"
  package static let keyColumnCount = 2
  package static var blank: Self {
    Self(
      customer: 0, key: IdempotencyKey(unchecked: ""), fingerprint: Fingerprint(asked: 0, qualifiers: 0), booked: 0)
  }

  package mutating func visit<Members: MemberVisitor>(_ columns: inout Members) {
    columns.number("customer", &customer, .exported)
    columns.identifier("key", &key, .exported)
    var (asked, qualifiers) = (fingerprint.asked, fingerprint.qualifiers)
    columns.integer("request_digest", .any, &asked, .exported(as: "asked"))
    columns.integer("qualifier_digest", .any, &qualifiers, .exported(as: "qualifiers"))
    fingerprint = Fingerprint(asked: asked, qualifiers: qualifiers)
    var (transaction, refusal) = (bookedTransaction, keptRefusal?.stored)
    columns.integer("transaction_number", .transaction, optional: &transaction, .exported(as: "transaction"))
    columns.text("refusal", optional: &refusal, .exported(asJSON: true))
    outcome = Outcome(transaction: transaction, refusal: refusal)
  }
}

// MARK: Indexes

extension KeyRow {
  package static var indexes: [RowIndex<Self>] { [byKey] }

  package static let byKey = RowIndex<Self>(
    "keyOfCustomer", key: ["customer", .text("key")],
    inMemory: .one { tables, key in
      tables.key(
        IdempotencyKey(unchecked: key.text), customer: key.first,
        hash: KeyHash.of(ByteHash.of(key.text), customer: key.first))
    })
}

extension KeyRow.Outcome {
  /// Makes the outcome from two columns, of which one is null.
  ///
  /// A key with neither is a problem to report, not an error: no transaction has number 0.
  package init(transaction: TransactionNumber?, refusal: String?) {
    let kept = refusal.flatMap(KeptRefusal.init(stored:)).map(Self.refused)
    self = transaction.map(Self.booked) ?? kept ?? .booked(0)
  }
}

// MARK: Digest

extension RowDigest {
  /// The key of a booked command.
  @inline(__always)
  package static func of(_ row: borrowing KeyRow) -> UInt64 {
    var digest = RowDigest(.key)
    digest.add(row.bookedTransaction)
    digest.add(row.customer)
    digest.add(row.fingerprint.asked)
    digest.add(row.fingerprint.qualifiers)
    digest.add(row.key.text)
    return digest.value
  }
}
