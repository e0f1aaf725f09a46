/// A way to find rows of one table by a key, in a defined order of the rows of one key.
///
/// Each row describes its indexes beside its columns, as static members. A storage builds its statements or its own
/// indexes from ``key``, ``order`` and ``conditions``; the storage in memory reads by ``inMemory``.
package final class TableIndex<Row>: Sendable {
  /// Unique among the indexes of all rows.
  package let name: String
  /// The columns of the key: numbers, then at most one text.
  package let key: [IndexColumn]
  /// The columns that order the rows of one key.
  package let order: [String]
  package let isDescending: Bool
  /// The conditions that the rows of the index meet.
  package let conditions: [IndexCondition]
  /// Whether a row is stored with a customer that the key does not contain.
  package let isOwned: Bool
  let inMemory: MemoryRead<Row>

  init(
    _ name: String, key: [IndexColumn], order: [String] = [], isDescending: Bool = false,
    where conditions: [IndexCondition] = [], isOwned: Bool = false, inMemory: MemoryRead<Row>
  ) {
    self.name = name
    self.key = key
    self.order = order
    self.isDescending = isDescending
    self.conditions = conditions
    self.isOwned = isOwned
    self.inMemory = inMemory
  }

  @inlinable
  package var id: ObjectIdentifier { ObjectIdentifier(self) }
}

/// The index of a stored row's table.
///
/// The constraint is not the class's: to check it, each process would search all conformances of the program, once for
/// every row.
package typealias RowIndex<Row: StoredRow> = TableIndex<Row>

/// A column of an index's key.
package enum IndexColumn: ExpressibleByStringLiteral, Sendable {
  case number(String)
  /// The columns `customer` and `currency`, or the one column `account`; one number of a key.
  case account
  /// The text of a key.
  case text(String)

  package init(stringLiteral name: String) { self = .number(name) }
}

/// A condition that the rows of an index meet.
package enum IndexCondition: Sendable {
  case equal(String, Int64)
  case unequal(String, Int64)
  case positive(String)
  case within(String, ClosedRange<Int64>)
  case null(String)
  /// The expiry has the value for never.
  case never(String)

  /// The condition in SQL that all dialects share.
  ///
  /// - Parameter never: The storage's value for never.
  package func sql(never: Int64) -> String {
    switch self {
    case .equal(let column, let value): "\(column) = \(value)"
    case .unequal(let column, let value): "\(column) <> \(value)"
    case .positive(let column): "\(column) > 0"
    case .within(let column, let range): "\(column) BETWEEN \(range.lowerBound) AND \(range.upperBound)"
    case .null(let column): "\(column) IS NULL"
    case .never(let column): "\(column) = \(never)"
    }
  }
}

/// How the tables in memory find the rows of an index.
enum MemoryRead<Row>: Sendable {
  /// The row with a key, of which there is at most one.
  case one(@Sendable (MemoryTables, IndexKey) -> Row?)
  case many(@Sendable (MemoryTables, IndexKey) -> [Row])
  /// The rows with a key after a place, up to a limit.
  case page(@Sendable (MemoryTables, IndexKey, IndexPlace?, Int) -> [Row])
}

/// A storage's reads of some indexes, each with the type of the index's rows.
///
/// A request is the keys, or what a page needs. A read returns nil if the storage's general read must answer.
package struct IndexReads<Storage, Request>: Sendable {
  package typealias Read<Row> = @Sendable (Storage) -> (Request) throws(LedgerError) -> [Row]?

  /// The read of one index.
  package struct Entry: Sendable {
    fileprivate let index: ObjectIdentifier
    fileprivate let read: any AnyObject & Sendable

    package init<Row>(_ index: RowIndex<Row>, _ read: @escaping Read<Row>) {
      self.index = index.id
      self.read = Box(read)
    }
  }

  @usableFromInline
  final class Box<Row>: Sendable {
    @usableFromInline let read: Read<Row>
    init(_ read: @escaping Read<Row>) { self.read = read }
  }

  @usableFromInline let reads: [ObjectIdentifier: any AnyObject & Sendable]

  package init(_ entries: Entry...) {
    reads = Dictionary(uniqueKeysWithValues: entries.map { ($0.index, $0.read) })
  }

  /// Returns the rows of an index; nil if the storage's general read must answer.
  @inlinable
  package func rows<Row>(
    _ index: RowIndex<Row>, in storage: Storage, _ request: Request
  ) throws(LedgerError) -> [Row]? {
    guard let box = reads[index.id] else { return nil }
    // Only an entry of this index, and so of these rows, is stored under its identity.
    return try unsafeDowncast(box, to: Box<Row>.self).read(storage)(request)
  }
}
