package import GemLedger
internal import StoreClient

/// A forward move of a clock that stops at each due effect of its stores, so that each effect is credited at its time.
package struct ClockWalk: Sendable {
  /// The maximum number of stops in one walk: two-second periods over a year would need millions.
  package static let stopsMax = 500
  /// The maximum length: a ledger accepts a clock up to two years ahead of its newest transaction.
  package static let daysMax: Int64 = 366

  private let clock: VirtualClock

  package init(_ clock: VirtualClock) { self.clock = clock }

  /// Moves the clock forward.
  ///
  /// - Parameters:
  ///   - length: The length of the walk.
  ///   - keep: Makes the clock's next reading durable, in milliseconds ahead, before anything happens at that time.
  ///   - stop: The action at each stop.
  /// - Returns: Whether the walk reached its end. If not, ``stopsMax`` effects are done, and another walk continues.
  package func go(
    _ length: Duration, keep: (Int64) throws(LedgerError) -> Void,
    atStop stop: () async throws(LedgerError) -> Void
  ) async throws(LedgerError) -> Bool {
    let target = clock.now.advanced(by: length)
    let end = clock.reading + length.wholeMilliseconds
    for count in 0... {
      let next = clock.nextAlarm(notAfter: target)
      if count == Self.stopsMax { return false }
      let now = clock.now
      let instant = next.map { max($0, now) } ?? target
      try move(by: max(0, instant.milliseconds(since: now)), keep)
      try await stop()
      // An effect that is still due could not be written; the next call to the store throws its error.
      guard let next, clock.nextAlarm(notAfter: target) != next else { break }
    }
    // A followed clock may have advanced meanwhile.
    try move(by: end - clock.reading, keep)
    return true
  }

  /// Moves the clock after making its reading durable: nothing is booked at a time that a later process does not know.
  private func move(by milliseconds: Int64, _ keep: (Int64) throws(LedgerError) -> Void) throws(LedgerError) {
    guard milliseconds > 0 else { return }
    try keep(clock.reading + milliseconds)
    clock.advance(by: .milliseconds(milliseconds))
  }
}
