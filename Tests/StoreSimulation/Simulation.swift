package import GemLedger
package import StoreBackend

/// A soak of random store events with faults, which ends with the books verified.
///
/// Customers on devices buy, cancel, ask for consent, restore, sign in and out, spend and get refunds, at an
/// App-Store-like and a Google-Play-like store. Meanwhile processes die, networks break and backends fail. Checks run
/// during the soak, and at the end, when all faults are off and all pending work is done. Then every customer must
/// have exactly the paid and unrefunded purchases, once, and the ledger must verify.
///
/// ```swift
/// let report = try await Simulation(Simulation.Settings(seed: 7, eventCount: 5000)).run()
/// if let failure = report.failure { print(failure) }
/// ```
///
/// All randomness derives from the seed, and time is a virtual clock: a run repeats exactly. Nothing sleeps.
package struct Simulation: Sendable {
  /// The settings of a soak.
  package struct Settings: Hashable, Sendable {
    /// The seed of the run.
    package var seed: UInt64
    /// The number of events.
    package var eventCount: Int
    /// The number of customers that sign in during one part of the run, at least 1; later parts use new names.
    package var customerCount = 40
    /// The number of devices, at least 1; two devices share a store account.
    package var deviceCount = 24
    /// Whether there is an App-Store-like store.
    package var hasAppleStore = true
    /// Whether there is a Google-Play-like store.
    package var hasGoogleStore = true
    /// Whether the stores send purchase notices to the backend, in addition to the apps' posts.
    package var sendsPurchaseNotices = true
    /// The percentage of events with a fault, 0 to 100.
    package var faultPercent = 15
    /// The number of events between checks of the invariants; nil for about twenty checks in a run.
    package var checkInterval: Int?

    /// Makes the settings of a soak with the usual mixture.
    package init(seed: UInt64, eventCount: Int) {
      self.seed = seed
      self.eventCount = eventCount
    }
  }

  /// Makes the receipts of a store, which sign its transactions and verify them for the backend.
  package typealias ReceiptMaker =
    @Sendable (Store, StoreEnvironment) throws(LedgerError) -> any SimulatedReceipts

  /// The settings of the soak.
  package let settings: Settings
  /// Makes the receipts of each store; unsigned ones unless it is set.
  package var makeReceipts: ReceiptMaker = { (_, environment) throws(LedgerError) in
    try UnsignedReceipts(environment: environment)
  }
  private let makeLedger: @Sendable (LedgerClock) throws(LedgerError) -> Ledger
  private let sabotage: PlantedBug?

  /// Makes a soak over ledgers in memory.
  package init(_ settings: Settings) { self.init(settings, sabotage: nil) }

  /// Makes a soak that calls `ledger` for a new, empty ledger in each run, since shrinking repeats runs.
  package init(
    _ settings: Settings, ledger: @escaping @Sendable (LedgerClock) throws(LedgerError) -> Ledger
  ) {
    self.settings = settings
    makeLedger = ledger
    sabotage = nil
  }

  /// Makes a soak with a planted bug.
  package init(_ settings: Settings, sabotage: PlantedBug?) {
    self.settings = settings
    makeLedger = { clock in Ledger.inMemory(clock: clock, salt: 1) }
    self.sabotage = sabotage
  }

  /// Plays all events, finishes pending work, and checks.
  ///
  /// After a broken invariant, it finds the shortest beginning of the run that breaks one.
  ///
  /// - Parameter progress: Called with the number of played events; the count restarts for each shorter run.
  /// - Returns: The report; ``SimulationReport/failure`` names the broken invariant.
  /// - Throws: `LedgerError` if the ledger or a store cannot work at all; a broken invariant is no error.
  package func run(progress: @Sendable (Int) -> Void = { _ in }) async throws(LedgerError) -> SimulationReport {
    let start = ContinuousClock.now
    var (report, problems, played) = try await play(settings.eventCount, progress)
    if !problems.isEmpty { report.failure = try await shrink(problems, brokenWithin: played, progress) }
    report.elapsed = ContinuousClock.now - start
    return report
  }

  /// Plays the first events of the run, then finishes pending work and checks.
  ///
  /// - Returns: The report, the problems, and the number of events played before them.
  func play(
    _ count: Int, _ progress: @Sendable (Int) -> Void
  ) async throws(LedgerError) -> (SimulationReport, problems: [String], played: Int) {
    let world = try World(settings, ledger: makeLedger, receipts: makeReceipts, sabotage: sabotage)
    let interval = max(1, settings.checkInterval ?? max(500, settings.eventCount / 20))
    for index in 0..<count {
      try await world.play(SimulationEvent(index: index, settings: settings))
      progress(index + 1)
      guard (index + 1) % interval == 0, index + 1 < count else { continue }
      let problems = try world.audit(isFinal: false)
      if !problems.isEmpty { return (try world.report(), problems, index + 1) }
    }
    try await world.drain()
    let problems = try world.audit(isFinal: true)
    return (try world.report(), problems, count)
  }

  /// Finds the shortest beginning that breaks an invariant, by halving.
  ///
  /// Every beginning is a separate run. So a failure after one more event results from that event, or from the final
  /// work on its effects.
  private func shrink(
    _ problems: [String], brokenWithin count: Int, _ progress: @Sendable (Int) -> Void
  ) async throws(LedgerError) -> SimulationFailure {
    var (low, high) = (0, count)
    var found = problems
    while low < high {
      let middle = low + (high - low) / 2
      let (_, problems, _) = try await play(middle, progress)
      if problems.isEmpty {
        low = middle + 1
      } else {
        high = middle
        found = problems
      }
    }
    let last = (max(0, high - 5)..<high).map { SimulationEvent(index: $0, settings: settings) }
    return SimulationFailure(seed: settings.seed, prefix: high, problems: Array(found.prefix(20)), lastEvents: last)
  }
}
