internal import Dispatch
internal import Synchronization

/// A background task on a separate thread; its caller waits for it later.
package final class BackgroundTask<Answer: Sendable>: Sendable {
  private let answer = Mutex<Result<Answer, LedgerError>?>(nil)
  private let group = DispatchGroup()

  /// Begins the work.
  package init(_ work: @escaping @Sendable () throws(LedgerError) -> Answer) {
    DispatchQueue.global().async(group: group) { [self] in
      let result = Result { () throws(LedgerError) in try work() }
      answer.withLock { $0 = result }
    }
  }

  /// Waits for the end of the work, for a limited time.
  ///
  /// - Returns: Whether the work has ended.
  package func hasEnded(within milliseconds: Int) -> Bool {
    group.wait(timeout: .now() + .milliseconds(milliseconds)) == .success
  }

  /// Waits for the end of the work.
  ///
  /// - Throws: The error of the work.
  package func wait() throws(LedgerError) -> Answer {
    group.wait()
    guard let answer = answer.withLock({ $0 }) else { throw .defect("The work ended without an answer") }
    return try answer.get()
  }
}
