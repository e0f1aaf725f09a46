#if PostgreSQL
internal import GemLedger

extension PostgresStorage {
  /// Finds out whether a group with a lost answer is in the database: its commit token is then in the row that it
  /// writes.
  ///
  /// It locks the lane first: the server may still be at the old connection's commit.
  ///
  /// - Parameter parts: The rows to check beside the commit token, where the commit may be half done.
  func wasCommitted(_ group: PostgresGroup, _ parts: CommitParts?) throws(LedgerError) -> Bool {
    guard recovery.resolvesLostAnswers else { return false }
    // Where one was lost the idle ones most likely are dead too.
    connections.dropIdle()
    var retryPolicy = RetryPolicy(limit: recovery.retryPolicy)
    while true {
      do throws(LedgerError) {
        let other = self.session(try connectPatiently(&retryPolicy))
        other.begin(PostgresGroup(lanes: group.lanes, token: group.token))
        recoverWhileLanesAreHeld(other)
        let tokens = try other.rows("SELECT token FROM commit_tokens WHERE customer = $1 AND writer = $2") {
          $0.add(layout.heads[group.lanes.first ?? 0])
          $0.add(bytes: group.token.writer)
        }
        let isThere = tokens.count == 1 && tokens.integer(0, 0) == group.token.number
        let half = try parts.map { (parts) throws(LedgerError) in try parts.half(isThere, in: other) } ?? nil
        if other.end(with: "ROLLBACK") { connections.giveBack(other.connection) }
        guard let half else { return isThere }
        // A machine that was unreachable for a while completes its prepared transactions.
        guard retryPolicy.goesOn(after: .warned(half.message)) else { throw half }
      } catch {
        if error.code == .storageDamaged { throw error }
        guard retryPolicy.goesOn(after: .lost(error.message)) else {
          throw LedgerError(
            .outcomeUnknown,
            "\(target.description): the answer to a commit was lost, and the server cannot be asked what became of "
              + "it. Ask again with the same key.",
            details: [.init(name: "storage", value: .text(target.description))])
        }
      }
    }
  }
}
#endif
