/// Decides the commands of one group in order: it loads the rows a command needs, asks the rules, and books what they
/// allow into the working set.
///
/// Nothing is written here.
struct Decider: ~Copyable {
  var set = WorkingSet()
  /// Room for the plans of the command at hand.
  var plans: [AccountPlan] = []
  /// The transaction that the command at hand is answered with; what follows from it is booked behind it.
  var booked: TransactionNumber = 0
  /// What the command counts once it is booked.
  var pendingCounts: [CountRow] = []
  /// Accounts of currencies with policies whose balances the command changed, and by which transactions.
  var touched: [(slot: Int, transaction: TransactionNumber)] = []
  /// What ends of holds took from accounts, as of when it was lost; until the accounts' policies were looked at.
  var lapsed: [Int: [ScheduleRules.Loss]] = [:]
  /// How the recharges of the accounts stand that the group has looked at.
  var clocks: [Int: ScheduleRules.RechargeClock] = [:]
  let catalog: CatalogCache
  private(set) var terms = CatalogTerms(version: -1, currencies: [], salt: 0)

  /// Whether some customers' rows are written by others than this decider's owner.
  let hasSeveralLanes: Bool
  /// Whether what is decided is thrown away.
  private var isRehearsal = false

  init(catalog: CatalogCache, hasSeveralLanes: Bool = false) {
    self.catalog = catalog
    self.hasSeveralLanes = hasSeveralLanes
  }

  /// - Parameter isBounded: Whether the time must be plausible beside that of the newest transaction.
  /// - Throws: `clock_implausible`.
  mutating func begin(
    session: any StorageSnapshot, clock: Timestamp, isBounded: Bool = false
  ) throws(LedgerError) {
    let sequences = try session.sequences()
    if isBounded { try ClockRules.check(clock, newest: sequences.createdAt, in: session) }
    terms = try catalog.terms(in: session)
    // Nothing is booked under a catalog before that came into force.
    set.begin(after: sequences, clock: max(clock, terms.inForceFrom))
    if !clocks.isEmpty { clocks.removeAll() }
  }

  mutating func decide(
    _ command: LedgerCommand.Body, session: any StorageSnapshot
  ) throws(LedgerError) -> Receipt {
    if command.namesReserved { throw command.reservedIDRefusal }
    if !pendingCounts.isEmpty { pendingCounts.removeAll() }
    guard terms.hasPolicies else { return try dispatch(command, session: session) }
    touched.removeAll(keepingCapacity: true)
    if !lapsed.isEmpty { lapsed.removeAll() }
    do throws(LedgerError) {
      let receipt = try dispatch(command, session: session)
      try restartClocks(session: session)
      return receipt
    } catch {
      // What came about before is booked, whatever becomes of the command.
      if !error.code.isStorageFailure { try restartClocks(session: session) }
      throw error
    }
  }

  @inline(__always)
  private mutating func dispatch(
    _ command: LedgerCommand.Body, session: any StorageSnapshot
  ) throws(LedgerError) -> Receipt {
    switch command.action {
    case .adjustOne(let adjustment): try decide(command, adjustment, session: session)
    case .adjust(let adjust): try decide(command, adjust, session: session)
    case .buyItem(let item, let quantity), .buyStocked(let item, let quantity):
      try decide(command, item: item, quantity: quantity, session: session)
    case .creditPurchase(let purchase): try decide(command, purchase, session: session)
    case .createCustomer: try decideCreation(command.customer, session: session)
    case .openOrder(let opening): try decide(command, opening, session: session)
    case .completeOrder(let completion): try decide(command, completion, session: session)
    case .advanceOrder(let code, let step): try decide(command, code, step, session: session)
    case .registerToken(let token): try decide(command, token: token, session: session)
    case .holdEntitlement(let store, let environment, let id):
      try decide(
        command,
        holderOf: PurchaseIdentity(
          store: store, environment: try set.number(of: environment, session: session), transactionID: id),
        session: session)
    case .refund(let refund): try decide(command, refund, session: session)
    case .reverseRefund(let reversal): try decide(command, reversal, session: session)
    case .merge(let from): try decide(command, mergeFrom: from, session: session)
    case .mergeAnonymous(let from): try decide(command, mergeAnonymous: from, session: session)
    case .createAlias(let alias): try decide(command, alias: alias, session: session)
    case .freeze: try decide(command, freezes: true, session: session)
    case .unfreeze: try decide(command, freezes: false, session: session)
    case .reverse(let id, let amounts): try decide(command, reverse: id, amounts, session: session)
    case .hold(let amounts, let milliseconds):
      try decide(command, hold: amounts, milliseconds: milliseconds, session: session)
    case .capture(let capture): try decide(command, capture, session: session)
    case .extendHold(let id, let milliseconds):
      try decide(command, extend: id, milliseconds: milliseconds, session: session)
    case .release(let id): try decide(command, release: id, session: session)
    case .basket(let legs): try decide(command, basket: legs, session: session)
    case .exchange(let exchange): try decide(command, exchange, session: session)
    case .settle: try decideSettlement(command, session: session)
    case .erase: try decideErasure(command, session: session)
    }
  }

  /// Refuses, before anything is done, what a command that makes its customer would be refused for.
  ///
  /// A new customer's accounts are given what their currencies give by themselves before the command is decided. Of one
  /// that is refused nothing may be left, and what was booked is booked.
  mutating func rehearse(_ command: LedgerCommand.Body, session: any StorageSnapshot) throws(LedgerError) {
    guard terms.hasPolicies, !isRehearsal else { return }
    // The rehearsal knows nothing of the group, and would find who was erased by it.
    try set.checkNotErased(command.customer)
    var other = Self(catalog: catalog, hasSeveralLanes: hasSeveralLanes)
    other.isRehearsal = true
    try other.begin(session: session, clock: set.now)
    _ = try other.decide(command, session: session)
  }

