#if PostgreSQL
internal import GemLedger

/// Rows of one kind that a group looks up by keys: those of all keys that it lacks in one statement.
final class RowLookup<Key: Hashable, Row>: GroupLookup {
  private(set) var found: [Key: [Row]] = [:]
  private var wanted: Set<Key> = []
  /// The keys that are being asked for.
  private var asked: Set<Key> = []
  private let requests: ([Key]) -> [PostgresRequest]
  private let read: (PostgresRows, Int) throws(LedgerError) -> (key: Key, row: Row)
  /// Gets each key with its rows, as they come.
  private let arrived: (Key, [Row]) -> Void

  init(
    _ requests: @escaping ([Key]) -> [PostgresRequest], arrived: @escaping (Key, [Row]) -> Void = { _, _ in },
    read: @escaping (PostgresRows, Int) throws(LedgerError) -> (key: Key, row: Row)
  ) {
    self.requests = requests
    self.arrived = arrived
    self.read = read
  }

  /// - Throws: `rowsMissing` where the key was not looked up yet; from then on it is wanted.
  func rows(_ key: Key) throws(LedgerError) -> [Row] {
    if let known = found[key] { return known }
    wanted.insert(key)
    throw .rowsMissing
  }

  func first(_ key: Key) throws(LedgerError) -> Row? { try rows(key).first }

  /// Looks the key up with the next load, which it is no cause for.
  func want(_ key: Key) {
    if found[key] == nil, !asked.contains(key) { wanted.insert(key) }
  }

  func wants(_ key: Key) -> Bool { wanted.contains(key) }

  /// Makes the rows of a key known without a look-up.
  func set(_ key: Key, to rows: [Row]) {
    found[key] = rows
    wanted.remove(key)
  }

  // MARK: Loading

  // Classes are not specialised; the customers and the keys are the rows of plain groups.

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
    // A distributed engine, asked for some numbers of some customers, gives others of them again.
    let answered = asked.map { (key: $0, rows: rows[$0] ?? []) }
    asked = []
    found.reserveCapacity(found.count + answered.count)
    for (key, rows) in answered { found[key] = rows }
    for (key, rows) in answered { arrived(key, rows) }
  }
}

/// One of a group's look-ups, of whatever keys and rows.
protocol GroupLookup: AnyObject {
  /// The statements for all that is wanted; from here on it counts as asked for.
  func takeRequests() -> [PostgresRequest]
  /// - Parameter answers: Those to ``takeRequests()``.
  func keep(_ answers: ArraySlice<PostgresRows>) throws(LedgerError)
}

/// A statement with its values, by which its answer is known.
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
