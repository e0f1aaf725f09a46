internal import Synchronization

#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

/// The source of time of a ledger; tests pass a manual clock.
public struct LedgerClock: Sendable {
  /// The instant now.
  public let now: @Sendable () -> Timestamp
  /// How far journal time goes ahead of the machine's clock; nil if the ledger rejects such a clock.
  private let lead: Lead?

  /// A clock that asks the closure.
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

  /// The same clock, accepted by a ledger however far it is from the newest transaction.
  ///
  /// Without it a ledger answers `clock_implausible` if the clock is more than ``Limits/clockAhead`` ahead of the
  /// newest transaction or more than ``Limits/clockBehind`` behind it. It is for operators after a check of the clock
  /// (<doc:Time>). If the newest transaction is ahead, journal time continues from there as fast as this clock.
  public var accepted: LedgerClock {
    let lead = Lead(machine: now)
    return LedgerClock(lead: lead) { lead.now() }
  }

  /// Whether the ledger books by it however far it is from the newest transaction.
  var isAccepted: Bool { lead != nil }

  /// Lets an accepted clock continue from the newest transaction, if that is further ahead than clocks differ.
  func goOn(from newest: Timestamp) {
    guard let lead, newest.milliseconds(since: lead.now()) > Limits.clockBehind.wholeMilliseconds else { return }
    lead.reach(newest)
  }
}
