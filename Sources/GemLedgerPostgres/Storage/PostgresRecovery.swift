#if PostgreSQL
internal import Synchronization

/// The behaviour of a storage after it lost the server.
package struct PostgresRecovery: Sendable {
  /// How long a group is retried, and then how long its commit's outcome is looked up.
  package var retryPolicy: Duration
  /// Whether the outcome of a commit is looked up.
  ///
  /// Without it, commits are booked twice, or reported as not booked if the sync after the commit failed; only tests of
  /// the tests disable it.
  package var resolvesLostAnswers: Bool
  /// The time for the pauses after which a node of a cluster is tried again.
  package var now: @Sendable () -> ContinuousClock.Instant = { .now }

  package init(retryPolicy: Duration = .seconds(30), resolvesLostAnswers: Bool = true) {
    self.retryPolicy = retryPolicy
    self.resolvesLostAnswers = resolvesLostAnswers
  }
}

/// The names under which groups write their commit tokens.
///
/// Each name belongs to one group at a time, so no other group of this process overwrites a token that may still be
/// looked up. A group over several lanes writes its token in the first lane, next to the tokens of that lane's groups.
final class TokenWriters: Sendable {
  // By lane, so that a lane has at most as many tokens of this process as it had concurrent groups.
  private let idle = Mutex<[Int: [[UInt8]]]>([:])

  func take(_ lane: Int) -> (writer: [UInt8], isNew: Bool) {
    if let writer = idle.withLock({ $0[lane]?.popLast() }) { return (writer, false) }
    return ((0..<16).map { _ in UInt8.random(in: 0 ... .max) }, true)
  }

  func giveBack(_ writer: [UInt8], _ lane: Int) { idle.withLock { $0[lane, default: []].append(writer) } }
}
#endif
