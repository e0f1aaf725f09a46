/// Changes balances by signed amounts: a spend, a grant, an adjustment, an opening balance.
final class AdjustCommand: Command {
  let adjustments: [Adjustment]
  let source: LotSource
  let environment: StoreEnvironment
  let expiresAt: Timestamp?
  let createsCustomer: Bool
  /// Whether it is the account's opening balance.
  let isOpening: Bool

  init(
    adjustments: [Adjustment], source: LotSource, environment: StoreEnvironment, expiresAt: Timestamp?,
    createsCustomer: Bool, isOpening: Bool = false
  ) {
    self.adjustments = adjustments
    self.source = source
    self.environment = environment
    self.expiresAt = expiresAt
    self.createsCustomer = createsCustomer
    self.isOpening = isOpening
  }

  var action: LedgerCommand.Action { .adjust(self) }

  static let keyFields = KeyFields(
    [("source", 3), ("environment", 10), ("expires_at", 11)], rest: "adjustments")
  var asked: Int64 {
    Self.asked(
      isOpening ? .opening : createsCustomer ? .grant : .adjust, Fingerprint.sum(of: adjustments), source: source,
      environment: Fingerprint.digest(of: environment),
      expiry: expiresAt.map { Fingerprint.digest(of: $0.milliseconds) } ?? 0)
  }
  var namedCustomers: NamedCustomers { .own }
  func footprint(besides customer: CustomerID) -> LedgerCommand.Footprint? { nil }
  var independence: Independence { .ofOtherCustomers }

  /// Returns the digest of an adjustment; without a list of parts, since most commands are of this kind.
  ///
  /// - Parameters:
  ///   - environment: Its digest.
  ///   - expiry: Its digest; 0 for none.
  @inline(__always)
  static func asked(
    _ kind: FingerprintKind, _ amounts: UInt64, source: LotSource, environment: UInt64, expiry: UInt64
  ) -> Int64 {
    var whole = StableHash(seed: UInt64(bitPattern: source.rawValue))
    whole.combine(amounts)
    whole.combine(environment)
    whole.combine(expiry)
    let names = UInt64(bitPattern: source.rawValue) << 21 | (environment >> 54) << 11 | expiry >> 53
    return Fingerprint.asked(kind, names << KeyFields.wholeBits | whole.value >> (64 - KeyFields.wholeBits))
  }

  // MARK: Rule

  /// - Throws: in order of precedence `invalid_request`, `limit_exceeded`, `amount_out_of_range`, `customer_not_found`,
  ///   `key_conflict`, `invalid_request` (an expiry that is past), `unknown_currency`, `condition_failed`,
  ///   `customer_frozen`, `not_available`, `insufficient_balance`, `over_maximum`.
  func decide(_ decider: inout Decider, _ command: LedgerCommand.Body) throws(LedgerError) -> Booking {
    try check(conditions: command.conditions)
    var customer = try decider.books.work.customers.find(of: command)
    let isNew = customer == nil
    if isNew, createsCustomer {
      try decider.validate(command)
      customer = try decider.books.work.customers.add(command.customer)
    }
    guard let customer else { throw .customerNotFound(command.customer) }
    do throws(LedgerError) {
      return try KeyReplay.idempotently(&decider, command, customer: customer, isNew: isNew) {
        (decider: inout Decider) throws(LedgerError) -> Booking in
        // After the key: a retry after the expiry still gets the first answer.
        if let expiresAt = expiresAt { try RequestRules.check(expiry: expiresAt, isAfter: decider.books.work.now) }
        return try book(&decider, command, customer: customer)
      }
    } catch {
      // A refused command does not create its customer.
      if isNew { decider.books.work.customers.removeNewest() }
      throw error
    }
  }

  /// - Throws: in order of precedence `invalid_request`, `limit_exceeded`, `amount_out_of_range`.
  func check(conditions: [Condition]) throws(LedgerError) {
    guard !adjustments.isEmpty else {
      throw .invalid("There is nothing to adjust: name at least one currency and amount.")
    }
    if adjustments.count > 1 { try RequestRules.refuseRepeatedCodes(adjustments) }
    if source == .paid, adjustments.contains(where: { $0.amount > 0 }) || createsCustomer {
      throw .invalid("Only a purchase makes paid currency; choose another source for the grant.")
    }
    if let expiresAt = expiresAt { try RequestRules.check(expiry: expiresAt) }
    try RequestRules.check(conditions, cover: adjustments)
    guard adjustments.count <= Limits.adjustmentsPerRequest else {
      throw LedgerError(
        .limitExceeded,
        "\(adjustments.count) adjustments in one request; the most is \(Limits.adjustmentsPerRequest).",
        details: [.integer("count", Int64(adjustments.count)), .integer("limit", Int64(Limits.adjustmentsPerRequest))])
    }
    for adjustment in adjustments { try RequestRules.check(adjustment, isGrant: createsCustomer) }
  }

