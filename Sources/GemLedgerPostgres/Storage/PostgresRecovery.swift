#if PostgreSQL
internal import Synchronization

/// How a storage goes on after it lost the server.
package struct PostgresRecovery: Sendable {
  /// How long a group tries again, and then how long somebody asks what became of its commit.
  package var patience: Duration
  /// Whether somebody asks at all.
  ///
  /// A storage that does not books twice; only tests of the tests want one.
  package var resolvesLostAnswers: Bool

  package init(patience: Duration = .seconds(30), resolvesLostAnswers: Bool = true) {
    self.patience = patience
    self.resolvesLostAnswers = resolvesLostAnswers
  }
}

/// The names under which groups leave their marks.
///
/// Each belongs to one group at a time, so that no other group of this process writes over a mark that is still to be
/// looked up: one over several lanes leaves its mark in the first of them, beside that lane's own groups.
final class MarkWriters: Sendable {
  // By lane, so that a lane has no more marks of this process than groups that were under way in it at once.
  private let idle = Mutex<[Int: [[UInt8]]]>([:])

  func take(_ lane: Int) -> (writer: [UInt8], isNew: Bool) {
    if let writer = idle.withLock({ $0[lane]?.popLast() }) { return (writer, false) }
    return ((0..<16).map { _ in UInt8.random(in: 0 ... .max) }, true)
  }

  func giveBack(_ writer: [UInt8], _ lane: Int) { idle.withLock { $0[lane, default: []].append(writer) } }
}
#endif
