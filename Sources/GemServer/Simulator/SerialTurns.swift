#if Server
internal import GemLedger
internal import Synchronization

/// Asynchronous work that runs one at a time, in the order of its calls.
final class SerialTurns: Sendable {
  private let last = Mutex<Task<Void, Never>?>(nil)

  /// Waits for its turn, then does the work; also for a cancelled caller, so that the work is always done.
  func run<Value: Sendable>(
    _ work: @escaping @Sendable () async throws(LedgerError) -> Value
  ) async throws(LedgerError) -> Value {
    let task = last.withLock { last in
      let earlier = last
      let task = Task { () async -> Result<Value, LedgerError> in
        await earlier?.value
        do throws(LedgerError) { return .success(try await work()) } catch { return .failure(error) }
      }
      last = Task { _ = await task.value }
      return task
    }
    return try await task.value.get()
  }
}
#endif
