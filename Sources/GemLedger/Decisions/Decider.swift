/// Decides the commands of one group in order: it loads the rows of a command, applies the rules, and books the result
/// in the unit of work.
///
/// It writes nothing to the storage.
struct Decider: ~Copyable {
  var work = UnitOfWork()
  /// A buffer for the plans of the current command.
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
  let catalog: CatalogCache
  private(set) var definitions = CurrencyDefinitions(version: -1, currencies: [], salt: 0)

  /// Whether other deciders than this one write some customers' rows.
  let hasSeveralLanes: Bool
  /// Whether the result is discarded.
  private var isValidation = false

  init(catalog: CatalogCache, hasSeveralLanes: Bool = false) {
    self.catalog = catalog
    self.hasSeveralLanes = hasSeveralLanes
  }

  /// - Parameter isBounded: Whether the time must be plausible compared with the newest transaction.
  /// - Throws: `clock_implausible`.
  mutating func begin(_ session: any StorageSnapshot, clock: Timestamp, isBounded: Bool = false) throws(LedgerError) {
    let sequences = try session.sequences()
    if isBounded { try ClockRules.check(clock, newest: sequences.createdAt, in: session) }
    definitions = try catalog.definitions(in: session)
    // Nothing is booked under a catalog before the catalog takes effect.
    work.begin(session, after: sequences, clock: max(clock, definitions.inForceFrom))
    if !clocks.isEmpty { clocks.removeAll() }
  }

  mutating func decide(_ command: LedgerCommand.Body) throws(LedgerError) -> Booking {
    if command.idCheck != .none { try checkIDs(of: command) }
    if !pendingCounts.isEmpty { pendingCounts.removeAll() }
    guard definitions.hasPolicies else { return try dispatch(command) }
    touched.removeAll(keepingCapacity: true)
    if !lapsed.isEmpty { lapsed.removeAll() }
    do throws(LedgerError) {
      let booking = try dispatch(command)
      try RechargeClocks.restartClocks(&self)
      return booking
    } catch {
      // Earlier effects are booked even if the command is refused.
      if !error.code.isStorageFailure { try RechargeClocks.restartClocks(&self) }
      throw error
    }
  }

  private mutating func checkIDs(of command: LedgerCommand.Body) throws(LedgerError) {
    switch command.idCheck {
    case .none: return
    case .unusable: throw command.unusableIDRefusal
    case .anonymous:
      guard let customer = try work.customers.find(command.customer) else { return }
      try MergeRules.checkAnonymous(try work.customers.ids(of: customer.number), named: command.customer)
    }
  }

  @inline(__always)
  private mutating func dispatch(_ command: LedgerCommand.Body) throws(LedgerError) -> Booking {
    // Most commands are of this kind, which is called without the existential.
    if case .adjustOne(let one) = command.action { return try one.decide(&self, command) }
    return try command.action.command.decide(&self, command)
  }

  /// Validates a command that would make its customer, before anything is booked.
  ///
  /// A new customer's accounts get their scheduled grants before the command is decided. These cannot be undone, and a
  /// refused command must leave no trace.
  mutating func validate(_ command: LedgerCommand.Body) throws(LedgerError) {
    guard definitions.hasPolicies, !isValidation else { return }
    // The dry run does not see the group's changes, and would find customers that the group erased.
    try work.customers.checkNotErased(command.customer)
    var other = Self(catalog: catalog, hasSeveralLanes: hasSeveralLanes)
    other.isValidation = true
    try other.begin(session, clock: work.now)
    _ = try other.decide(command)
  }

  var session: any StorageSnapshot {
    @inline(__always) get { work.session }
  }
}
