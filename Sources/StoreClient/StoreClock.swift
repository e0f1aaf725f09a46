public import GemLedger

/// The source of time and waits for the client and the simulated store.
public struct StoreClock: Sendable {
  /// The time now.
  public let now: @Sendable () -> Timestamp
  /// Waits until the instant; returns at once if it is past, and throws if its task is cancelled.
  public let sleep: @Sendable (_ until: Timestamp) async throws(CancellationError) -> Void

  /// Creates a custom clock.
  public init(
    now: @escaping @Sendable () -> Timestamp,
    sleep: @escaping @Sendable (_ until: Timestamp) async throws(CancellationError) -> Void
  ) {
    self.now = now
    self.sleep = sleep
  }

  /// The machine's clock.
  public static let system = StoreClock(now: LedgerClock.system.now) { (until) throws(CancellationError) in
    let milliseconds = until.milliseconds(since: LedgerClock.system.now())
    guard milliseconds > 0 else { return }
    do { try await Task.sleep(for: .milliseconds(milliseconds)) } catch { throw CancellationError() }
  }
}
