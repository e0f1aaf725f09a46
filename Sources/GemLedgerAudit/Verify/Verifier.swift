internal import GemLedger

/// Proves the books of one snapshot, window by window of customers.
///
/// It replays the journal, compares every projection with the result of the replay, and runs all other checks.
struct Verifier {
  /// The number of customers that one pass over the journal replays, which bounds the memory for any history.
  static let customersPerWindow = 500_000
  /// The maximum number of lots that one pass should replay.
  private static let lotsPerWindow = 1_500_000

  private let context: VerifyContext
  private let customersPerWindow: Int
  // An unreadable row ends the proof; these keep the findings up to then.
  private var journal: JournalCheck
  private var tallies: CurrencyTallies

  init(_ context: VerifyContext, customersPerWindow: Int = Self.customersPerWindow) {
    self.context = context
    self.customersPerWindow = customersPerWindow
    journal = JournalCheck(context)
    tallies = CurrencyTallies(context)
  }

  mutating func run(
    progress: (Int64, Int64) -> Void
  ) throws(LedgerError) -> Verification {
    let integrity = try context.scan.beginIntegrityCheck()
    let beside = context.beginBeside(Self.checkRows)
    var customers: Int64 = 0
    var unreadable: LedgerError?
    do throws(LedgerError) {
      customers = try prove(beside, progress: progress)
    } catch {
      beside?.abandon()
      guard error.code == .storageDamaged else { throw error }
      unreadable = error
    }
    // The storage's problems with its pages precede the problem of a row on such pages.
    for problem in try integrity() { context.report("storage_integrity", "the storage reports: \(problem)") }
    // Misplaced pages look intact to a storage; only the order of their rows reveals them.
    if let unreadable, unreadable.isOfOrder { throw unreadable }
    if let unreadable {
      context.report("storage_integrity", "the proof ended at an unreadable row: \(unreadable.message)")
    }
    let transactions = journal.tally.transactions
    return Verification(
      asOf: context.asOf, transactions: transactions, customers: customers, currencies: tallies.books(),
      problems: context.findings.problems, problemCount: context.findings.count)
  }

  /// The checks that need no replay: a proof with two threads runs them beside it.
  ///
  /// They may read a later snapshot than the replay, and compare rows of that snapshot only.
  private static func checkRows(_ context: VerifyContext) throws(LedgerError) {
    let purchaseCount = try DigestCheck(context).run()
    let products = FrozenProducts()
    var purchases = PurchaseCheck(context, products)
    try purchases.run(purchaseCount: purchaseCount)
    try LotMakerCheck(context).run(purchaseLotCount: purchases.lots.lotCount)
    var items = ItemCheck(context, try MergeCheck(context).merged(), promised: purchases.lots.itemsPromised)
    try items.run()
    try OrderCheck(context).run()
    try EntitlementCheck(context, products).run()
    try EvidenceCheck(context).run()
    try IDCheck(context).run()
  }

  /// Replays everything and compares.
  ///
  /// - Returns: The number of customers.
  private mutating func prove(
    _ beside: ChecksBeside?, progress: (Int64, Int64) -> Void
  ) throws(LedgerError) -> Int64 {
    var freezes = FreezeReplay()
    let merges = try MergeCheck(context).run(&freezes)
    var attributes = LotAttributesCheck(context)
    var checkpoints = CheckpointCheck(context)
    let highestLot = try replay(merges, &attributes, &checkpoints, progress: progress)
    freezes.add(journal.tally.freezes)
    var events = JournalEventCheck(context, merges)
    try events.run(journal.tally)
    try checkpoints.run(merges)
    try checkSequences(highestLot: highestLot)
    try attributes.finish()
    try RefundCheck(context, merges).run(journal.tally, reclaimCount: events.reclaimCount, &freezes)
    tallies.check()
    if let beside { try context.finish(beside) } else { try Self.checkRows(context) }
    return try CustomerCheck(context, merges).run(frozen: freezes.frozen(), erased: journal.tally.erased)
  }

  /// Replays the journal window by window, and compares the projections with it.
  ///
  /// - Returns: The highest lot number in the journal.
  private mutating func replay(
    _ merges: MergedCustomers, _ attributes: inout LotAttributesCheck, _ checkpoints: inout CheckpointCheck,
    progress: (Int64, Int64) -> Void
  ) throws(LedgerError) -> LotNumber {
    let windows = try windows()
    let entryCount = try expectedEntryCount()
    var highestLot: LotNumber = 0
    for (index, customers) in windows.enumerated() {
      let scope = ReplayScope(customers: customers, isFirst: index == 0, merges: merges)
      var window = try WindowReplay(context, scope: scope)
      try window.run(&journal, &tallies, &checkpoints) {
        progress(Int64(index) * entryCount + min($0, entryCount), Int64(windows.count) * entryCount)
      }
      try window.compare(&tallies, &attributes)
      highestLot = max(highestLot, window.highestLot)
    }
    return highestLot
  }

  /// Checks that new rows get unused numbers.
  private func checkSequences(highestLot: LotNumber) throws(LedgerError) {
    // Sparse numbers do not use a sequence.
    guard context.counts?.isSparse != true else { return }
    let last = try context.snapshot.last(.lot)
    if last < highestLot {
      context.report("sequences_go_on", "the next lot would be number \(last + 1); lot \(highestLot) exists already")
    }
  }

  /// Returns ranges that cover all customer numbers, each with at most as many customers as one pass replays.
  private func windows() throws(LedgerError) -> [Range<CustomerNumber>] {
    var windows: [Range<CustomerNumber>] = []
    var start: CustomerNumber = 0
    let count = try windowSize()
    while let next = try customer(behind: count, from: start), next > start {
      windows.append(start..<next)
      start = next
    }
    return windows + [start..<CustomerNumber.max]
  }

  /// Returns the number of the customer after `count` others from a number on; nil if there are no more.
  private func customer(behind count: Int, from start: CustomerNumber) throws(LedgerError) -> CustomerNumber? {
    var (position, left) = (max(0, start - 1), count + 1)
    // Numbers without gaps are counts; even a number far above the others makes one window.
    guard context.counts != nil else {
      return try context.snapshot.customers(after: position + Int64(count), limit: 1).first?.number
    }
    while left > 0 {
      let page = try context.snapshot.customers(after: position, limit: min(left, ScanPage.size))
      guard let end = page.last?.number else { return nil }
      (position, left) = (end, left - page.count)
    }
    return position
  }

  /// Returns the number of customers of a window, fewer if they have many lots: every lot ever made is replayed.
  private func windowSize() throws(LedgerError) -> Int {
    // Numbers with gaps do not show the count of customers.
    guard context.counts == nil else { return customersPerWindow }
    let (customers, lots) = (try context.snapshot.last(.customer), try context.snapshot.last(.lot))
    guard lots > Self.lotsPerWindow, customers < 1 << 40 else { return customersPerWindow }
    return min(customersPerWindow, max(1, Int(customers * Int64(Self.lotsPerWindow) / lots)))
  }

  /// Returns the expected number of entries for progress, within bounds even if a row is damaged.
  private func expectedEntryCount() throws(LedgerError) -> Int64 {
    let count = if let counts = context.counts { counts.entries } else { try context.snapshot.sequences().entry }
    return max(0, min(count, 1 << 40))
  }
}
