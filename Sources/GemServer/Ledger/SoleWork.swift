#if Server
package import GemLedger
internal import Synchronization
internal import SystemHTTP

/// Long work that runs only once at a time.
package final class SoleWork: Sendable {
  private let isRunning = Mutex(false)

  package init() {}

  package var isBusy: Bool { isRunning.withLock { $0 } }

  /// Does the work on a thread for blocking work.
  ///
  /// - Parameter name: The work's name, with which a message begins.
  /// - Throws: `LedgerError` with `in_progress` if it is already running, and the work's errors.
  package func run<Value: Sendable>(
    _ name: String, _ work: @escaping @Sendable () throws(LedgerError) -> Value
  ) async throws(LedgerError) -> Value {
    try begin(name)
    defer { isRunning.withLock { $0 = false } }
    return try await BlockingWork.run(work)
  }

  /// Begins the work on a thread of its own, and does not wait for its end.
  ///
  /// - Throws: `LedgerError` with `in_progress` if it is already running.
  package func start(_ name: String, _ work: @escaping @Sendable () -> Void) throws(LedgerError) {
    try begin(name)
    OwnThread.run {
      work()
      self.isRunning.withLock { $0 = false }
    }
  }

  private func begin(_ name: String) throws(LedgerError) {
    let isFirst = isRunning.withLock { isRunning in
      defer { isRunning = true }
      return !isRunning
    }
    guard isFirst else {
      throw LedgerError(.inProgress, "\(name) is under way; ask again when it has ended.")
    }
  }
}
#endif
