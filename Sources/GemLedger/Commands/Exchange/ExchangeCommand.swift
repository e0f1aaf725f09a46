/// Changes currency into another one of the same customer.
final class ExchangeCommand: Command {
  let from: Adjustment
  let into: CurrencyCode
  let rate: ExchangeRate

  init(from: Adjustment, into: CurrencyCode, rate: ExchangeRate) {
    self.from = from
    self.into = into
    self.rate = rate
  }

  var action: LedgerCommand.Action { .exchange(self) }

  static let keyFields = KeyFields([("from", 8), ("into", 8), ("rate", 8)], rest: "from")
  var asked: Int64 {
    Fingerprint.asked(
      .exchange,
      [Fingerprint.digest(of: from), Fingerprint.digest(of: into.stableNumber), Fingerprint.digest(of: rate)],
      in: Self.keyFields)
  }
  var namedCustomers: NamedCustomers { .own }
  func footprint(besides customer: CustomerID) -> LedgerCommand.Footprint? { nil }
  var independence: Independence { .ofOtherCustomers }

  /// - Throws: in order of precedence `invalid_request`, `limit_exceeded`, `amount_out_of_range`, `customer_not_found`,
  ///   `key_conflict`, `unknown_currency`, `rounds_to_zero`, `amount_out_of_range` (the received amount),
  ///   `condition_failed`, `customer_frozen`, `not_available`, `insufficient_balance`, `over_maximum`.
  func decide(_ decider: inout Decider, _ command: LedgerCommand.Body) throws(LedgerError) -> Booking {
    try check(conditions: command.conditions)
    guard let customer = try decider.books.work.customers.find(of: command) else {
      throw .customerNotFound(command.customer)
    }
    return try KeyReplay.idempotently(&decider, command, customer: customer) {
      (decider: inout Decider) throws(LedgerError) -> Booking in
      decider.books.plans.removeAll(keepingCapacity: true)
      try decider.books.plan(.exchange, from.currency, -from.amount, customer: customer)
      try decider.books.plan(.exchange, into, 0, customer: customer)
      decider.books.plans[1].amount = try ExchangeRules.received(for: from.amount, at: rate)
      try decider.books.checkPlans(command, customer: customer)
      try decider.books.plans[0].burn(in: &decider.books.work.accounts)
      try Self.planExchanged(&decider, 0, into: 1)
      decider.books.plans.sort { $0.currency.code < $1.currency.code }
      var booking = try decider.books.book(.exchange, command: command, customer: customer)
      var extras = BookingExtras()
      let taken = try decider.books.reclaimLineage(after: decider.books.booked, owner: customer, &extras)
      guard !taken.isEmpty else { return booking }
      booking.entries = CompactList(Array(booking.entries) + taken)
      booking.extras = extras
      return booking
    }
  }

  /// Makes the lots that an exchange gives, from the lots that it takes.
  private static func planExchanged(_ decider: inout Decider, _ given: Int, into got: Int) throws(LedgerError) {
    decider.books.plans[given].namePool(in: decider.books.work.accounts)
    var credits = try LotLineage.credits(
      decider.books.work, of: -decider.books.plans[given].amount, behind: 0, in: decider.books.plans[given])
    let shares = ExchangeRules.shares(of: decider.books.plans[got].amount, over: credits.map(\.amount))
    for (index, share) in shares.enumerated() { credits[index].amount = share }
    credits.removeAll { $0.amount == 0 }
    if credits.count == 1 {
      decider.books.plans[got].put(credits[0], in: decider.books.work.accounts)
    } else {
      decider.books.plans[got].credits = credits
    }
  }

  // MARK: Rules

  /// - Throws: in order of precedence `invalid_request`, `limit_exceeded`, `amount_out_of_range`.
  func check(conditions: [Condition]) throws(LedgerError) {
    guard from.currency != into else {
      throw .invalid("\(into) cannot be exchanged into itself.")
    }
    try RequestRules.check(conditions, cover: [from, Adjustment(into, 1)])
    try RequestRules.check(from, of: "exchange")
  }
}