  func book(
    _ decider: inout Decider, _ command: LedgerCommand.Body, customer: FoundCustomer
  ) throws(LedgerError) -> Booking {
    decider.books.plans.removeAll(keepingCapacity: true)
    for adjustment in adjustments.count == 1 ? adjustments : adjustments.sorted(by: { $0.currency < $1.currency }) {
      let kind: EntryKind = isOpening ? .initial : adjustment.amount < 0 ? .spend : .grant
      try decider.books.plan(kind, adjustment.currency, adjustment.amount, customer: customer)
    }
    try decider.books.checkPlans(command, customer: customer)
    for index in decider.books.plans.indices {
      if decider.books.plans[index].amount < 0 {
        try decider.books.plans[index].burn(in: &decider.books.work.accounts)
      } else {
        let environment = try decider.books.work.purchases.number(of: environment)
        let credit = LotCredit(
          amount: decider.books.plans[index].amount, source: source, environment: environment,
          expiresAt: expiresAt?.milliseconds ?? .max)
        decider.books.plans[index].put(credit, in: decider.books.work.accounts)
      }
    }
    return try decider.books.book(kind, command: command, customer: customer)
  }

  private var kind: EntryKind {
    if isOpening { return .initial }
    let isGrant = adjustments[0].amount > 0
    if adjustments.count > 1, adjustments.contains(where: { ($0.amount > 0) != isGrant }) { return .mixed }
    return isGrant ? .grant : .spend
  }
}

extension LedgerCommand {
  /// Changes balances by signed amounts, all or none.
  ///
  /// - Parameters:
  ///   - adjustments: 1 to 100, each currency once.
  ///   - customer: Must exist.
  ///   - key: Send the same one with every retry.
  ///   - source: The kind of lots that the positive parts make.
  ///   - environment: The environment of those lots.
  ///   - details: Conditions, reference, reason and actor.
  public static func adjust(
    _ adjustments: [Adjustment], customer: CustomerID, key: IdempotencyKey? = nil, source: LotSource = .earned,
    environment: StoreEnvironment = .production, details: CommandDetails = CommandDetails()
  ) -> Self {
    if let only = adjustments.first, adjustments.count == 1, source == .earned, environment == .production {
      return Self(AdjustOneCommand(adjustment: only), customer: customer, key: key, details: details)
    }
    let adjust = AdjustCommand(
      adjustments: adjustments, source: source, environment: environment, expiresAt: nil, createsCustomer: false)
    return Self(adjust, customer: customer, key: key, details: details)
  }

  /// Changes balances by signed amounts, with amounts, id and key as texts.
  ///
  /// - Throws: ``LedgerError`` with `invalid_identifier`.
  public static func adjust(
    _ adjustments: AmountsByCode, customer: String, key: String? = nil, details: CommandDetails = CommandDetails()
  ) throws(LedgerError) -> Self {
    let adjustments = try adjustments.checked()
    return .adjust(adjustments, customer: try CustomerID(customer), key: try checked(key), details: details)
  }

  /// Takes currency: an adjustment of the negated amounts.
  ///
  /// - Throws: ``LedgerError`` with `amount_out_of_range` when an amount is below 1.
  public static func spend(
    _ amounts: [Adjustment], customer: CustomerID, key: IdempotencyKey? = nil,
    details: CommandDetails = CommandDetails()
  ) throws(LedgerError) -> Self {
    var adjustments: [Adjustment] = []
    for amount in amounts {
      guard amount.amount > 0 else {
        throw RequestRules.outOfRange(
          "A spend of \(amount.amount) \(amount.currency) is out of range: it must be at least 1.", amount.amount)
      }
      adjustments.append(Adjustment(amount.currency, -amount.amount))
    }
    return .adjust(adjustments, customer: customer, key: key, details: details)
  }

  /// Takes currency, with amounts, id and key as texts.
  ///
  /// - Throws: ``LedgerError`` with, in order of precedence: `invalid_identifier`, and `amount_out_of_range` for an
  ///   amount below 1.
  public static func spend(
    _ amounts: AmountsByCode, customer: String, key: String? = nil, details: CommandDetails = CommandDetails()
  ) throws(LedgerError) -> Self {
    let amounts = try amounts.checked()
    return try .spend(amounts, customer: CustomerID(customer), key: checked(key), details: details)
  }

  /// Grants currency; makes the customer if need be.
  ///
  /// - Parameters:
  ///   - amounts: 1 to 100 positive amounts, each currency once.
  ///   - customer: Need not exist.
  ///   - key: Send the same one with every retry.
  ///   - source: The kind of lots that it makes; not `paid`, which only a purchase makes.
  ///   - environment: The environment of those lots.
  ///   - expiresAt: The instant from which the currency is worth nothing; nil for never.
  ///   - details: Conditions, reference, reason and actor.
  public static func grant(
    _ amounts: [Adjustment], customer: CustomerID, key: IdempotencyKey? = nil, source: LotSource = .admin,
    environment: StoreEnvironment = .production, expiresAt: Timestamp? = nil,
    details: CommandDetails = CommandDetails()
  ) -> Self {
    let adjust = AdjustCommand(
      adjustments: amounts, source: source, environment: environment, expiresAt: expiresAt, createsCustomer: true)
    return Self(adjust, customer: customer, key: key, details: details)
  }

