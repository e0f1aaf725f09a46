/// The report of a soak.
package struct SimulationReport: Hashable, Sendable {
  /// How often something happened.
  package struct Count: Hashable, Sendable {
    /// The name of the event or fault.
    package let name: String
    /// How often.
    package let count: Int
  }

  /// Where chance began.
  package let seed: UInt64
  /// How many events were played; fewer than asked for where an invariant broke on the way.
  package let eventCount: Int
  /// How often each kind of event was played, in the order of ``SimulationEvent/Kind``.
  package let events: [Count]
  /// How often each fault was injected, by name.
  package let faults: [Count]
  /// How many processes died in the middle of something.
  package let deaths: Int
  /// How many purchases the stores were paid for.
  package let paid: Int
  /// How many of them were renewals of subscriptions.
  package let renewals: Int
  /// How many purchases were credited.
  package let credits: Int
  /// How many of them were credited to the poster, since the backend did not know the buyer's token yet.
  package let creditsWithoutToken: Int
  /// How many of them the stores refunded, in full or part.
  package let refunds: Int
  /// How often a receipt was posted that was credited before.
  package let replays: Int
  /// How many refused receipts are left; each of a purchase that was refunded in full.
  package let deadLetters: Int
  /// How many customers there were, several ids of one counted once.
  package let customers: Int
  /// How many transactions the ledger booked.
  package let transactions: Int64
  /// How often all invariants were checked.
  package let checks: Int
  /// How much time passed on the soak's own clock.
  package let virtualTime: Duration
  /// Follows from all balances: equal where two runs ended alike.
  package let digest: UInt64
  /// How long it took, trying shorter runs included.
  package internal(set) var elapsed = Duration.zero
  /// The broken invariant; nil where everything added up.
  package internal(set) var failure: SimulationFailure?
}

/// An invariant that broke, with the shortest way there that was found.
package struct SimulationFailure: Hashable, Sendable, CustomStringConvertible {
  /// Where chance began.
  package let seed: UInt64
  /// How many events, from the first on, break an invariant; one fewer did not.
  package let prefix: Int
  /// The problems found after them: at most twenty sentences.
  package let problems: [String]
  /// The last events of the shortest failing run, the one that breaks it at the end.
  package let lastEvents: [SimulationEvent]

  /// Seed, length, problems and last events, a line each.
  package var description: String {
    let head = "The first \(prefix) events of seed \(seed) break an invariant:"
    return ([head] + problems.map { "  \($0)" } + ["The last events:"] + lastEvents.map { "  \($0)" })
      .joined(separator: "\n")
  }
}
