#if Server
internal import GemLedger
internal import Synchronization

/// Tells whether a project's storage takes writes, by a small document that it saves now and then.
///
/// A full disk, a file that may only be read and a standby of PostgreSQL answer every read, and refuse every booking.
final class WriteProbe: Sendable {
  static let documentName = "server/write_probe"
  /// How long an answer counts, in milliseconds, so that nobody occupies the storage by asking.
  static let freshMilliseconds: Int64 = 5000

  private let project: ServerProject
  private let last = Mutex<(at: Timestamp, succeeded: Bool)?>(nil)
  private let onFailure: @Sendable (LedgerError) -> Void

  init(_ project: ServerProject, onFailure: @escaping @Sendable (LedgerError) -> Void = { _ in }) {
    self.project = project
    self.onFailure = onFailure
  }

  /// Whether the storage took a write a moment ago, or takes one now.
  func succeeds() async -> Bool {
    let now = project.clock.now()
    if let last = last.withLock({ $0 }), (0..<Self.freshMilliseconds).contains(now.milliseconds(since: last.at)) {
      return last.succeeded
    }
    let succeeded = await write(at: now)
    last.withLock { $0 = (now, succeeded) }
    return succeeded
  }

  private func write(at now: Timestamp) async -> Bool {
    let ledger = project.ledger
    do throws(LedgerError) {
      try await BlockingWork.run { () throws(LedgerError) in
        let version = try ledger.document(named: Self.documentName)?.version
        let content: JSONValue = ["written_at": .integer(now.milliseconds)]
        try ledger.save(document: Self.documentName, content: content.text(), replacing: version)
      }
      return true
    } catch {
      // Another server wrote it in between.
      if error.code == .conditionFailed { return true }
      onFailure(error)
      return false
    }
  }
}
#endif