  /// Grants currency, with amounts, id and key as texts; makes the customer if need be.
  ///
  /// - Throws: ``LedgerError`` with `invalid_identifier`.
  public static func grant(
    _ amounts: AmountsByCode, customer: String, key: String? = nil, source: LotSource = .admin,
    expiresAt: Timestamp? = nil, details: CommandDetails = CommandDetails()
  ) throws(LedgerError) -> Self {
    let amounts = try amounts.checked()
    return .grant(
      amounts, customer: try CustomerID(customer), key: try checked(key), source: source, expiresAt: expiresAt,
      details: details)
  }

  /// Credits the opening balance of an account, such as a balance of another system; makes the customer if need be.
  ///
  /// - Parameters:
  ///   - amounts: 1 to 100 positive amounts, each currency once.
  ///   - customer: Need not exist.
  ///   - key: Send the same one with every retry; an import derives it from its line.
  ///   - source: The kind of lots that it makes; not `paid`, which only a purchase makes.
  ///   - environment: The environment of those lots.
  ///   - expiresAt: The instant from which the currency is worth nothing; nil for never.
  ///   - details: Conditions, reference, reason and actor.
  public static func openingBalance(
    _ amounts: [Adjustment], customer: CustomerID, key: IdempotencyKey? = nil, source: LotSource = .admin,
    environment: StoreEnvironment = .production, expiresAt: Timestamp? = nil,
    details: CommandDetails = CommandDetails()
  ) -> Self {
    let adjust = AdjustCommand(
      adjustments: amounts, source: source, environment: environment, expiresAt: expiresAt, createsCustomer: true,
      isOpening: true)
    return Self(adjust, customer: customer, key: key, details: details)
  }
}

extension Ledger {
  /// Takes currency, all of it or none: soonest expiry first, then free before paid, then oldest.
  ///
  /// - Parameters:
  ///   - amounts: 1 to 100 positive amounts, each currency once.
  ///   - customer: Must exist.
  ///   - key: Send the same one with every retry.
  ///   - conditions: Must hold, or nothing is booked.
  /// - Returns: The entries with the balances after them, and the amounts taken from each lot.
  /// - Throws: ``LedgerError`` with, in order of precedence, `invalid_request`, `limit_exceeded`,
  ///   `amount_out_of_range`, `customer_not_found`, `key_conflict`, `unknown_currency`, `condition_failed`,
  ///   `customer_frozen`, `not_available`, `insufficient_balance`.
  @discardableResult
  public func spend(
    _ amounts: [Adjustment], customer: CustomerID, key: IdempotencyKey? = nil, conditions: [Condition] = []
  ) throws(LedgerError) -> Booking {
    try book(.spend(amounts, customer: customer, key: key, details: CommandDetails(conditions: conditions)))
  }

  /// Changes balances by signed amounts, all or none.
  ///
  /// - Parameters:
  ///   - adjustments: 1 to 100, each currency once.
  ///   - customer: Must exist.
  ///   - key: Send the same one with every retry.
  ///   - conditions: Must hold, or nothing is booked.
  /// - Returns: The entries with the balances after them.
  /// - Throws: ``LedgerError`` as ``spend(_:customer:key:conditions:)``, and last `over_maximum`.
  @discardableResult
  public func adjust(
    _ adjustments: [Adjustment], customer: CustomerID, key: IdempotencyKey? = nil, conditions: [Condition] = []
  ) throws(LedgerError) -> Booking {
    try book(.adjust(adjustments, customer: customer, key: key, details: CommandDetails(conditions: conditions)))
  }

  /// Grants currency; makes the customer if need be.
  ///
  /// - Parameters:
  ///   - amounts: 1 to 100 positive amounts, each currency once.
  ///   - customer: Need not exist.
  ///   - key: Send the same one with every retry.
  ///   - source: The kind of lots it makes; not `paid`, which only a purchase makes.
  ///   - expiresAt: The instant from which the currency is worth nothing; nil for never.
  ///   - reason: Why, for readers of the history.
  /// - Returns: The entries with the balances after them.
  /// - Throws: ``LedgerError`` with, in order of precedence, `invalid_request`, `limit_exceeded`,
  ///   `amount_out_of_range`, `key_conflict`, `invalid_request` for an expiry that is past, `unknown_currency`,
  ///   `over_maximum`.
  @discardableResult
  public func grant(
    _ amounts: [Adjustment], customer: CustomerID, key: IdempotencyKey? = nil, source: LotSource = .admin,
    expiresAt: Timestamp? = nil, reason: Reason? = nil
  ) throws(LedgerError) -> Booking {
    try book(
      .grant(
        amounts, customer: customer, key: key, source: source, expiresAt: expiresAt,
        details: CommandDetails(reason: reason)))
  }
}
