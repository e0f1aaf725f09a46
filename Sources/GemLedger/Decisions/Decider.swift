/// Decides the commands of one group in order: it loads the rows of a command, applies the rules, and lets the
/// bookkeeper book the result.
///
/// It writes nothing to the storage.
struct Decider: ~Copyable {
  var books = Bookkeeper()
  let catalog: CatalogCache
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
    books.begin(session, after: sequences, clock: clock, definitions: try catalog.definitions(in: session))
  }

  mutating func decide(_ command: LedgerCommand.Body) -> Decision {
    do throws(LedgerError) {
      return .booked(try outcome(of: command))
    } catch {
      return Decision(error)
    }
  }

  private mutating func outcome(of command: LedgerCommand.Body) throws(LedgerError) -> Booking {
    if command.idCheck != .none { try checkIDs(of: command) }
    books.beginCommand()
    guard books.definitions.hasPolicies else { return try dispatch(command) }
    do throws(LedgerError) {
      let booking = try dispatch(command)
      try books.restartClocks()
      return booking
    } catch {
      // Earlier effects are booked even if the command is refused.
      if !error.code.isStorageFailure { try books.restartClocks() }
      throw error
    }
  }

  private mutating func checkIDs(of command: LedgerCommand.Body) throws(LedgerError) {
    switch command.idCheck {
    case .none: return
    case .unusable: throw command.unusableIDRefusal
    case .anonymous:
      guard let customer = try books.work.customers.find(command.customer) else { return }
      try MergeRules.checkAnonymous(try books.work.customers.ids(of: customer.number), named: command.customer)
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
    guard books.definitions.hasPolicies, !isValidation else { return }
    // The dry run does not see the group's changes, and would find customers that the group erased.
    try books.work.customers.checkNotErased(command.customer)
    var other = Self(catalog: catalog, hasSeveralLanes: hasSeveralLanes)
    other.isValidation = true
    try other.begin(session, clock: books.work.now)
    _ = try other.outcome(of: command)
  }

  var session: any StorageSnapshot {
    @inline(__always) get { books.work.session }
  }
}
