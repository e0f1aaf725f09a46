package import GemLedger
internal import StoreClient

/// A clock's way ahead, in stops: one at each due effect of the stores on it, so that each is credited at its own time.
package struct ClockWalk: Sendable {
  /// The most stops of one walk: two-second periods over a year would be millions.
  package static let stopsMax = 500
  /// The longest way: a ledger takes a clock up to two years ahead of its newest transaction.
  package static let daysMax: Int64 = 366

  private let clock: VirtualClock

  package init(_ clock: VirtualClock) { self.clock = clock }

  /// Goes the way.
  ///
  /// - Parameters:
  ///   - length: How far.
  ///   - keep: Makes the clock's next reading durable, in milliseconds ahead, before anything happens at that time.
  ///   - stop: What is done at each stop.
  /// - Returns: Whether it came to the end; otherwise ``stopsMax`` effects lie behind it, and another walk goes on.
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
      // An effect that is still due could not be written; its error comes with the next call to the store.
      guard let next, clock.nextAlarm(notAfter: target) != next else { break }
    }
    // A followed clock went on meanwhile.
    try move(by: end - clock.reading, keep)
    return true
  }

  /// Moves the clock; first it is made durable: nothing is booked at a time that a later process does not know.
  private func move(by milliseconds: Int64, _ keep: (Int64) throws(LedgerError) -> Void) throws(LedgerError) {
    guard milliseconds > 0 else { return }
    try keep(clock.reading + milliseconds)
    clock.advance(by: .milliseconds(milliseconds))
  }
}
