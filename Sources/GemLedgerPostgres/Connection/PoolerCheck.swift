#if PostgreSQL
internal import Synchronization

/// Detects a pooler that gives each transaction another session, as PgBouncer does with `pool_mode=transaction`.
///
/// A ledger needs one session per connection, for its settings, its prepared statements and its locks as a listener.
/// Its settings would also affect other clients of the pooler, so the check precedes them.
///
/// A pooler reports a process number different from the server's. If the numbers are equal, there is no pooler, and the
/// check ends. Otherwise a second connection is used in turn with the first. A pooler that shares sessions then swaps
/// their sessions, or gives several sessions to one connection.
final class PoolerCheck: Sendable {
  /// The wait for the second connection in milliseconds: a pooler with one session per client may have no idle session.
  private static let patience: Int32 = 2000
  /// The maximum number of rounds: other clients of the pooler may take the session in between.
  private static let rounds = 8

  private let hasPassed = Atomic(false)

  /// - Throws: A failure with ``PostgresFailure/sharedSession``.
  func check(_ connection: PostgresConnection, _ target: PostgresTarget) throws(PostgresFailure) {
    guard !hasPassed.load(ordering: .relaxed) else { return }
    let process = try connection.serverProcess()
    if process != connection.announcedProcess { try refuseSharedSession(of: connection, process, target) }
    hasPassed.store(true, ordering: .relaxed)
  }

  private func refuseSharedSession(
    of connection: PostgresConnection, _ process: Int64, _ target: PostgresTarget
  ) throws(PostgresFailure) {
    guard let other = try? PostgresConnection(unchecked: target, patience: Self.patience) else { return }
    defer { other.close() }
    for _ in 0..<Self.rounds {
      // If the pooler has no other idle session, the first connection keeps its session.
      guard let otherProcess = try? other.serverProcess() else { return }
      guard otherProcess != process else { throw .sharedSession }
      // Twice: with two alternating sessions, one round would always see the same order.
      for _ in 0..<2 {
        guard try connection.serverProcess() == process else { throw .sharedSession }
      }
    }
  }
}

extension PostgresFailure {
  static let sharedSession = Self(state: duplicateStatement, message: "the session is shared with other clients")
  private static let duplicateStatement = "42P05"

  /// Whether the session differs from that of earlier transactions.
  ///
  /// It then has statements of other clients, or lacks those of this one.
  var isOfSharedSession: Bool {
    state == Self.duplicateStatement || state == "26000"
  }
}
#endif