/// The received amounts of an exchange; pure.
enum ExchangeRules {
  /// Returns the amount of the other currency that the amount buys.
  ///
  /// - Throws: in order of precedence `amount_out_of_range` (the amount, or a part of the rate, or the result),
  ///   `rounds_to_zero`.
  static func received(for amount: Int64, at rate: ExchangeRate) throws(LedgerError) -> Int64 {
    try check(amount, "An exchange of \(amount)")
    try check(rate.numerator, "The rate \(rate)")
    try check(rate.denominator, "The rate \(rate)")
    // Three factors of at most 2^53, one of them 2: far within 128 bits.
    let (product, divisor) = (Int128(amount) * Int128(rate.numerator), Int128(rate.denominator))
    let received =
      switch rate.rounding.kind {
      case .down: product / divisor
      case .nearest: (2 * product + divisor) / (2 * divisor)
      case .up: (product + divisor - 1) / divisor
      }
    guard received <= Limits.amount else {
      throw RequestRules.outOfRange(
        "\(amount) at the rate \(rate) is more than \(Limits.amount). Nothing was changed.", amount)
    }
    guard received > 0 else {
      throw LedgerError(
        .roundsToZero,
        "\(amount) at the rate \(rate) is less than 1, which rounds to zero. Exchange at least "
          + "\(least(at: rate)). Nothing was changed.",
        details: [
          .integer("amount", amount), .integer("numerator", rate.numerator),
          .integer("denominator", rate.denominator),
        ])
    }
    return Int64(received)
  }

  /// Splits the received amount over the given parts, in proportion; the rounding rest of one part goes to the next.
  static func shares(of received: Int64, over given: [Int64]) -> [Int64] {
    let whole = given.reduce(Int128(0)) { $0 + Int128($1) }
    var (before, sum) = (Int64(0), Int128(0))
    return given.map { part in
      sum += Int128(part)
      let after = Int64(Int128(received) * sum / whole)
      defer { before = after }
      return after - before
    }
  }

  /// The smallest amount that buys a unit.
  private static func least(at rate: ExchangeRate) -> Int64 {
    let (numerator, denominator) = (rate.numerator, rate.denominator)
    // Rounded up, without a sum that could overflow; with the rounding mode `up`, every amount buys a unit.
    let whole = denominator / numerator + (denominator % numerator == 0 ? 0 : 1)
    guard rate.rounding == .nearest else { return whole }
    return denominator / (2 * numerator) + (denominator % (2 * numerator) == 0 ? 0 : 1)
  }

  private static func check(_ number: Int64, _ what: String) throws(LedgerError) {
    guard (1...Limits.amount).contains(number) else {
      throw RequestRules.outOfRange("\(what) is out of range: 1 to \(Limits.amount).", number)
    }
  }
}

extension Fingerprint {
  fileprivate static func digest(of rate: ExchangeRate) -> UInt64 {
    var hash = StableHash()
    hash.combine(UInt64(bitPattern: rate.numerator))
    hash.combine(UInt64(bitPattern: rate.denominator))
    hash.combine(rate.rounding.description)
    return hash.value
  }
}

extension LedgerCommand {
  /// Changes currency into another one of the same customer.
  ///
  /// - Parameters:
  ///   - amount: The given amount, positive.
  ///   - into: The currency that the customer gets for it.
  ///   - rate: How much of the new for how much of the old, and the rounding of fractions.
  ///   - customer: Must exist.
  ///   - key: Send the same one with every retry.
  ///   - details: Conditions, reference, reason and actor.
  public static func exchange(
    _ amount: Adjustment, into: CurrencyCode, rate: ExchangeRate, customer: CustomerID, key: IdempotencyKey? = nil,
    details: CommandDetails = CommandDetails()
  ) -> Self {
    Self(
      ExchangeCommand(from: amount, into: into, rate: rate), customer: customer, key: key, details: details)
  }
}

extension Ledger {
  /// Changes currency into another one of the same customer.
  ///
  /// The new currency keeps source, environment, expiry and share of the price of the source lots. Currency
  /// of a purchase of the customer that was refunded since goes to the refund's shortfall
  /// (``Booking/reclaimed``).
  ///
  /// - Throws: ``LedgerError`` with, in order of precedence, `invalid_identifier`, `invalid_request`,
  ///   `amount_out_of_range`, `customer_not_found`, `key_conflict`, `unknown_currency`, `rounds_to_zero`,
  ///   `amount_out_of_range` (the new amount), `customer_frozen`, `not_available`, `insufficient_balance`,
  ///   `over_maximum`.
  @discardableResult
  public func exchange(
    _ amount: Adjustment, into currency: CurrencyCode, rate: ExchangeRate, customer: CustomerID,
    key: IdempotencyKey? = nil
  ) throws(LedgerError) -> Booking {
    try book(.exchange(amount, into: currency, rate: rate, customer: customer, key: key))
  }
}