  private mutating func decideCreation(
    _ id: CustomerID, session: any StorageSnapshot
  ) throws(LedgerError) -> Receipt {
    let isKnown = try findCustomer(id, session: session) != nil
    if !isKnown { _ = try set.addCustomer(id, session: session) }
    return Receipt(
      transactionID: nil, customer: id, kind: .initial, createdAt: set.now, entries: CompactList([]),
      isReplayed: isKnown)
  }

  // MARK: What every command needs
  //
  // Some of it changes nothing and is marked as mutating all the same: what only borrows the decider gets a copy of its
  // five hundred bytes with every call.

  /// The customer of the id; nil where there is none.
  mutating func findCustomer(_ id: CustomerID, session: any StorageSnapshot) throws(LedgerError) -> FoundCustomer? {
    if let new = set.newCustomer(id) { return try set.current(new, id, session: session) }
    return try set.current(try session.customer(id), id, session: session)
  }

  mutating func findCustomer(
    of command: LedgerCommand.Body, session: any StorageSnapshot
  ) throws(LedgerError) -> FoundCustomer? {
    if set.hasRare { return try findCustomer(command.customer, session: session) }
    if let new = set.newCustomer(command.customer) { return new }
    return try session.customer(command.customer, hash: command.customerHash)
  }

  /// Looks the key up, and decides only where it is new; a refusal that is kept is kept under the key, unless the
  /// command would have made the customer: then there is nobody to keep it for.
  mutating func once(
    _ command: LedgerCommand.Body, customer: FoundCustomer, isNew: Bool = false, session: any StorageSnapshot,
    decide: (inout Self) throws(LedgerError) -> Receipt
  ) throws(LedgerError) -> Receipt {
    guard let key = command.key else { return try decide(&self) }
    if let row = try earlier(key, command: command, customer: customer, session: session) {
      return try answer(row, under: key, command: command, session: session)
    }
    do throws(LedgerError) {
      let receipt = try decide(&self)
      keepBooking(under: key, command: command, customer: customer.number)
      return receipt
    } catch {
      if error.code.isKept, !isNew {
        keepRefusal(error, under: key, command: command, customer: customer.number)
      }
      throw error
    }
  }

  @inline(__always)
  mutating func keepBooking(
    under key: IdempotencyKey, command: LedgerCommand.Body, customer: CustomerNumber
  ) {
    set.addKey(
      KeyRow(customer: customer, key: key, fingerprint: command.fingerprint, booked: booked),
      hash: KeyHash.of(command.keyHash, customer: customer))
  }

  mutating func keepRefusal(
    _ error: LedgerError, under key: IdempotencyKey, command: LedgerCommand.Body, customer: CustomerNumber
  ) {
    set.addKey(
      KeyRow(customer: customer, key: key, fingerprint: command.fingerprint, outcome: .refused(error)),
      hash: KeyHash.of(command.keyHash, customer: customer))
  }

  /// What the key was used for, by this group or before it.
  @inline(__always)
  mutating func earlier(
    _ key: IdempotencyKey, command: LedgerCommand.Body, customer: FoundCustomer, session: any StorageSnapshot
  ) throws(LedgerError) -> KeyRow? {
    if customer.isOneOfSeveral {
      return try earlier(underAnyNumberOf: customer, key, command: command, session: session)
    }
    return try earlier(key, command: command, customer: customer.number, session: session)
  }

  @inline(__always)
  mutating func earlier(
    _ key: IdempotencyKey, command: LedgerCommand.Body, customer: CustomerNumber, session: any StorageSnapshot
  ) throws(LedgerError) -> KeyRow? {
    let hash = KeyHash.of(command.keyHash, customer: customer)
    if let row = set.pendingKey(key, customer: customer, hash: hash) { return row }
    return try session.key(key, customer: customer, hash: hash)
  }

  func answer(
    _ row: KeyRow, under key: IdempotencyKey, command: LedgerCommand.Body, session: any StorageSnapshot
  ) throws(LedgerError) -> Receipt {
    if let field = row.fingerprint.differingField(from: command.fingerprint) {
      throw LedgerError(
        .keyConflict,
        "The key \"\(key)\" was used before for another request: it differs in \(field). Use a new key for a new "
          + "request.",
        details: [.text("field", field)])
    }
    switch row.outcome {
    case .booked(let number):
      return try replay(number, of: row.customer, customer: command.customer, session: session)
    case .refused(let refusal): throw KeyRules.replayed(refusal)
    }
  }

  /// The receipt of a transaction booked earlier, by this group or before it.
  func replay(
    _ number: TransactionNumber, of owner: CustomerNumber, customer: CustomerID, session: any StorageSnapshot
  ) throws(LedgerError) -> Receipt {
    try replay(number, ofAny: [owner], customer: customer, session: session)
  }

  func replay(
    _ number: TransactionNumber, ofAny owners: [CustomerNumber], customer: CustomerID, session: any StorageSnapshot
  ) throws(LedgerError) -> Receipt {
    guard let parts = try set.parts(of: number, ofAny: owners, session: session) else {
      throw LedgerError(
        .storageDamaged,
        "The journal lacks transaction \(number), which a key, a purchase or a refund names; run verify.")
    }
    var receipt = try parts.receipt(customer: customer, terms: terms)
    if parts.row.kind.hasEffects { try set.complete(&receipt, of: parts.row, terms: terms, session: session) }
    receipt.isReplayed = true
    return receipt
  }
}
