public import GemLedger
public import StoreClient
internal import Synchronization

/// A clock that tests move by hand; its simulated stores perform their due effects in order while it moves.
///
/// Between two moves it is stopped, or it follows another clock with an offset. Renewals, delayed deliveries and
/// deadlines of every simulated store on it happen at their instants, one by one, before the move returns. Tasks that
/// sleep on it wake in the order of deadlines.
///
/// ```swift
/// let clock = VirtualClock()
/// let store = try SimulatedStore(catalog: catalog, clock: clock, signer: signer)
/// clock.advance(by: .seconds(86_400 * 31))
/// ```
public final class VirtualClock: Sendable {
  private struct Sleeper {
    let until: Timestamp
    let order: UInt64
    let continuation: CheckedContinuation<Bool, Never>
  }

  private struct WeakAlarm {
    weak var alarm: (any ClockAlarm)?
  }

  private struct State {
    var ahead: Int64
    var sleepers: [UInt64: Sleeper] = [:]
    var cancelled: Set<UInt64> = []
    var nextOrder: UInt64 = 0
    var alarms: [WeakAlarm] = []
  }

  private let base: StoreClock?
  private let state: Mutex<State>

  /// Makes a clock that is stopped, by default at 2026-01-01T00:00:00Z.
  public init(startingAt start: Timestamp = Timestamp(milliseconds: 1_767_225_600_000)) {
    base = nil
    state = Mutex(State(ahead: start.milliseconds))
  }

  /// Makes a clock that follows another clock and can be moved ahead of it.
  public init(following base: StoreClock) {
    self.base = base
    state = Mutex(State(ahead: 0))
  }

  /// The time now.
  public var now: Timestamp { time(aheadBy: state.withLock(\.ahead)) }

  /// The number of tasks that sleep on it.
  public var sleeperCount: Int { state.withLock { $0.sleepers.count } }

  /// Moves the clock by a duration; a duration below zero moves nothing.
  public func advance(by duration: Duration) {
    let goal = Timestamp(milliseconds: reading).advanced(by: duration).milliseconds
    advance(to: now.advanced(by: duration))
    // A followed clock advanced meanwhile, so the distance to that instant became shorter.
    resume(goal)
  }

  /// Moves the clock to an instant; an instant in the past moves nothing.
  public func advance(to target: Timestamp) {
    var stuck: Set<ObjectIdentifier> = []
    while let due = nextDue(notAfter: target, without: stuck) {
      move(to: due)
      for alarm in alarms() where !stuck.contains(ObjectIdentifier(alarm)) {
        alarm.ring()
        // It could not perform its due effects; its next caller gets the error.
        if let next = alarm.nextDue, next <= due { stuck.insert(ObjectIdentifier(alarm)) }
      }
      wakeDue()
    }
    move(to: target)
    for alarm in alarms() { alarm.clockMoved() }
  }

  /// The clock for a client or a simulated store.
  public var storeClock: StoreClock {
    StoreClock(now: { self.now }, sleep: { (until) throws(CancellationError) in try await self.sleep(until: until) })
  }

  /// The clock for a ledger.
  public var ledgerClock: LedgerClock { LedgerClock { self.now } }
}

/// An object that has work to do at certain instants.
protocol ClockAlarm: AnyObject, Sendable {
  /// The instant of the next due work.
  var nextDue: Timestamp? { get }
  /// Performs the due effects.
  func ring()
  /// Receives the event that the clock was moved by hand.
  func clockMoved()
}

extension VirtualClock {
  /// Whether it follows another clock.
  var isFollowing: Bool { base != nil }

  /// Returns the instant of the next effect of a store on this clock, at or before `target`; nil if there is none.
  package func nextAlarm(notAfter target: Timestamp) -> Timestamp? {
    alarms().compactMap(\.nextDue).filter { $0 <= target }.min()
  }

  /// The value that survives the process: the offset from the followed clock, or the instant at which it is stopped.
  package var reading: Int64 { state.withLock(\.ahead) }

  /// Continues from a saved reading; never moves back.
  func resume(_ reading: Int64) { state.withLock { $0.ahead = max($0.ahead, reading) } }

  func add(_ alarm: any ClockAlarm) {
    state.withLock { state in
      state.alarms.removeAll { $0.alarm == nil }
      state.alarms.append(WeakAlarm(alarm: alarm))
    }
  }

  private func time(aheadBy ahead: Int64) -> Timestamp {
    guard let base else { return Timestamp(milliseconds: ahead) }
    return base.now().advanced(milliseconds: ahead)
  }

  private func alarms() -> [any ClockAlarm] { state.withLock { $0.alarms.compactMap(\.alarm) } }

  private func nextDue(notAfter target: Timestamp, without stuck: Set<ObjectIdentifier>) -> Timestamp? {
    let ringing = alarms().filter { !stuck.contains(ObjectIdentifier($0)) }.compactMap(\.nextDue)
    let waking = state.withLock { $0.sleepers.values.map(\.until) }
    return (ringing + waking).min().flatMap { $0 <= target ? max($0, min(now, target)) : nil }
  }

  private func move(to instant: Timestamp) {
    state.withLock { state in
      let behind = instant.milliseconds.subtractingReportingOverflow(time(aheadBy: state.ahead).milliseconds)
      if !behind.overflow, behind.partialValue > 0 { state.ahead += behind.partialValue }
    }
  }

  private func wakeDue() {
    let now = now
    let due = state.withLock { state in
      let due = state.sleepers.values.filter { $0.until <= now }
      for sleeper in due { state.sleepers[sleeper.order] = nil }
      return due
    }
    for sleeper in due.sorted(by: { ($0.until, $0.order) < ($1.until, $1.order) }) {
      sleeper.continuation.resume(returning: false)
    }
  }

  private func sleep(until: Timestamp) async throws(CancellationError) {
    guard now < until else { return }
    let order = state.withLock { state in
      state.nextOrder += 1
      return state.nextOrder
    }
    let timer = timer(until)
    defer { timer?.cancel() }
    let isCancelled = await withTaskCancellationHandler {
      await withCheckedContinuation { enroll(Sleeper(until: until, order: order, continuation: $0)) }
    } onCancel: {
      cancel(order)
    }
    state.withLock { _ = $0.cancelled.remove(order) }
    if isCancelled { throw CancellationError() }
  }

  /// Wakes a sleeper when the followed clock gets there by itself.
  private func timer(_ until: Timestamp) -> Task<Void, Never>? {
    base.map { base in
      Task { [weak self] in
        while let behind = self.map({ until.milliseconds - $0.now.milliseconds }), behind > 0 {
          // Cancelled with its sleeper, which has no use for it any more.
          guard (try? await base.sleep(base.now().advanced(milliseconds: behind))) != nil else { return }
        }
        self?.wakeDue()
      }
    }
  }

  private func enroll(_ sleeper: Sleeper) {
    let isCancelled: Bool? = state.withLock { state in
      if state.cancelled.contains(sleeper.order) { return true }
      if time(aheadBy: state.ahead) >= sleeper.until { return false }
      state.sleepers[sleeper.order] = sleeper
      return nil
    }
    if let isCancelled { sleeper.continuation.resume(returning: isCancelled) }
  }

  private func cancel(_ order: UInt64) {
    let sleeper = state.withLock { state in
      state.cancelled.insert(order)
      return state.sleepers.removeValue(forKey: order)
    }
    sleeper?.continuation.resume(returning: true)
  }
}
