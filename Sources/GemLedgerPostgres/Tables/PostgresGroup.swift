#if PostgreSQL
internal import GemLedger

/// A group of commands on its way: the lanes that it holds, and how far it has come.
final class PostgresGroup {
  /// In ascending order; the first one numbers the group's transactions.
  let lanes: [Int]
  /// The writer, and the number of this attempt: the key for looking up a lost answer.
  let token: CommitToken
  /// Whether the writer's name has no earlier commit token.
  let isFirstOfWriter: Bool
  private var known: [LaneHead] = []
  private(set) var isBegun = false
  var isCommitted = false

  struct CommitToken: Hashable, Sendable {
    let writer: [UInt8]
    let number: Int64
  }

  init(lanes: [Int], token: CommitToken, isFirstOfWriter: Bool = false) {
    self.lanes = lanes
    self.token = token
    self.isFirstOfWriter = isFirstOfWriter
  }

  /// Where the lanes stand; begins the group where it has not begun.
  func heads(_ session: PostgresSession) throws(LedgerError) -> [LaneHead] {
    if !isBegun { _ = try session.ask([]) }
    return known
  }

  /// Begins a transaction and locks the lanes, one after the other: no other group writes there until it ends.
  func beginning(_ layout: LaneLayout) -> [PostgresRequest] {
    [PostgresRequest("BEGIN")]
      + lanes.map { lane in
        PostgresRequest(
          "SELECT last, created_at, catalog_version, layout, sums FROM lanes WHERE customer = $1 FOR UPDATE"
        ) { $0.add(layout.heads[lane]) }
      }
  }

  /// - Parameter answers: Those to ``beginning(_:)``.
  func begin(_ answers: ArraySlice<PostgresRows>, _ session: PostgresSession) throws(LedgerError) {
    isBegun = true
    for (lane, rows) in zip(lanes, answers.dropFirst()) {
      guard rows.count == 1, rows.integer(0, 3) == session.layout.version else {
        throw LedgerError(
          .storageUnavailable, "\(session.storageName): the customers were spread anew. Open the ledger again.")
      }
      known.append(
        LaneHead(
          lane: lane, last: rows.integer(0, 0), createdAt: rows.integer(0, 1), catalogVersion: rows.integer(0, 2),
          sums: rows.integers(0, 4)))
    }
  }
}
#endif
