public import GemLedger
public import StoreBackend

extension FaultyBackend {
  /// A method of a backend.
  public typealias Call = BackendCall

  /// The effect of a fault on a call.
  public struct Fault: Hashable, Sendable {
    enum Kind: Hashable, Sendable {
      case before(LedgerError)
      case after(LedgerError)
      case latency(Duration)
    }

    let kind: Kind

    /// The request is lost before it arrives: `backend_unreachable`, without an effect.
    public static let networkLostBeforeEffect = Self(kind: .before(unreachable))
    /// The answer is lost: `backend_unreachable`, after the effect.
    public static let networkLostAfterEffect = Self(kind: .after(unreachable))
    /// No answer in time: `timed_out`, after the effect.
    public static let timesOut = Self(
      kind: .after(LedgerError(.timedOut, "The backend did not answer in time. Try again with the same key.")))

    /// Returns a fault that refuses the call with the given code, without an effect.
    public static func refused(_ code: LedgerError.Code) -> Self {
      Self(kind: .before(LedgerError(code, "The backend was set to fail with \(code).")))
    }

    /// Returns a fault that refuses the call because of too many requests, with the detail `retry_after`.
    public static func rateLimited(retryAfterSeconds: Int64) -> Self {
      Self(
        kind: .before(
          LedgerError(
            .rateLimited, "Too many requests; wait \(retryAfterSeconds) s.",
            details: [.integer("retry_after", retryAfterSeconds)])))
    }

    /// Returns a fault that delays the answer.
    public static func latency(_ duration: Duration) -> Self { Self(kind: .latency(duration)) }

    private static let unreachable = LedgerError(.backendUnreachable, "The backend could not be reached.")

    var errorBeforeEffect: LedgerError? {
      guard case .before(let error) = kind else { return nil }
      return error
    }

    var errorAfterEffect: LedgerError? {
      guard case .after(let error) = kind else { return nil }
      return error
    }
  }

  /// The calls that a fault affects.
  public struct Occurrence: Hashable, Sendable {
    enum Kind: Hashable, Sendable {
      case number(Int)
      case all
      case percent(Int)
    }

    let kind: Kind

    /// The next call, once.
    public static let next = Self(kind: .number(1))
    /// Every call until the faults are removed.
    public static let always = Self(kind: .all)

    /// The n-th call from now, once; 1 is the next one.
    public static func call(_ number: Int) -> Self { Self(kind: .number(max(1, number))) }

    /// Each call with this chance, until the faults are removed.
    public static func random(percent: Int) -> Self { Self(kind: .percent(percent)) }
  }
}

/// The planned faults and the call counts; a plain value.
struct FaultState {
  private struct Plan {
    let call: BackendCall?
    let fault: FaultyBackend.Fault
    let occurrence: FaultyBackend.Occurrence
    var seen = 0
    var isSpent = false
  }

  private var plans: [Plan] = []
  private var counts: [BackendCall: Int] = [:]
  private var failures: [BackendCall: Int] = [:]
  private var random: UInt64

  init(seed: UInt64) { random = seed }

  mutating func add(_ call: BackendCall?, _ fault: FaultyBackend.Fault, _ occurrence: FaultyBackend.Occurrence) {
    plans.append(Plan(call: call, fault: fault, occurrence: occurrence))
  }

  mutating func removeAll() { plans.removeAll() }

  func count(of call: BackendCall?) -> Int {
    call.map { counts[$0] ?? 0 } ?? counts.values.reduce(0, +)
  }

  func failureCount(of call: BackendCall?) -> Int {
    call.map { failures[$0] ?? 0 } ?? failures.values.reduce(0, +)
  }

  /// Counts the call and returns the faults that hit it, in the order in which they were set.
  mutating func faults(for call: BackendCall) -> [FaultyBackend.Fault] {
    counts[call, default: 0] += 1
    var hits: [FaultyBackend.Fault] = []
    for index in plans.indices where plans[index].call == nil || plans[index].call == call {
      plans[index].seen += 1
      if isHit(plans[index]) {
        hits.append(plans[index].fault)
        if case .number = plans[index].occurrence.kind { plans[index].isSpent = true }
      }
    }
    plans.removeAll(where: \.isSpent)
    if hits.contains(where: { $0.errorBeforeEffect != nil || $0.errorAfterEffect != nil }) {
      failures[call, default: 0] += 1
    }
    return hits
  }

  private mutating func isHit(_ plan: Plan) -> Bool {
    switch plan.occurrence.kind {
    case .number(let number): plan.seen == number
    case .all: true
    case .percent(let percent): Int(next() % 100) < percent
    }
  }

  // SplitMix64.
  private mutating func next() -> UInt64 {
    random &+= 0x9E37_79B9_7F4A_7C15
    var mixed = random
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }
}
