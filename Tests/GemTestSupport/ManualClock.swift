package import GemLedger
internal import Synchronization

/// A clock that stands still until a test moves it.
package final class ManualClock: Sendable {
  private let instant: Mutex<Int64>

  /// Begins at 2026-01-01T00:00:00Z.
  package init(milliseconds: Int64 = 1_767_225_600_000) { instant = Mutex(milliseconds) }

  package var now: Timestamp { Timestamp(milliseconds: instant.withLock { $0 }) }
  package var clock: LedgerClock { LedgerClock { self.now } }

  package func advance(seconds: Int64) { instant.withLock { $0 += seconds * 1000 } }
  package func set(_ timestamp: Timestamp) { instant.withLock { $0 = timestamp.milliseconds } }
}
