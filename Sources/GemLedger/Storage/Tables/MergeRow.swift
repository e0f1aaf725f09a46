/// Two customers became one; part of the journal.
///
/// The row of an unmerge names the customer that was split off (``into``, the customer of the transaction) and the
/// survivor (``from``).
package struct MergeRow: Hashable, Sendable {
  package var transaction: TransactionNumber
  package var from: CustomerNumber
  package var into: CustomerNumber

  package init(transaction: TransactionNumber, from: CustomerNumber, into: CustomerNumber) {
    self.transaction = transaction
    self.from = from
    self.into = into
  }
}

extension MergeRow: ExportedRow {
  package static let table: StaticString = "merges"
  package static var blank: Self { Self(transaction: 0, from: 0, into: 0) }

  package mutating func visit<Members: MemberVisitor>(_ columns: inout Members) {
    columns.transaction("transaction_number", &transaction, .derived)
    columns.number("from_customer", &from, .exported(as: "merged_customer"))
    columns.number("into_customer", &into, .derived)
  }
}

// MARK: Indexes

extension MergeRow {
  package static var indexes: [RowIndex<Self>] { [byTransaction, into] }

  package static let byTransaction = RowIndex<Self>(
    "mergeByTransaction", key: ["transaction_number"], isOwned: true, inMemory: .one { $0.cold.merge($1.first) })
  /// The merges into a customer and the unmerges that split it off, oldest first.
  package static let into = RowIndex<Self>(
    "mergesInto", key: ["into_customer"], order: ["transaction_number"],
    inMemory: .many { tables, key in tables.cold.merges.filter { $0.into == key.first } })
}

// MARK: Digest

extension RowDigest {
  package static func of(_ row: MergeRow) -> UInt64 {
    var digest = RowDigest(.merge)
    digest.add(row.from)
    digest.add(row.into)
    return digest.value
  }
}
