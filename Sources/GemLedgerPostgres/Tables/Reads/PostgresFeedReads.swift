#if PostgreSQL
internal import GemLedger

// The feed reads lane by lane. A group holds its lane's row until its commit is visible to all sessions, so within a
// lane no transaction ever appears with a lower number than one already seen. Between lanes this can happen.

/// Reads of the feed.
protocol PostgresFeedReads: PostgresReads {}

extension PostgresFeedReads {
  var commitsInOrder: Bool { false }

  func feedTransactions(after position: FeedPosition, limit: Int) throws(LedgerError) -> [TransactionRow] {
    // All lanes that a number can contain: a copied journal has numbers of lanes that this ledger does not use.
    let lanes = (0..<Int64(Numbering.laneCountMax)).map { (lane: $0, last: position.last(ofLane: $0)) }
    let answers =
      try layout.cluster == nil
      ? ask([Self.transactions(ofLanes: lanes, limit)]) : ClusterFeed(session: session).answers(lanes, limit)
    let found = answers.flatMap { rows in (0..<rows.count).map { TransactionRow.read(rows, $0) } }
    return Array(found.sorted { $0.number < $1.number }.prefix(limit))
  }

  /// Returns a request with a separate index scan for each lane.
  private static func transactions(
    ofLanes lanes: [(lane: Int64, last: TransactionNumber)], _ limit: Int
  ) -> PostgresRequest {
    PostgresRequest(
      """
      SELECT found.* FROM unnest($1, $2) AS place (lane, last) CROSS JOIN LATERAL (
        SELECT \(TransactionRow.columns) FROM transactions WHERE (number & 63) = lane AND number > last
        ORDER BY number LIMIT $3
      ) AS found ORDER BY number LIMIT $3
      """, lanes.map(\.lane), lanes.map(\.last), Int64(limit))
  }
}
#endif
