/// The report of a soak.
package struct SimulationReport: Hashable, Sendable {
  /// The count of an event or fault.
  package struct Count: Hashable, Sendable {
    /// The name of the event or fault.
    package let name: String
    /// The number of occurrences.
    package let count: Int
  }

  /// The seed of the run.
  package let seed: UInt64
  /// The number of played events; fewer than requested if an invariant broke.
  package let eventCount: Int
  /// The number of played events of each kind, in the order of ``SimulationEvent/Kind``.
  package let events: [Count]
  /// The number of injected faults, by name.
  package let faults: [Count]
  /// The number of processes that died in the middle of an operation.
  package let deaths: Int
  /// The number of purchases that were paid for.
  package let paid: Int
  /// The number of paid purchases that were renewals of subscriptions.
  package let renewals: Int
  /// The number of credited purchases.
  package let credits: Int
  /// The number of purchases credited to the poster because the backend did not know the buyer's token yet.
  package let creditsWithoutToken: Int
  /// The number of credited purchases that the stores refunded, in full or part.
  package let refunds: Int
  /// The number of posted receipts that had been credited before.
  package let replays: Int
  /// The number of remaining refused receipts, each of a purchase that was refunded in full.
  package let deadLetters: Int
  /// The number of customers; several ids of one customer count once.
  package let customers: Int
  /// The number of transactions in the ledger.
  package let transactions: Int64
  /// The number of checks of all invariants.
  package let checks: Int
  /// The time that passed on the soak's clock.
  package let virtualTime: Duration
  /// A digest of all balances: equal if two runs ended with equal balances.
  package let digest: UInt64
  /// The duration of the run, including shorter runs that were tried.
  package internal(set) var elapsed = Duration.zero
  /// The broken invariant; nil if all checks passed.
  package internal(set) var failure: SimulationFailure?
}

/// A broken invariant, with the shortest failing run that was found.
package struct SimulationFailure: Hashable, Sendable, CustomStringConvertible {
  /// The seed of the run.
  package let seed: UInt64
  /// The smallest number of events, from the first on, that break an invariant.
  package let prefix: Int
  /// The problems found after them: at most twenty sentences.
  package let problems: [String]
  /// The last events of the shortest failing run; the final event breaks the invariant.
  package let lastEvents: [SimulationEvent]

  /// Seed, length, problems and last events, a line each.
  package var description: String {
    let head = "The first \(prefix) events of seed \(seed) break an invariant:"
    return ([head] + problems.map { "  \($0)" } + ["The last events:"] + lastEvents.map { "  \($0)" })
      .joined(separator: "\n")
  }
}
