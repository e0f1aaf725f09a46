#if PostgreSQL
internal import GemLedger

/// A running group of commands: the lanes that it holds, and its state.
final class PostgresGroup {
  /// The group's lanes; the first lane numbers its transactions.
  let lanes: [Int]
  /// The writer and the number of this attempt: the key for looking up a lost response.
  let token: CommitToken
  /// Whether the writer's name has no earlier commit token.
  let isFirstOfWriter: Bool
  private var known: [LaneHead] = []
  private(set) var isBegun = false
  var isCommitted = false
  /// Whether other processes write to its lanes too.
  private(set) var meetsOtherProcesses = false

  struct CommitToken: Hashable, Sendable {
    let writer: [UInt8]
    let number: Int64
  }

  init(lanes: [Int], token: CommitToken, isFirstOfWriter: Bool = false) {
    self.lanes = lanes
    self.token = token
    self.isFirstOfWriter = isFirstOfWriter
  }

  /// Returns the positions of the lanes, and begins the group if necessary.
  func heads(_ session: PostgresSession) throws(LedgerError) -> [LaneHead] {
    if !isBegun { _ = try session.ask([]) }
    return known
  }

  /// Returns requests that begin a transaction and lock the lanes one by one: no other group can write there until it
  /// ends.
  ///
  /// All writers lock lanes in ascending order, also on a single server, which locks all of them in one statement.
  func beginning(_ layout: LaneLayout) -> [PostgresRequest] {
    let heads = lanes.sorted().map { layout.heads[$0] }
    if heads.count > 1, layout.cluster == nil {
      return [
        PostgresRequest("BEGIN"),
        PostgresRequest(
          """
          SELECT \(Self.columns) FROM lanes WHERE customer = ANY($1) ORDER BY array_position($1, customer) FOR UPDATE
          """, heads),
      ]
    }
    return [PostgresRequest("BEGIN")]
      + heads.map { head in
        PostgresRequest("SELECT \(Self.columns) FROM lanes WHERE customer = $1 FOR UPDATE", head)
      }
  }

  private static let columns = "last, created_at, catalog_version, layout, sums"

  /// - Parameter answers: The results of ``beginning(_:)``.
  func begin(_ answers: ArraySlice<PostgresRows>, _ session: PostgresSession) throws(LedgerError) {
    isBegun = true
    let places = answers.dropFirst().flatMap { rows in (0..<rows.count).map { (rows, $0) } }
    guard places.count == lanes.count,
      places.allSatisfy({ rows, row in rows.integer(row, 3) == session.layout.version })
    else {
      throw LedgerError(
        .storageUnavailable, "\(session.storageName): the lanes of customers changed. Open the ledger again.")
    }
    for (lane, (rows, row)) in zip(lanes.sorted(), places) {
      known.append(
        LaneHead(
          lane: lane, last: rows.integer(row, 0), createdAt: rows.integer(row, 1), catalogVersion: rows.integer(row, 2),
          sums: rows.integers(row, 4)))
    }
    meetsOtherProcesses = session.layout.cluster == nil && session.memory.laneTurns.areShared(known)
    known = known.filter { $0.lane == lanes.first } + known.filter { $0.lane != lanes.first }
  }
}
#endif
