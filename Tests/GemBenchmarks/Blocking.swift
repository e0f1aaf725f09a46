internal import Dispatch
internal import Synchronization

/// Runs async work from a thread that is not a task's, and waits for it.
package enum Blocking {
  package static func wait<Value: Sendable>(_ work: @escaping @Sendable () async throws -> Value) throws -> Value {
    let result = ResultBox<Value>()
    let done = DispatchSemaphore(value: 0)
    Task.detached {
      do { result.set(.success(try await work())) } catch { result.set(.failure(error)) }
      done.signal()
    }
    done.wait()
    return try result.get()
  }

  private final class ResultBox<Value: Sendable>: Sendable {
    private let value = Mutex<Result<Value, any Error>?>(nil)

    func set(_ result: Result<Value, any Error>) { value.withLock { $0 = result } }
    func get() throws -> Value {
      guard let result = value.withLock({ $0 }) else { throw CancellationError() }
      return try result.get()
    }
  }
}
