#if PostgreSQL
internal import GemLedger

/// The look-up of rows of one kind by keys: one statement for all missing keys.
final class RowLookup<Key: Hashable, Row>: GroupLookup {
  private(set) var found: [Key: [Row]] = [:]
  private(set) var wanted: Set<Key> = []
  /// The keys of the running query.
  private var asked: Set<Key> = []
  private let requests: ([Key]) -> [PostgresRequest]
  private let read: (PostgresRows, Int) throws(LedgerError) -> (key: Key, row: Row)
  /// Called with each key and its rows when they are received.
  private let arrived: (Key, [Row]) -> Void

  init(
    _ requests: @escaping ([Key]) -> [PostgresRequest], arrived: @escaping (Key, [Row]) -> Void = { _, _ in },
    read: @escaping (PostgresRows, Int) throws(LedgerError) -> (key: Key, row: Row)
  ) {
    self.requests = requests
    self.arrived = arrived
    self.read = read
  }

  /// - Throws: `rowsMissing` if the key was not looked up yet; it is then requested.
  func rows(_ key: Key) throws(LedgerError) -> [Row] {
    if let known = found[key] { return known }
    wanted.insert(key)
    throw .rowsMissing
  }

  func first(_ key: Key) throws(LedgerError) -> Row? { try rows(key).first }

  /// Adds the key to the next load, without causing one.
  func want(_ key: Key) {
    if found[key] == nil, !asked.contains(key) { wanted.insert(key) }
  }

  func wants(_ key: Key) -> Bool { wanted.contains(key) }

  /// Sets the rows of a key without a look-up.
  func set(_ key: Key, to rows: [Row]) {
    found[key] = rows
    wanted.remove(key)
  }

  // MARK: Loading

  // Generic classes are not specialised automatically; plain groups use only the rows of customers and keys.

  @specialized(where Key == CustomerNumber, Row == CustomerRow)
  @specialized(where Key == GroupRows.KeyAddress, Row == KeyRow)
  func takeRequests() -> [PostgresRequest] {
    guard !wanted.isEmpty else { return [] }
    asked = wanted
    wanted = []
    return requests(Array(asked))
  }

  @specialized(where Key == CustomerNumber, Row == CustomerRow)
  @specialized(where Key == GroupRows.KeyAddress, Row == KeyRow)
  func keep(_ answers: ArraySlice<PostgresRows>) throws(LedgerError) {
    var rows: [Key: [Row]] = [:]
    rows.reserveCapacity(asked.count)
    for answer in answers {
      for index in 0..<answer.count {
        let (key, row) = try read(answer, index)
        rows[key, default: []].append(row)
      }
    }
    // A distributed engine, given some numbers of some customers, also returns other pairs of them.
    let answered = asked.map { (key: $0, rows: rows[$0] ?? []) }
    asked = []
    found.reserveCapacity(found.count + answered.count)
    for (key, rows) in answered { found[key] = rows }
    for (key, rows) in answered { arrived(key, rows) }
  }
}

/// One look-up of a group, for any type of keys and rows.
protocol GroupLookup: AnyObject {
  /// Returns the statements for all requested keys, and marks them as sent.
  func takeRequests() -> [PostgresRequest]
  /// - Parameter answers: The results of ``takeRequests()``.
  func keep(_ answers: ArraySlice<PostgresRows>) throws(LedgerError)
}

/// A statement with its values, which identifies its result.
struct StatementKey: Hashable {
  private let sql: String
  private let values: [UInt8]
  private let offsets: [Int]

  init(_ request: PostgresRequest) {
    sql = request.sql
    values = request.parameters.buffer
    offsets = request.parameters.offsets
  }
}
#endif
