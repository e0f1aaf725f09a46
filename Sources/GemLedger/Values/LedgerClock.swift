internal import Synchronization

#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

/// The time source of a ledger; tests supply another clock.
public struct LedgerClock: Sendable {
  /// Returns the current instant.
  public let now: @Sendable () -> Timestamp
  /// The distance of journal time ahead of the machine's clock; nil if the ledger rejects an implausible clock.
  private let lead: Lead?

  /// Makes a clock that calls the closure.
  public init(now: @escaping @Sendable () -> Timestamp) { self.init(lead: nil, now: now) }

  private init(lead: Lead?, now: @escaping @Sendable () -> Timestamp) {
    self.now = now
    self.lead = lead
  }

  /// The machine's clock.
  public static let system = LedgerClock { Timestamp(Date()) }
}

extension LedgerClock {
  private final class Lead: Sendable {
    let machine: @Sendable () -> Timestamp
    private let milliseconds = Mutex<Int64>(0)

    init(machine: @escaping @Sendable () -> Timestamp) { self.machine = machine }

    func now() -> Timestamp { machine().advanced(milliseconds: milliseconds.withLock { $0 }) }

    func reach(_ newest: Timestamp) {
      let distance = newest.milliseconds(since: machine())
      milliseconds.withLock { $0 = max($0, distance) }
    }
  }

  /// The same clock, accepted by a ledger at any distance from the newest transaction.
  ///
  /// Without it a ledger throws `clock_implausible` if the clock is more than ``Limits/clockAhead`` ahead of the newest
  /// transaction, or more than ``Limits/clockBehind`` before it. Operators use it after checking the clock
  /// (<doc:Time>). If the newest transaction is ahead, journal time continues from there at this clock's speed.
  public var accepted: LedgerClock {
    let lead = Lead(machine: now)
    return LedgerClock(lead: lead) { lead.now() }
  }

  /// Whether the ledger accepts it at any distance from the newest transaction.
  var isAccepted: Bool { lead != nil }

  /// Continues an accepted clock from the newest transaction, if that is ahead by more than clocks usually differ.
  func goOn(from newest: Timestamp) {
    guard let lead, newest.milliseconds(since: lead.now()) > Limits.clockBehind.wholeMilliseconds else { return }
    lead.reach(newest)
  }
}
