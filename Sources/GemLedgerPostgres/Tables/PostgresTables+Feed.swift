#if PostgreSQL
  internal import GemLedger

  // The feed reads lane by lane: whoever commits in a lane holds its row until the commit is visible to all, so that
  // within a lane nothing ever appears behind a number that was seen. Between lanes it does.

  extension PostgresTables {
    var commitsInOrder: Bool { false }

    func feedTransactions(after position: FeedPosition, limit: Int) throws(LedgerError) -> [TransactionRow] {
      // All lanes that a number can name: who copied a journal brought numbers that no lane here drew.
      let lanes = (0..<Int64(Numbering.laneCountMax)).map { (lane: $0, last: position.last(ofLane: $0)) }
      let answers = try ask(
        layout.isDistributed
          ? lanes.map { Self.transactions(ofLane: $0.lane, after: $0.last, limit) }
          : [Self.transactions(ofLanes: lanes, limit)])
      let found = answers.flatMap { rows in (0..<rows.count).map { Self.transaction(rows, $0) } }
      return Array(found.sorted { $0.number < $1.number }.prefix(limit))
    }

    /// A walk of its own through the index for each lane.
    private static func transactions(
      ofLanes lanes: [(lane: Int64, last: TransactionNumber)], _ limit: Int
    ) -> PostgresRequest {
      PostgresRequest(
        """
        SELECT found.* FROM unnest($1, $2) AS place (lane, last) CROSS JOIN LATERAL (
          SELECT \(transactionColumns) FROM transactions WHERE (number & 63) = lane AND number > last
          ORDER BY number LIMIT $3
        ) AS found ORDER BY number LIMIT $3
        """
      ) {
        $0.add(lanes, \.lane)
        $0.add(lanes, \.last)
        $0.add(Int64(limit))
      }
    }

    /// A distributed engine joins no lists with its tables.
    private static func transactions(
      ofLane lane: Int64, after last: TransactionNumber, _ limit: Int
    ) -> PostgresRequest {
      PostgresRequest(
        """
        SELECT \(transactionColumns) FROM transactions WHERE (number & 63) = $1 AND number > $2
        ORDER BY number LIMIT $3
        """
      ) {
        $0.add(lane)
        $0.add(last)
        $0.add(Int64(limit))
      }
    }

    func mergedCustomers(by merges: [RowPlace]) throws(LedgerError) -> [TransactionNumber: CustomerNumber] {
      let rows = try rows(
        at: merges, "transaction_number, from_customer", from: "merges", by: "transaction_number"
      ) { ($0.integer($1, 0), $0.integer($1, 1)) }
      return Dictionary(rows) { first, _ in first }
    }
  }
#endif
