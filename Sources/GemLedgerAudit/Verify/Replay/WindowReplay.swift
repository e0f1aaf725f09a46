internal import GemLedger

/// Replays the journal for the customers of one window, and compares the projections with the result.
struct WindowReplay {
  /// The number of entries to prefetch.
  private static let touchedCount: Int64 = 64

  private let context: VerifyContext
  private let scope: ReplayScope
  private var accounts: AccountReplay
  private var events: JournalEventReplay
  private var burns: BurnCheck

  /// The highest lot that the window's entries name.
  var highestLot: LotNumber { accounts.highestLot }

  init(_ context: VerifyContext, scope: ReplayScope) throws(LedgerError) {
    self.context = context
    self.scope = scope
    accounts = AccountReplay(context, scope: scope)
    events = try JournalEventReplay(context, scope: scope)
    burns = BurnCheck(context)
  }

  /// Reads all entries once; the first window's pass also checks the order of the journal.
  mutating func run(
    _ journalCheck: inout JournalCheck, _ tallies: inout CurrencyTallies, _ checkpoints: inout CheckpointCheck,
    progress: (Int64) -> Void
  ) throws(LedgerError) {
    var journal = JournalScan(context.scan)
    var sums = EntrySums()
    var count: Int64 = 0
    while let entry = try journal.nextEntry() {
      if count % Self.touchedCount == 0 { accounts.touch(journal.upcoming.prefix(Int(Self.touchedCount))) }
      let allocations = try journal.allocations(of: entry)
      if scope.isFirst { try journalCheck.add(entry, scope.merges) }
      if events.isDue(before: entry.transaction) { try events.replay(through: entry.transaction, &accounts) }
      if scope.covers(entry.account) {
        sums.add(entry)
        tallies.checkCurrency(of: entry)
        accounts.replay(entry, allocations)
        if entry.kind.burns, let burn = accounts.burn(by: entry, allocations) { try burns.add(burn) }
        try checkpoints.expect(entry)
      }
      count += 1
      if count & 0xFFFF == 0 { progress(count) }
    }
    tallies.add(sums)
    try events.finish(&accounts)
    try checkpoints.checkExpected()
    journalCheck.finishExchanges()
    try burns.checkGathered()
    if scope.isFirst { try journalCheck.finish() }
  }

  /// Compares the projections of the window's customers with the replay.
  mutating func compare(
    _ tallies: inout CurrencyTallies, _ attributes: inout LotAttributesCheck
  ) throws(LedgerError) {
    let projections = ProjectionCheck(context, accounts, firstDeadlines: events.holds.firstDeadlines)
    try projections.compareLots(&tallies, &attributes)
    try projections.compareAccounts(&tallies, &attributes)
    try events.compare()
    for (account, held) in accounts.held.accounts.inKeyOrder where accounts.accounts[account]?.isSeen != true {
      context.report(
        "holds_replay", currency: account.currency,
        "\(context.name(of: account)) should hold \(held) and has no account row")
    }
  }
}
