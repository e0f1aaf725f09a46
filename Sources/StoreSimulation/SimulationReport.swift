/// The report of a soak.
public struct SimulationReport: Hashable, Sendable {
  /// How often something happened.
  public struct Count: Hashable, Sendable {
    /// The name of the event or fault.
    public let name: String
    /// How often.
    public let count: Int
  }

  /// Where chance began.
  public let seed: UInt64
  /// How many events were played; fewer than asked for where an invariant broke on the way.
  public let eventCount: Int
  /// How often each kind of event was played, in the order of ``SimulationEvent/Kind``.
  public let events: [Count]
  /// How often each fault was injected, by name.
  public let faults: [Count]
  /// How many processes died in the middle of something.
  public let deaths: Int
  /// How many purchases the stores were paid for.
  public let paid: Int
  /// How many of them were renewals of subscriptions.
  public let renewals: Int
  /// How many purchases were credited.
  public let credits: Int
  /// How many of them were credited to the poster, since the backend did not know the buyer's token yet.
  public let creditsWithoutToken: Int
  /// How many of them the stores refunded, in full or part.
  public let refunds: Int
  /// How often a receipt was posted that was credited before.
  public let replays: Int
  /// How many refused receipts are left; each of a purchase that was refunded in full.
  public let deadLetters: Int
  /// How many customers there were, several ids of one counted once.
  public let customers: Int
  /// How many transactions the ledger booked.
  public let transactions: Int64
  /// How often all invariants were checked.
  public let checks: Int
  /// How much time passed on the soak's own clock.
  public let virtualTime: Duration
  /// Follows from all balances: equal where two runs ended alike.
  public let digest: UInt64
  /// How long it took, trying shorter runs included.
  public internal(set) var elapsed = Duration.zero
  /// The broken invariant; nil where everything added up.
  public internal(set) var failure: SimulationFailure?
}

/// An invariant that broke, with the shortest way there that was found.
public struct SimulationFailure: Hashable, Sendable, CustomStringConvertible {
  /// Where chance began.
  public let seed: UInt64
  /// How many events, from the first on, break an invariant; one fewer did not.
  public let prefix: Int
  /// The problems found after them: at most twenty sentences.
  public let problems: [String]
  /// The last events of the shortest failing run, the one that breaks it at the end.
  public let lastEvents: [SimulationEvent]

  /// Seed, length, problems and last events, a line each.
  public var description: String {
    let head = "The first \(prefix) events of seed \(seed) break an invariant:"
    return ([head] + problems.map { "  \($0)" } + ["The last events:"] + lastEvents.map { "  \($0)" })
      .joined(separator: "\n")
  }
}
