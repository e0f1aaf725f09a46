#if PostgreSQL
internal import GemLedger

extension PostgresStorage {
  /// Returns whether a group with a lost response was committed: its commit token is then in its row.
  ///
  /// It locks the lane first: the server may still process the old connection's commit.
  ///
  /// - Parameter parts: The rows to check in addition to the commit token, if the commit may be partial.
  func wasCommitted(_ group: PostgresGroup, _ parts: CommitParts?) throws(LedgerError) -> Bool {
    guard recovery.resolvesLostAnswers else { return false }
    // After the loss of one connection, the idle ones are most likely dead too.
    connections.dropIdle()
    var retryPolicy = RetryPolicy(limit: recovery.retryPolicy)
    while true {
      do throws(LedgerError) {
        let other = self.session(try connectPatiently(&retryPolicy))
        other.begin(PostgresGroup(lanes: group.lanes, token: group.token))
        recoverWhileLanesAreHeld(other)
        let tokens = try other.rows(
          PostgresRequest(
            "SELECT token FROM commit_tokens WHERE customer = $1 AND writer = $2",
            layout.heads[group.lanes.first ?? 0], PostgresBytes(bytes: group.token.writer)))
        let isThere = tokens.count == 1 && tokens.integer(0, 0) == group.token.number
        let half = try parts.map { (parts) throws(LedgerError) in try parts.half(isThere, in: other) } ?? nil
        try other.endWithoutCommit()
        connections.giveBack(other.connection)
        guard let half else { return isThere }
        // The missing part may be a prepared transaction, on a node whose lanes nobody waits for.
        preparedTransactions?.recover()
        guard retryPolicy.goesOn(after: .warned(half.message)) else { throw half }
      } catch {
        if error.code == .storageDamaged { throw error }
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
#endif
