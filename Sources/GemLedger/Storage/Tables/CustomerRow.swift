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

extension CustomerRow: ExportedRow {
  package static let table: StaticString = "customers"
  package static let fixedColumns: Set = ["created_at"]
  package static var blank: Self {
    Self(number: 0, id: CustomerID(unchecked: ""), createdAt: Timestamp(milliseconds: 0))
  }

  package mutating func visit<Members: MemberVisitor>(_ columns: inout Members) {
    columns.number("customer", &number, .exported(as: "number"))
    columns.identifier("id", &id, .exported)
    columns.instant("created_at", &createdAt, .exported)
    columns.number("frozen", &frozen, .derived)
    columns.identifier("frozen_reason", optional: &frozenReason, .derived)
    columns.number("merged_into", &mergedInto, .derived)
    columns.number("merged_count", &merged, .derived)
  }
}

// MARK: Indexes

extension CustomerRow {
  package static var indexes: [RowIndex<Self>] { [byNumber, inOrder] }

  package static let byNumber = RowIndex<Self>(
    "customerByNumber", key: ["customer"], inMemory: .one { $0.customer(number: $1.first) })
  /// All customers, in the order of their numbers; the key is empty.
  package static let inOrder = RowIndex<Self>(
    "customersInOrder", key: [], order: ["customer"],
    inMemory: .page { tables, _, place, limit in
      MemoryScan.positions(after: place?.first ?? 0, limit: limit, count: tables.customers.count)
        .map { tables.customers[$0] }
    })
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

// MARK: Digest

extension RowDigest {
  static func of(_ row: CustomerRow) -> UInt64 { customer(row.number, row.id, row.createdAt) }

  static func customer(_ number: CustomerNumber, _ id: CustomerID, _ createdAt: Timestamp) -> UInt64 {
    var digest = RowDigest(.customer)
    digest.add(number)
    digest.add(id.text)
    digest.add(createdAt)
    return digest.value
  }
}
