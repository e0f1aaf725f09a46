import GemLedger
import SimulatedStores
import StoreClient

/// The pauses of a long-running command: after each, the home's time is read again.
///
/// `clock advance` of another process may change the time during a pause.
struct HomePauses: Clock {
  private let home: Home
  /// The home's time, as of the last pause.
  let clock: VirtualClock

  /// - Returns: Nil for a ledger outside the home, which has the machine's time.
  init?(_ invocation: Invocation) throws(LedgerError) {
    guard try StorageChoice(invocation.settings.storage) == .home else { return nil }
    home = invocation.home
    clock = try invocation.homeClock() ?? VirtualClock(following: .system)
  }

  var now: ContinuousClock.Instant { .now }
  var minimumResolution: Duration { ContinuousClock().minimumResolution }

  func sleep(until deadline: ContinuousClock.Instant, tolerance: Duration?) async throws {
    try await ContinuousClock().sleep(until: deadline, tolerance: tolerance)
    follow()
  }

  private func follow() {
    // A file that cannot be read now is read after the next pause; every other command names the damage.
    guard let ahead = try? home.clockAhead() else { return }
    clock.advance(by: .milliseconds(max(0, ahead - clock.reading)))
  }
}
