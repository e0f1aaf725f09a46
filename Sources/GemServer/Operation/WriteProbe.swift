#if Server
internal import GemLedger
internal import Synchronization

/// Checks whether a project's storage accepts writes by saving a small document.
///
/// A full disk, a read-only file and a standby of PostgreSQL answer every read, but refuse every booking.
final class WriteProbe: Sendable {
  static let documentName = "server/write_probe"
  /// The time for which a result is reused, in milliseconds, so that callers cannot occupy the storage.
  static let freshMilliseconds: Int64 = 5000

  private let project: ServerProject
  private let last = Mutex<(at: Timestamp, succeeded: Bool)?>(nil)
  private let onFailure: @Sendable (LedgerError) -> Void

  init(_ project: ServerProject, onFailure: @escaping @Sendable (LedgerError) -> Void = { _ in }) {
    self.project = project
    self.onFailure = onFailure
  }

  /// Returns whether the storage accepted a recent write, or accepts a write now.
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
        let version = try ledger.documents.find(named: Self.documentName)?.version
        let content: JSONValue = ["written_at": .integer(now.milliseconds)]
        try ledger.documents.save(Self.documentName, content: content.text(), replacing: version)
      }
      return true
    } catch {
      // Another server wrote the document in between.
      if error.code == .conditionFailed { return true }
      onFailure(error)
      return false
    }
  }
}
#endif
