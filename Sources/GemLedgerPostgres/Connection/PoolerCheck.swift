#if PostgreSQL
internal import Synchronization

/// Finds a pooler that gives each transaction another session, as PgBouncer does with `pool_mode=transaction`.
///
/// A ledger needs a session for each connection: its settings, its prepared statements and its locks as a listener
/// belong to the session. Settings of a ledger would also reach the other clients of the pooler, so the check comes
/// before them.
///
/// A pooler gives its clients another process number than the server's. If the numbers are equal, there is no pooler,
/// and nothing more is asked. Otherwise a second connection asks too, in turn with the first. A pooler that shares
/// sessions gives the session of the one to the other, or several sessions to one.
final class PoolerCheck: Sendable {
  /// How long the second connection waits: a pooler with one session for each client may have no other one free.
  private static let patience: Int32 = 2000
  /// Other clients of the pooler may take the session in between, again and again.
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
      // If the pooler has no other session free now, the first connection keeps its own.
      guard let otherProcess = try? other.serverProcess() else { return }
      guard otherProcess != process else { throw .sharedSession }
      // Twice: two sessions that take turns would be met in the same order for ever.
      for _ in 0..<2 {
        guard try connection.serverProcess() == process else { throw .sharedSession }
      }
    }
  }
}

extension PostgresFailure {
  static let sharedSession = Self(state: duplicateStatement, message: "the session is shared with other clients")
  private static let duplicateStatement = "42P05"

  /// Whether the session is not that of the earlier transactions: it has statements of other clients, or lacks those
  /// of this one.
  var isOfSharedSession: Bool {
    state == Self.duplicateStatement || state == "26000"
  }
}
#endif
