public import GemLedger
public import StoreBackend
internal import Synchronization

/// A backend that fails on command, before or after the wrapped backend does its work.
///
/// For tests of code that calls a backend. A fault applies to one call or to all calls, once or until it is removed.
/// All randomness derives from the seed, and every wait uses the injected `wait`, so a test repeats exactly.
///
/// ```swift
/// let backend = FaultyBackend(local)
/// backend.fail(.post, with: .networkLostAfterEffect)  // credited, but the caller hears nothing
/// ```
public final class FaultyBackend: BackendDecorator {
  /// The backend that does the work.
  public let decorated: any PurchaseBackend
  private let wait: @Sendable (Duration) async -> Void
  private let state: Mutex<FaultState>

  /// Makes a backend that works until faults are set.
  ///
  /// - Parameters:
  ///   - backend: Does the work.
  ///   - seed: Repeats the random faults.
  ///   - wait: Waits for the latency of a fault; give it the test's clock.
  public init(
    _ backend: any PurchaseBackend, seed: UInt64 = 0, wait: @escaping @Sendable (Duration) async -> Void = { _ in }
  ) {
    decorated = backend
    self.wait = wait
    state = Mutex(FaultState(seed: seed))
  }

  // MARK: Controls

  /// Sets a fault for the next calls.
  ///
  /// - Parameters:
  ///   - call: The affected calls; nil for all of them.
  ///   - fault: The effect.
  ///   - occurrence: Which of those calls fail, counted from now.
  public func fail(_ call: Call? = nil, with fault: Fault, _ occurrence: Occurrence = .next) {
    state.withLock { $0.add(call, fault, occurrence) }
  }

  /// Removes all faults; the counts stay.
  public func heal() { state.withLock { $0.removeAll() } }

  /// The number of calls, including failed calls.
  public func count(of call: Call? = nil) -> Int { state.withLock { $0.count(of: call) } }

  /// The number of calls that failed because of a fault.
  public func failureCount(of call: Call? = nil) -> Int { state.withLock { $0.failureCount(of: call) } }

  // MARK: Working

  /// Returns the answer of the wrapped backend, or fails as the faults require.
  public func intercept<Answer: Sendable>(
    _ call: BackendCall, _ body: () async throws(LedgerError) -> Answer
  ) async throws(LedgerError) -> Answer {
    let faults = state.withLock { $0.faults(for: call) }
    for case .latency(let duration) in faults.map(\.kind) { await wait(duration) }
    if let error = faults.compactMap(\.errorBeforeEffect).first { throw error }
    let answer = try await body()
    if let error = faults.compactMap(\.errorAfterEffect).first { throw error }
    return answer
  }
}
