/// The report of a soak.
public struct SimulationReport: Hashable, Sendable {
  /// The count of an event or fault.
  public struct Count: Hashable, Sendable {
    /// The name of the event or fault.
    public let name: String
    /// The number of occurrences.
    public let count: Int
  }

  /// The seed of the run.
  public let seed: UInt64
  /// The number of played events; fewer than requested if an invariant broke.
  public let eventCount: Int
  /// The number of played events of each kind, in the order of ``SimulationEvent/Kind``.
  public let events: [Count]
  /// The number of injected faults, by name.
  public let faults: [Count]
  /// The number of processes that died in the middle of an operation.
  public let deaths: Int
  /// The number of purchases that were paid for.
  public let paid: Int
  /// The number of paid purchases that were renewals of subscriptions.
  public let renewals: Int
  /// The number of credited purchases.
  public let credits: Int
  /// The number of purchases credited to the poster because the backend did not know the buyer's token yet.
  public let creditsWithoutToken: Int
  /// The number of credited purchases that the stores refunded, in full or part.
  public let refunds: Int
  /// The number of posted receipts that had been credited before.
  public let replays: Int
  /// The number of remaining refused receipts, each of a purchase that was refunded in full.
  public let deadLetters: Int
  /// The number of customers; several ids of one customer count once.
  public let customers: Int
  /// The number of transactions in the ledger.
  public let transactions: Int64
  /// The number of checks of all invariants.
  public let checks: Int
  /// The time that passed on the soak's clock.
  public let virtualTime: Duration
  /// A digest of all balances: equal if two runs ended with equal balances.
  public let digest: UInt64
  /// The duration of the run, including shorter runs that were tried.
  public internal(set) var elapsed = Duration.zero
  /// The broken invariant; nil if all checks passed.
  public internal(set) var failure: SimulationFailure?
}

/// A broken invariant, with the shortest failing run that was found.
public struct SimulationFailure: Hashable, Sendable, CustomStringConvertible {
  /// The seed of the run.
  public let seed: UInt64
  /// The smallest number of events, from the first on, that break an invariant.
  public let prefix: Int
  /// The problems found after them: at most twenty sentences.
  public let problems: [String]
  /// The last events of the shortest failing run; the final event breaks the invariant.
  public let lastEvents: [SimulationEvent]

  /// Seed, length, problems and last events, a line each.
  public var description: String {
    let head = "The first \(prefix) events of seed \(seed) break an invariant:"
    return ([head] + problems.map { "  \($0)" } + ["The last events:"] + lastEvents.map { "  \($0)" })
      .joined(separator: "\n")
  }
}
