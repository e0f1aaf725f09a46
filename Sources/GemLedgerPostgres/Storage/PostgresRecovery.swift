#if PostgreSQL
internal import Synchronization

/// How a storage goes on after it lost the server.
package struct PostgresRecovery: Sendable {
  /// How long a group tries again, and then how long it asks for the outcome of its commit.
  package var retryPolicy: Duration
  /// Whether the outcome of a commit is asked for at all.
  ///
  /// A storage that does not ask books twice; only tests of the tests want one.
  package var resolvesLostAnswers: Bool

  package init(retryPolicy: Duration = .seconds(30), resolvesLostAnswers: Bool = true) {
    self.retryPolicy = retryPolicy
    self.resolvesLostAnswers = resolvesLostAnswers
  }
}

/// The names under which groups write their commit tokens.
///
/// Each belongs to one group at a time, so that no other group of this process overwrites a token that may still be
/// looked up. A group over several lanes writes its token in the first of them, beside that lane's own groups.
final class TokenWriters: Sendable {
  // By lane, so that a lane has no more tokens of this process than it had groups under way at the same time.
  private let idle = Mutex<[Int: [[UInt8]]]>([:])

  func take(_ lane: Int) -> (writer: [UInt8], isNew: Bool) {
    if let writer = idle.withLock({ $0[lane]?.popLast() }) { return (writer, false) }
    return ((0..<16).map { _ in UInt8.random(in: 0 ... .max) }, true)
  }

  func giveBack(_ writer: [UInt8], _ lane: Int) { idle.withLock { $0[lane, default: []].append(writer) } }
}
#endif
