/// The outcome of one part of a refund's claw-back from one of the purchase's lots; part of the journal.
///
/// The taken, owed, short and expired parts add up to the amount due from the lot. In a reversal they are negative.
package struct RefundPartRow: Hashable, Sendable {
  package enum Kind: Int64, CaseIterable, Sendable {
    /// Taken from the lot `source`, which may be another lot than the purchase's.
    case taken = 1
    /// The customer owes it.
    case owed = 2
    /// It is lost: the currency's policy waives it.
    case short = 3
    /// Returned as currency by a reversal, since the owed amount had been repaid meanwhile.
    case repaid = 4
    /// It had expired unspent, so that nothing is taken for it.
    case expired = 5
  }

  package var transaction: TransactionNumber
  /// Its position among the parts of the transaction, from 1.
  package var position: Int64
  /// The purchase's lot from which it is due.
  package var lot: LotNumber
  package var kind: Kind
  /// The lot that it was taken from; 0 if nothing was taken.
  package var source: LotNumber
  package var amount: Int64

  package init(
    transaction: TransactionNumber, position: Int64, lot: LotNumber, kind: Kind, source: LotNumber, amount: Int64
  ) {
    self.transaction = transaction
    self.position = position
    self.lot = lot
    self.kind = kind
    self.source = source
    self.amount = amount
  }
}

extension RefundPartRow: ExportedRow {
  package static let table: StaticString = "refund_parts"
  package static let keyColumnCount = 2
  package static let checks = ["amount <> 0"]
  package static var blank: Self { Self(transaction: 0, position: 0, lot: 0, kind: .short, source: 0, amount: 0) }

  package mutating func visit<Members: MemberVisitor>(_ columns: inout Members) {
    columns.transaction("transaction_number", &transaction, .derived)
    columns.number("position", &position, .derived)
    columns.number("lot", &lot, .exported)
    columns.kind("kind", &kind, else: .short, .exported)
    columns.number("source_lot", &source, .exported(as: "source", unless: .zero))
    columns.amount("amount", &amount, .exported)
  }
}

extension RefundPartRow.Kind: ExportedKind {
  package var name: String {
    switch self {
    case .taken: "taken"
    case .owed: "owed"
    case .short: "short"
    case .repaid: "repaid"
    case .expired: "expired"
    }
  }
}

// MARK: Indexes

extension RefundPartRow {
  package static var indexes: [RowIndex<Self>] { [ofTransaction] }

  /// Must also find rows without an owner.
  package static let ofTransaction = RowIndex<Self>(
    "partsOfRefund", key: ["transaction_number"], order: ["position"], isOwned: true,
    inMemory: .many { $0.purchases.refundParts[$1.first] ?? [] })
}

// MARK: Digest

extension RowDigest {
  package static func of(_ row: RefundPartRow) -> UInt64 {
    var digest = RowDigest(.refundPart)
    digest.add(row.position)
    digest.add(row.lot)
    digest.add(row.kind.rawValue)
    digest.add(row.source)
    digest.add(row.amount)
    return digest.value
  }
}
