#if PostgreSQL
internal import Synchronization

/// The statements of one round trip to a distributed engine.
///
/// The engine plans each statement, which takes longer than finding a few rows. So queries of one lane are sent as one
/// statement: a union, which the engine sends to the lane's shard as a whole.
struct LaneBatch {
  /// The statement that gives a request's result.
  struct Query {
    /// The position of the request.
    let request: Int
    let statement: PostgresRequest
    /// The lane, held by the group, of which it is a query; nil for any other statement.
    let lane: Int32?
  }

  /// The maximum number of queries of a union.
  static let queryCountMax = 16

  private(set) var statements: [PostgresRequest] = []
  /// For each statement the queries that it answers; none for the first statements of a request with several.
  private(set) var queries: [[Query]] = []
  /// The queries that were not added yet, by lane.
  private var waiting: [Int32: [Query]] = [:]

  /// Adds the statements of a request.
  ///
  /// - Parameters:
  ///   - query: The last of them.
  ///   - isReader: Whether they only read, so that their order among queries does not matter.
  mutating func add(_ statements: [PostgresRequest], _ query: Query, isReader: Bool) {
    if !isReader { addWaiting() }
    self.statements += statements
    queries += [[Query]](repeating: [], count: statements.count - 1) + [[query]]
  }

  /// Adds a query of one lane, which may be sent later than the queries that follow it.
  mutating func add(_ query: Query, ofLane lane: Int32) { waiting[lane, default: []].append(query) }

  mutating func addWaiting() {
    for (_, queries) in waiting.sorted(by: { $0.key < $1.key }) {
      // In one order, so that the same queries have the same text.
      let sorted = queries.sorted { $0.statement.sql < $1.statement.sql }
      for first in stride(from: 0, to: sorted.count, by: Self.queryCountMax) {
        let part = Array(sorted[first..<min(sorted.count, first + Self.queryCountMax)])
        statements.append(part.count == 1 ? part[0].statement : Self.union(part.map(\.statement)))
        self.queries.append(part)
      }
    }
    waiting = [:]
  }

  /// Returns the union of queries: rows with the number of the query, and a record in the server's binary form.
  ///
  /// A text with the same query several times is not prepared: their number varies.
  private static func union(_ queries: [PostgresRequest]) -> PostgresRequest {
    var parameters = PostgresParameters()
    var parts: [String] = []
    for (number, query) in queries.enumerated() {
      let sql = renumbered(query.sql, by: parameters.count)
      parts.append("SELECT \(number) AS query, record_send(q) AS record FROM (\(sql)) q")
      parameters.append(query.parameters)
    }
    let isPrepared = Set(queries.map(\.sql)).count == queries.count && queries.allSatisfy(\.isPrepared)
    return PostgresRequest(parts.joined(separator: " UNION ALL "), parameters, isPrepared: isPrepared)
  }

  /// Returns the statement with higher numbers of its parameters.
  private static func renumbered(_ sql: String, by count: Int) -> String {
    if count == 0 { return sql }
    var parts = sql.utf8.split(separator: UInt8(ascii: "$"), omittingEmptySubsequences: false)[...]
    var text = String(parts.removeFirst()) ?? ""
    for part in parts {
      let digits = part.prefix { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
      let number = Int(Substring(digits)).map { "\($0 + count)" } ?? ""
      text += "$\(number)\(Substring(part.dropFirst(digits.count)))"
    }
    return text
  }
}

/// The columns of queries' results, by statement: a record has no names of columns.
final class QueryColumns: Sendable {
  // Unchecked: results are only read once they are here.
  private struct State: @unchecked Sendable {
    var results: [String: PostgresRows] = [:]
  }

  private let state = Mutex(State())

  /// Returns a result without rows; nil if the statement has not been sent alone yet.
  subscript(sql: String) -> PostgresRows? { state.withLock { $0.results[sql] } }

  func remember(_ rows: PostgresRows, of sql: String) {
    guard self[sql] == nil, let columns = rows.withoutRows() else { return }
    state.withLock { $0.results[sql] = columns }
  }
}
#endif
