/// Sets currency aside.
struct HoldCommand: Command {
  let amounts: [Adjustment]
  let milliseconds: Int64

  var action: LedgerCommand.Action { .hold(self) }

  static let keyFields = KeyFields([("adjustments", 12), ("duration", 12)], rest: "adjustments")
  var asked: Int64 {
    Fingerprint.asked(
      .hold, [Fingerprint.digest(of: amounts), Fingerprint.digest(of: milliseconds)], in: Self.keyFields)
  }
  var namedCustomers: NamedCustomers { .own }
  func footprint(besides customer: CustomerID) -> LedgerCommand.Footprint? { nil }
  var independence: Independence { .ofOtherCustomers }

  /// - Throws: in order of precedence `invalid_request`, `limit_exceeded`, `amount_out_of_range`, `customer_not_found`,
  ///   `key_conflict`, `unknown_currency`, `condition_failed`, `customer_frozen`, `not_available`,
  ///   `insufficient_balance`.
  func decide(_ decider: inout Decider, _ command: LedgerCommand.Body) throws(LedgerError) -> Booking {
    try HoldRules.check(amounts, milliseconds: milliseconds, conditions: command.conditions)
    guard let customer = try decider.books.work.customers.find(of: command) else {
      throw .customerNotFound(command.customer)
    }
    return try KeyReplay.idempotently(&decider, command, customer: customer) {
      (decider: inout Decider) throws(LedgerError) -> Booking in
      decider.books.plans.removeAll(keepingCapacity: true)
      for amount in amounts.count == 1 ? amounts : amounts.sorted(by: { $0.currency < $1.currency }) {
        try decider.books.plan(.hold, amount.currency, -amount.amount, customer: customer)
      }
      try decider.books.checkPlans(command, customer: customer)
      for index in decider.books.plans.indices { try decider.books.plans[index].burn(in: &decider.books.work.accounts) }
      return book(&decider, command, customer: customer)
    }
  }

  private func book(
    _ decider: inout Decider, _ command: LedgerCommand.Body, customer: FoundCustomer
  ) -> Booking {
    let number = decider.books.beginTransaction(.hold, command: command, customer: customer)
    var hold = HoldRow(
      number: number, customer: customer.number,
      deadline: decider.books.work.now.advanced(milliseconds: milliseconds), begunAt: decider.books.work.now)
    var parts: [HeldPart] = []
    for index in decider.books.plans.indices {
      let (slot, amount) = (decider.books.plans[index].slot, -decider.books.plans[index].amount)
      let account = decider.books.work.accounts[slot].row.number
      if decider.books.plans[index].isAllInPool {
        decider.books.work.accounts[slot].row.poolRemaining -= amount
        parts.append(HeldPart(account: account, lot: decider.books.work.accounts[slot].row.poolLot, amount: amount))
      } else {
        decider.books.work.accounts.apply(decider.books.plans[index].takes, to: slot, isReturn: false)
        for take in decider.books.plans[index].takes {
          parts.append(HeldPart(account: account, lot: take.lot, amount: -take.amount))
        }
      }
      for part in parts where part.account == account {
        decider.books.work.accounts.setAside(part.amount, slot: slot)
        decider.books.work.addHoldEvent(
          .held, of: part, hold: hold.number, in: number, slot: slot, value: hold.deadline.milliseconds)
      }
      decider.books.work.accounts[slot].row.nextDue = min(
        decider.books.work.accounts[slot].row.nextDue, hold.deadline.milliseconds)
    }
    hold.sole = HeldPart.sole(parts)
    decider.books.work.holds.set(hold)
    var booking = decider.books.bookingWithoutEntries(.hold, number, of: command.customer)
    if let id = booking.transactionID {
      booking.extras = BookingExtras(
        hold: HeldCurrency.booking(&decider.books, HoldID(id), hold, parts, slots: decider.books.plans.map(\.slot)))
    }
    return booking
  }
}

extension LedgerCommand {
  /// How long a hold lasts by default: a quarter of an hour.
  public static let holdDuration = Duration.seconds(900)

  /// Sets currency aside: it stays in the balance and is not available.
  ///
  /// - Parameters:
  ///   - amounts: 1 to 100 positive amounts, each currency once.
  ///   - customer: Must exist.
  ///   - duration: How long; after that it is released by itself. At most ``Limits/holdDuration``.
  ///   - key: Send the same one with every retry.
  ///   - details: Conditions, reference, reason and actor.
  public static func hold(
    _ amounts: [Adjustment], customer: CustomerID, for duration: Duration = holdDuration, key: IdempotencyKey? = nil,
    details: CommandDetails = CommandDetails()
  ) -> Self {
    Self(
      HoldCommand(amounts: amounts, milliseconds: duration.wholeMilliseconds), customer: customer, key: key,
      details: details)
  }

  /// Sets currency aside, with amounts, id and key as texts.
  ///
  /// - Throws: ``LedgerError`` with `invalid_identifier`.
  public static func hold(
    _ amounts: AmountsByCode, customer: String, for duration: Duration = holdDuration, key: String? = nil,
    details: CommandDetails = CommandDetails()
  ) throws(LedgerError) -> Self {
    let amounts = try amounts.checked()
    return .hold(amounts, customer: try CustomerID(customer), for: duration, key: try checked(key), details: details)
  }
}

extension Ledger {
  /// Sets currency aside: it stays in the balance, and nothing else can spend it.
  ///
  /// A hold names its lots, keeps those alive that would expire meanwhile, and ends exactly once: captured, released,
  /// or past its deadline. To give something for currency without ever having to pay it back: hold, give, then capture.
  /// If giving fails, release, or do nothing and let the deadline do it.
  ///
  /// - Parameters:
  ///   - amounts: 1 to 100 positive amounts, each currency once.
  ///   - customer: Must exist.
  ///   - duration: 1 second to ``Limits/holdDuration``.
  ///   - key: Send the same one with every retry.
  /// - Returns: ``Booking/hold`` names the hold and the amounts available now.
  /// - Throws: ``LedgerError`` with, in order of precedence, `invalid_request`, `limit_exceeded`,
  ///   `amount_out_of_range`, `customer_not_found`, `key_conflict`, `unknown_currency`, `customer_frozen`,
  ///   `not_available`, `insufficient_balance`.
  @discardableResult
  public func hold(
    _ amounts: [Adjustment], customer: CustomerID, for duration: Duration = LedgerCommand.holdDuration,
    key: IdempotencyKey? = nil
  ) throws(LedgerError) -> Booking {
    try book(.hold(amounts, customer: customer, for: duration, key: key))
  }
}
