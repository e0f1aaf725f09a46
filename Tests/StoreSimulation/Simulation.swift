package import GemLedger
package import StoreBackend

/// A soak of random store events with faults, which ends with the books verified.
///
/// Customers on devices buy, cancel, ask for consent, restore, sign in and out, spend and get refunds, at an
/// App-Store-like and a Google-Play-like store. Meanwhile processes die, networks break and backends fail. Checks run
/// meanwhile, and at the end, when all faults are off and everything is drained. Then every customer must have exactly
/// the paid and unrefunded purchases, once, and the ledger must verify.
///
/// ```swift
/// let report = try await Simulation(Simulation.Settings(seed: 7, eventCount: 5000)).run()
/// if let failure = report.failure { print(failure) }
/// ```
///
/// Everything random follows from the seed, and time is a clock of its own: a run repeats exactly. Nothing sleeps.
package struct Simulation: Sendable {
  /// The settings of a soak.
  package struct Settings: Hashable, Sendable {
    /// Where chance begins.
    package var seed: UInt64
    /// How many events.
    package var eventCount: Int
    /// How many customers sign in at a time, at least 1; their names go on as the run does.
    package var customerCount = 40
    /// How many devices, at least 1; two share a store account.
    package var deviceCount = 24
    /// Whether there is an App-Store-like store.
    package var hasAppleStore = true
    /// Whether there is a Google-Play-like store.
    package var hasGoogleStore = true
    /// Whether the stores send purchase notices to the backend, beside the apps' posts.
    package var sendsPurchaseNotices = true
    /// How many of a hundred events something goes wrong in, 0 to 100.
    package var faultPercent = 15
    /// After how many events the invariants are checked; nil for some twenty times in a run.
    package var checkInterval: Int?

    /// A soak with the usual mixture.
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

  /// A soak over ledgers in memory.
  package init(_ settings: Settings) { self.init(settings, sabotage: nil) }

  /// A soak over ledgers that are made for it: a new and empty one for each run, since shrinking runs it again.
  package init(
    _ settings: Settings, ledger: @escaping @Sendable (LedgerClock) throws(LedgerError) -> Ledger
  ) {
    self.settings = settings
    makeLedger = ledger
    sabotage = nil
  }

  /// A soak with a mistake built in.
  package init(_ settings: Settings, sabotage: PlantedBug?) {
    self.settings = settings
    makeLedger = { clock in Ledger.inMemory(clock: clock, salt: 1) }
    self.sabotage = sabotage
  }

  /// Plays all events, drains, and checks; after a broken invariant, finds the shortest beginning of the run that
  /// breaks one.
  ///
  /// - Parameter progress: Called with the number of played events; counting begins anew where shorter runs are tried.
  /// - Returns: The report; ``SimulationReport/failure`` names the broken invariant.
  /// - Throws: `LedgerError` where the ledger or a store cannot work at all; a broken invariant is no error.
  package func run(progress: @Sendable (Int) -> Void = { _ in }) async throws(LedgerError) -> SimulationReport {
    let start = ContinuousClock.now
    var (report, problems, played) = try await play(settings.eventCount, progress)
    if !problems.isEmpty { report.failure = try await shrink(problems, brokenWithin: played, progress) }
    report.elapsed = ContinuousClock.now - start
    return report
  }

  /// Plays the first events of the run, and ends it: everything is drained and checked.
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
  /// Every beginning is a run of its own. So a failure after one more event comes from that event, or from how the end
  /// drains the work that it began.
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
