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

extension TransactionRow: ExportedRow {
  package static let table: StaticString = "transactions"
  package static let hasPlacedMembers = true
  package static var blank: Self {
    Self(number: 0, kind: .mixed, customer: 0, createdAt: Timestamp(milliseconds: 0), firstEntry: 0)
  }

  package mutating func visit<Members: MemberVisitor>(_ columns: inout Members) {
    columns.transaction("number", &number, .exported(place: .first))
    columns.kind("kind", &kind, else: .mixed, .exported)
    columns.number("customer", &customer, .exported)
    columns.instant("created_at", &createdAt, .exported)
    columns.entry("first_entry", &firstEntry, .derived)
    columns.integer("digest", .any, &digest, .exported(unless: .zero, place: .last))
    var part = erasable == 0 ? nil : erasable
    columns.integer("erasable_digest", .any, optional: &part, .exported(place: .last))
    erasable = part ?? 0
  }
}

// MARK: Indexes

extension TransactionRow {
  package static var indexes: [RowIndex<Self>] { [byNumber, withoutEntries, listedWithoutEntries] }

  /// Must also find a row without an owner.
  package static let byNumber = RowIndex<Self>(
    "transactionByNumber", key: ["number"], isOwned: true, inMemory: .one { $0.transaction($1.first) })
  /// A customer's transactions that touched no balance, newest first.
  package static let withoutEntries = RowIndex<Self>(
    "transactionsWithoutEntries", key: ["customer"], order: ["number"], isDescending: true,
    inMemory: .page { tables, key, place, limit in
      let below = place?.first ?? .max
      let numbers = (tables.withoutEntries[key.first] ?? []).reversed().lazy.filter { $0 < below }.prefix(limit)
      return numbers.compactMap(tables.transaction)
    })
  /// A transaction that touched no balance, by its customer and its number.
  package static let listedWithoutEntries = RowIndex<Self>(
    "transactionWithoutEntries", key: ["customer", "number"],
    inMemory: .one { tables, key in
      let own = tables.withoutEntries[key.first] ?? []
      let place = own.partitioningIndex { $0 >= key.second }
      return place < own.count && own[place] == key.second ? tables.transaction(key.second) : nil
    })
}

// MARK: Digest

extension RowDigest {
  /// - Parameter parts: The sum of the digests of all rows that were booked with the transaction.
  @inline(__always)
  package static func of(_ row: TransactionRow, parts: UInt64) -> UInt64 {
    var digest = RowDigest(.transaction)
    digest.add(row.number)
    digest.add(row.kind.rawValue)
    digest.add(row.customer)
    digest.add(row.createdAt)
    digest.add(row.erasable)
    digest.add(parts)
    return digest.value
  }
}
