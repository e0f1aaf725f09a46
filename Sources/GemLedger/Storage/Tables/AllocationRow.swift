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

extension AllocationRow: StoredRow {
  package static let table: StaticString = "allocations"
  package static let keyColumnCount = 2
  package static let checks = ["amount <> 0"]
  package static var blank: Self { Self(entry: 0, position: 0, lot: 0, amount: 0) }

  package mutating func visit<Columns: ColumnVisitor>(_ columns: inout Columns) {
    columns.entry("entry", &entry, .derived)
    columns.number("position", &position, .derived)
    columns.number("lot", &lot, .exported)
    columns.amount("amount", &amount, .exported)
  }
}

// MARK: Indexes

extension AllocationRow {
  package static var indexes: [RowIndex<Self>] { [ofEntry] }

  package static let ofEntry = RowIndex<Self>(
    "allocationsOfEntry", key: ["entry"], order: ["position"], isOwned: true,
    inMemory: .many { $0.allocations(of: $1.first) })
}

// MARK: Digest

extension RowDigest {
  /// - Parameter position: The position of its entry.
  package static func of(_ row: AllocationRow, position: Int64) -> UInt64 {
    var digest = RowDigest(.allocation)
    digest.add(position)
    digest.add(row.position)
    digest.add(row.lot)
    digest.add(row.amount)
    return digest.value
  }
}
