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

extension NoteRow: ExportedRow {
  package static let table: StaticString = "notes"
  package static var blank: Self { Self(transaction: 0, reference: nil, reason: nil, actor: nil) }

  package mutating func visit<Members: MemberVisitor>(_ columns: inout Members) {
    columns.transaction("transaction_number", &transaction, .derived)
    columns.identifier("reference", optional: &reference, .exported)
    columns.identifier("reason", optional: &reason, .exported)
    columns.identifier("actor", optional: &actor, .exported)
  }
}

// MARK: Indexes

extension NoteRow {
  package static var indexes: [RowIndex<Self>] { [ofTransaction] }

  package static let ofTransaction = RowIndex<Self>(
    "noteOfTransaction", key: ["transaction_number"], isOwned: true, inMemory: .one { $0.notes[$1.first] })
}

// MARK: Digest

extension RowDigest {
  package static func of(_ row: NoteRow) -> UInt64 {
    var digest = RowDigest(.note)
    digest.add(row.transaction)
    digest.add(row.reference?.text)
    digest.add(row.reason?.text)
    digest.add(row.actor?.text)
    return digest.value
  }
}
