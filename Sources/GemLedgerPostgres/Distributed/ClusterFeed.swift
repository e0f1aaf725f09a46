#if PostgreSQL
internal import GemLedger
internal import Synchronization

/// The feed's reads on a distributed engine, where no snapshot spans the nodes.
struct ClusterFeed: SessionPart {
  let session: PostgresSession

  private var ends: ClusterFeedEnds { memory.feedEnds }

  /// Returns the next transactions of each lane after its last number; nothing for lanes without new ones.
  func answers(_ lanes: [(lane: Int64, last: TransactionNumber)], _ limit: Int) throws(LedgerError) -> [PostgresRows] {
    // Each of these queries is sent to all nodes.
    let bounds = try bounds()
    let behind = ends.lanesWithCommits(lanes, bounds)
    if behind.isEmpty { return [] }
    try waitForHalves()
    let answers = try ask(
      behind.map { Self.transactions(ofLane: $0.lane, after: $0.last, upTo: bounds[$0.lane] ?? 0, limit) })
    for (address, rows) in zip(behind, answers) where rows.count < limit {
      let newest = rows.count == 0 ? address.last : TransactionRow.read(rows, rows.count - 1).number
      ends.remember(newest: newest, ofLane: address.lane, upTo: bounds[address.lane] ?? 0)
    }
    return answers
  }

  /// Returns the highest number of each lane, including unused lanes of a copied journal, which get no new numbers.
  private func bounds() throws(LedgerError) -> [Int64: TransactionNumber] {
    let heads = PostgresRequest("SELECT -1 - customer AS lane, last FROM lanes")
    let foreign = PostgresRequest(
      "SELECT number & 63, max(number) FROM transactions WHERE (number & 63) >= $1 GROUP BY number & 63",
      Int64(layout.count))
    func numbers(_ rows: PostgresRows) -> [Int64: TransactionNumber] {
      Dictionary((0..<rows.count).map { (rows.integer($0, 0), rows.integer($0, 1)) }) { first, _ in first }
    }
    let known = ends.foreignNumbers
    let answers = try session.askApart(known == nil ? [heads, foreign] : [heads])
    let others = known ?? numbers(answers[1])
    ends.foreignNumbers = others
    return others.merging(numbers(answers[0])) { _, own in own }
  }

  /// Waits until commits that are visible on one node are visible on the others too.
  ///
  /// A group over several lanes holds each of them until its commit is visible there. So a reader that briefly held
  /// each lane sees every commit completely of which it saw a part before.
  private func waitForHalves() throws(LedgerError) {
    // One after the other, so that a writer never waits for a reader that waits for another writer.
    _ = try session.askApart(
      layout.heads.flatMap { head in
        [
          PostgresRequest("BEGIN"),
          PostgresRequest("SELECT last FROM lanes WHERE customer = $1 FOR KEY SHARE", head),
          PostgresRequest("COMMIT"),
        ]
      })
  }

  /// Returns requests without joins: a distributed engine does not join lists with its tables.
  private static func transactions(
    ofLane lane: Int64, after last: TransactionNumber, upTo bound: TransactionNumber, _ limit: Int
  ) -> PostgresRequest {
    PostgresRequest(
      """
      SELECT \(TransactionRow.columns) FROM transactions WHERE (number & 63) = $1 AND number > $2 AND number <= $3
      ORDER BY number LIMIT $4
      """, lane, last, bound, Int64(limit))
  }
}

/// The ends of lanes at which the feed has arrived.
final class ClusterFeedEnds: Sendable {
  private let foreign = Mutex<[Int64: TransactionNumber]?>(nil)

  /// The newest transactions of lanes that only a copied journal has.
  var foreignNumbers: [Int64: TransactionNumber]? {
    get { foreign.withLock { $0 } }
    set { foreign.withLock { $0 = newValue } }
  }

  /// The position up to which a lane was read, and its newest transaction at that time.
  private struct LaneEnd {
    let bound: Int64
    let newest: TransactionNumber
  }

  private let ends = Mutex<[Int64: LaneEnd]>([:])

  func remember(newest: TransactionNumber, ofLane lane: Int64, upTo bound: Int64) {
    ends.withLock { $0[lane] = LaneEnd(bound: bound, newest: newest) }
  }

  /// Returns the lanes that may have transactions after these positions: they assign numbers to other rows too.
  func lanesWithCommits(
    _ lanes: [(lane: Int64, last: TransactionNumber)], _ bounds: [Int64: Int64]
  ) -> [(lane: Int64, last: TransactionNumber)] {
    let ends = ends.withLock { $0 }
    return lanes.filter { lane, last in
      guard let bound = bounds[lane], last < bound else { return false }
      guard let end = ends[lane], end.bound == bound else { return true }
      return last < end.newest
    }
  }

  func forgetAll() {
    foreign.withLock { $0 = nil }
    ends.withLock { $0.removeAll() }
  }
}
#endif
