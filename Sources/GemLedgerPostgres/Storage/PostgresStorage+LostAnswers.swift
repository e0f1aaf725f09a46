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
    var patience = Patience(limit: recovery.patience)
    while true {
      do throws(LedgerError) {
        let other = self.session(try connectPatiently(&patience))
        other.begin(PostgresGroup(lanes: group.lanes, mark: group.mark))
        let marks = try other.rows("SELECT token FROM commit_tokens WHERE customer = $1 AND writer = $2") {
          $0.add(layout.heads[group.lanes.first ?? 0])
          $0.add(bytes: group.mark.writer)
        }
        let isThere = marks.count == 1 && marks.integer(0, 0) == group.mark.number
        let half = try parts.map { (parts) throws(LedgerError) in try parts.half(isThere, in: other) } ?? nil
        if other.end(with: "ROLLBACK") { connections.giveBack(other.connection) }
        guard let half else { return isThere }
        // A machine that was unreachable for a while completes its prepared transactions.
        guard patience.goesOn(after: .warned(half.message)) else { throw half }
      } catch {
        if error.code == .storageDamaged { throw error }
        guard patience.goesOn(after: .lost(error.message)) else {
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
