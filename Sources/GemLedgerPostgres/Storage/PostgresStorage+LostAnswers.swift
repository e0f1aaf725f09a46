#if PostgreSQL
internal import GemLedger

extension PostgresStorage {
  /// Returns whether a group with a lost response was committed: its commit token is then in its row.
  ///
  /// It locks the lane first: the server may still process the old connection's commit.
  ///
  /// - Parameters:
  ///   - parts: The rows to check in addition to the commit token, if the commit may be partial.
  ///   - pool: The pool of the group's connection.
  func wasCommitted(
    _ group: PostgresGroup, _ parts: CommitParts?, over pool: ConnectionPool
  ) throws(LedgerError) -> Bool {
    guard recovery.resolvesLostAnswers else { return false }
    // After the loss of one connection, the idle ones are most likely dead too.
    pool.dropIdle()
    var retryPolicy = RetryPolicy(limit: recovery.retryPolicy)
    while true {
      do throws(LedgerError) {
        let other = self.session(try connectPatiently(&retryPolicy))
        other.begin(PostgresGroup(lanes: group.lanes, token: group.token))
        recoverWhileLanesAreHeld(other)
        let isThere = group.token.isIn(try other.rows(group.token.lookUp(in: layout.heads[group.lanes.first ?? 0])))
        let half = try parts.map { (parts) throws(LedgerError) in try parts.half(isThere, in: other) } ?? nil
        try other.endWithoutCommit()
        connections.giveBack(other.connection)
        // A part may be a prepared transaction, on a node whose lanes nobody waits for; the next try needs its rows.
        if !isThere || half != nil { preparedTransactions?.recover() }
        guard let half else { return isThere }
        guard retryPolicy.goesOn(after: .warned(half.message)) else { throw half }
      } catch {
        if error.code == .storageDamaged { throw error }
        connections.dropIdle()
        guard retryPolicy.goesOn(after: .lost(error.message)) else {
          throw LedgerError(
            .outcomeUnknown,
            "\(target.description): the response to a commit was lost, and the server cannot be reached to look up its "
              + "outcome. Try again with the same key.", of: target.description)
        }
      }
    }
  }
}

extension PostgresGroup.CommitToken {
  /// Returns the statement for the writer's token.
  ///
  /// - Parameter head: The group's first lane, as the number of its row.
  func lookUp(in head: CustomerNumber) -> PostgresRequest {
    PostgresRequest(
      "SELECT token FROM commit_tokens WHERE customer = $1 AND writer = $2", head, PostgresBytes(bytes: writer))
  }

  /// Returns whether the writer's token is this one.
  func isIn(_ rows: PostgresRows) -> Bool { rows.count == 1 && rows.integer(0, 0) == number }
}
#endif
