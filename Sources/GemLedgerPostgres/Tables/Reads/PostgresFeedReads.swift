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
    let answers: [PostgresRows]
    if layout.isDistributed {
      // Each of these queries is sent to all nodes.
      let bounds = try bounds()
      let behind = memory.lanesWithCommits(lanes, bounds)
      if behind.isEmpty { return [] }
      try waitForHalves()
      answers = try ask(
        behind.map { Self.transactions(ofLane: $0.lane, after: $0.last, upTo: bounds[$0.lane] ?? 0, limit) })
      for (address, rows) in zip(behind, answers) where rows.count < limit {
        let newest = rows.count == 0 ? address.last : TransactionRow.read(rows, rows.count - 1).number
        memory.remember(newest: newest, ofLane: address.lane, upTo: bounds[address.lane] ?? 0)
      }
    } else {
      answers = try ask([Self.transactions(ofLanes: lanes, limit)])
    }
    let found = answers.flatMap { rows in (0..<rows.count).map { TransactionRow.read(rows, $0) } }
    return Array(found.sorted { $0.number < $1.number }.prefix(limit))
  }

  /// Returns the highest number of each lane, including unused lanes of a copied journal, which get no new numbers.
  private func bounds() throws(LedgerError) -> [Int64: TransactionNumber] {
    let heads = PostgresRequest("SELECT -1 - customer AS lane, last FROM lanes")
    let foreign = PostgresRequest(
      "SELECT number & 63, max(number) FROM transactions WHERE (number & 63) >= $1 GROUP BY number & 63"
    ) { $0.add(Int64(layout.count)) }
    func numbers(_ rows: PostgresRows) -> [Int64: TransactionNumber] {
      Dictionary((0..<rows.count).map { (rows.integer($0, 0), rows.integer($0, 1)) }) { first, _ in first }
    }
    let known = memory.foreignNumbers
    let answers = try session.askApart(known == nil ? [heads, foreign] : [heads])
    let others = known ?? numbers(answers[1])
    memory.foreignNumbers = others
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
          PostgresRequest("SELECT last FROM lanes WHERE customer = $1 FOR KEY SHARE") { $0.add(head) },
          PostgresRequest("COMMIT"),
        ]
      })
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
      """
    ) {
      $0.add(lanes, \.lane)
      $0.add(lanes, \.last)
      $0.add(Int64(limit))
    }
  }

  /// Returns requests without joins: a distributed engine does not join lists with its tables.
  private static func transactions(
    ofLane lane: Int64, after last: TransactionNumber, upTo bound: TransactionNumber, _ limit: Int
  ) -> PostgresRequest {
    PostgresRequest(
      """
      SELECT \(TransactionRow.columns) FROM transactions WHERE (number & 63) = $1 AND number > $2 AND number <= $3
      ORDER BY number LIMIT $4
      """
    ) {
      $0.add(lane)
      $0.add(last)
      $0.add(bound)
      $0.add(Int64(limit))
    }
  }
}
#endif
