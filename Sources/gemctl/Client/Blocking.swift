import Dispatch
import GemLedger
import Synchronization

/// Waits for asynchronous work, since `gemctl` does its steps in sequence.
enum Blocking {
  /// Does the work in a task and blocks the thread until it is done.
  static func wait<Value: Sendable>(
    for work: @escaping @Sendable () async throws(LedgerError) -> Value
  ) throws(LedgerError) -> Value {
    let answer = Answer<Value>()
    let isDone = DispatchSemaphore(value: 0)
    Task.detached {
      do throws(LedgerError) {
        answer.put(.success(try await work()))
      } catch {
        answer.put(.failure(error))
      }
      isDone.signal()
    }
    isDone.wait()
    return try answer.take()
  }

  private final class Answer<Value: Sendable>: Sendable {
    private let result = Mutex<Result<Value, LedgerError>?>(nil)

    func put(_ value: Result<Value, LedgerError>) { result.withLock { $0 = value } }

    func take() throws(LedgerError) -> Value {
      guard let result = result.withLock({ $0 }) else { throw .defect("A task ended without an answer") }
      return try result.get()
    }
  }
}
