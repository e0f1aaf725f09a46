public import GemLedger

/// Where the client and the simulated store read the time, and how they wait.
public struct StoreClock: Sendable {
  /// The time now.
  public let now: @Sendable () -> Timestamp
  /// Waits until then; returns at once when that is past, and throws when its task is cancelled.
  public let sleep: @Sendable (_ until: Timestamp) async throws(CancellationError) -> Void

  /// A clock of one's own.
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
