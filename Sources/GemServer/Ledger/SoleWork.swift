#if Server
internal import GemLedger
internal import Synchronization

/// Long work that runs only once at a time.
package final class SoleWork: Sendable {
  private let isRunning = Mutex(false)

  package init() {}

  /// Does the work on a thread for blocking work.
  ///
  /// - Parameter name: The work's name, with which a message begins.
  /// - Throws: `LedgerError` with `in_progress` if it is already running, and the work's errors.
  func run<Value: Sendable>(
    _ name: String, _ work: @escaping @Sendable () throws(LedgerError) -> Value
  ) async throws(LedgerError) -> Value {
    let isFirst = isRunning.withLock { isRunning in
      defer { isRunning = true }
      return !isRunning
    }
    guard isFirst else {
      throw LedgerError(.inProgress, "\(name) is under way; ask again when it has ended.")
    }
    defer { isRunning.withLock { $0 = false } }
    return try await BlockingWork.run(work)
  }
}
#endif
