/// Plans and books the changes of one group's accounts: in the journal, the lots, the counts and the holds.
///
/// A command plans a change of each account first, checks the plans, and then books them as one transaction.
struct Bookkeeper: ~Copyable {
  var work = UnitOfWork()
  /// The plans of the current command.
  var plans: [AccountPlan] = []
  /// The transaction that answers the current command; its follow-up transactions are booked after it.
  var booked: TransactionNumber = 0
  /// The counts to record once the command is booked.
  var pendingCounts: [CountRow] = []
  /// Accounts of currencies with policies and with a changed balance, and the transaction that changed each.
  var touched: [(slot: Int, transaction: TransactionNumber)] = []
  /// Amounts that ends of holds took from accounts, as of when they were lost; until the accounts' policies are
  /// applied.
  var lapsed: [Int: [ScheduleRules.Loss]] = [:]
  /// The recharge clocks of the accounts that the group has checked.
  var clocks: [Int: ScheduleRules.RechargeClock] = [:]
  private(set) var definitions = CurrencyDefinitions(version: -1, currencies: [], salt: 0)

  /// Begins a group.
  mutating func begin(
    _ session: any StorageSnapshot, after sequences: Sequences, clock: Timestamp, definitions: CurrencyDefinitions
  ) {
    self.definitions = definitions
    // Nothing is booked under a catalog before the catalog takes effect.
    work.begin(session, after: sequences, clock: max(clock, definitions.inForceFrom))
    if !clocks.isEmpty { clocks.removeAll() }
  }

  @inline(__always)
  mutating func beginCommand() {
    if !pendingCounts.isEmpty { pendingCounts.removeAll() }
    guard definitions.hasPolicies else { return }
    touched.removeAll(keepingCapacity: true)
    if !lapsed.isEmpty { lapsed.removeAll() }
  }
}
