/// Spends held currency.
final class CaptureCommand: Command {
  let hold: HoldID
  /// Nil for all that is left.
  let amounts: [Adjustment]?
  let keepsOpen: Bool

  init(hold: HoldID, amounts: [Adjustment]?, keepsOpen: Bool) {
    self.hold = hold
    self.amounts = amounts
    self.keepsOpen = keepsOpen
  }

  var action: LedgerCommand.Action { .capture(self) }

  static let keyFields = KeyFields([("hold", 11), ("adjustments", 12), ("keep_open", 1)], rest: "adjustments")
  var asked: Int64 {
    Fingerprint.asked(
      .capture,
      [Fingerprint.digest(of: hold.transactionID), Fingerprint.digest(of: amounts), keepsOpen ? 1 : 0],
      in: Self.keyFields)
  }
  var namedCustomers: NamedCustomers { .none }
  func footprint(besides customer: CustomerID) -> LedgerCommand.Footprint? {
    LedgerCommand.Footprint(transaction: hold.transactionID, subject: .holding)
  }
  // It names a hold from before its list was made, and goes to the lane of that customer.
  var independence: Independence { .ofOtherCustomers }

  /// - Throws: in order of precedence `invalid_request`, `limit_exceeded`, `amount_out_of_range`, `hold_not_found`,
  ///   `key_conflict`, `hold_ended`, `unknown_currency`, `exceeds_hold`, `condition_failed`.
  func decide(_ decider: inout Decider, _ command: LedgerCommand.Body) throws(LedgerError) -> Booking {
    if let amounts {
      try RequestRules.check(amounts: amounts, conditions: command.conditions, of: "capture")
    }
    return try OpenHolds.decide(&decider, command, on: hold) {
      (decider: inout Decider, hold: HoldRow, owner: FoundCustomer) throws(LedgerError) -> Booking in
      try book(&decider, of: hold, command: command, owner: owner)
    }
  }

  private func book(
    _ decider: inout Decider, of row: HoldRow, command: LedgerCommand.Body, owner: FoundCustomer
  ) throws(LedgerError) -> Booking {
    let parts = try HeldCurrency.outstanding(decider.books.work, of: row, owner: owner)
    let wanted = try HoldRules.wanted(amounts, of: parts, definitions: decider.books.definitions)
    let (captured, left) = HoldRules.split(parts, wanted: wanted)
    try Self.planHeld(&decider.books, captured, command: command, owner: owner)
    let number = decider.books.beginTransaction(.capture, command: command, customer: owner)
    var entries: [PostedEntry] = []
    for index in decider.books.plans.indices {
      let slot = decider.books.plans[index].slot
      var takes: [LotTake] = []
      for part in captured where part.account == decider.books.work.accounts[slot].row.number {
        decider.books.work.accounts.setAside(-part.amount, slot: slot)
        decider.books.work.addHoldEvent(.captured, of: part, hold: row.number, in: number, slot: slot)
        let source = try LotPlacement.source(decider.books.work, of: part.lot, slot: slot, owner: owner)
        takes.append(LotTake(lotSlot: .pool, lot: part.lot, source: source, amount: -part.amount))
      }
      let entry = decider.books.work.journal.sequences.drawEntry()
      let (lot, allocations) = decider.books.work.journal.allocate(takes, to: entry, isWhole: true)
      entries.append(
        decider.books.record(
          entry, of: number, .spend, slot, decider.books.plans[index].currency.code,
          amount: decider.books.plans[index].amount, debtChange: 0,
          lot: lot, allocations: allocations))
    }
    decider.books.work.journal.listNewestAsWithEntries()
    var extras = BookingExtras()
    if !keepsOpen || left.isEmpty {
      let slots = try HeldCurrency.slots(&decider.books.work, of: parts)
      let returns = try decider.books.giveBack(left, of: row, in: number)
      decider.books.work.holds.end(row)
      entries += try decider.books.bookDueReturns(returns, after: number, owner: owner, &extras)
      extras.hold = HeldCurrency.booking(&decider.books, hold, row, [], slots: slots)
    } else {
      var row = row
      row.sole = HeldPart.sole(left)
      decider.books.work.holds.set(row)
      extras.hold = HeldCurrency.booking(&decider.books, hold, row, left, slots: decider.books.plans.map(\.slot))
    }
    var booking = decider.books.bookingWithoutEntries(.capture, number, of: command.customer)
    booking.entries = CompactList(entries)
    booking.extras = extras
    return booking
  }

  /// Opens a plan for each currency of the parts, with its due expiries.
  ///
  /// - Throws: `condition_failed`.
  private static func planHeld(
    _ books: inout Bookkeeper, _ parts: [HeldPart], command: LedgerCommand.Body, owner: FoundCustomer
  ) throws(LedgerError) {
    books.plans.removeAll(keepingCapacity: true)
    var amounts: [CurrencyAmount] = []
    for part in parts {
      guard let code = books.definitions.currency(number: part.account.currency)?.code else {
        throw .lacksCurrency(part.account.currency)
      }
      amounts.append(CurrencyAmount(currency: code, amount: part.amount))
    }
    for amount in CurrencySums.sum([], amounts) {
      try books.plan(.spend, amount.currency, -amount.amount, customer: owner)
    }
    for plan in books.plans {
      try AccountRules.check(command.conditions, plan: plan, account: books.work.accounts[plan.slot].row)
    }
  }
}

extension LedgerCommand {
  /// Spends held currency.
  ///
  /// - Parameters:
  ///   - hold: Must be open.
  ///   - amounts: How much of each currency, positive, at most the held amount; nil for all.
  ///   - keepsOpen: Whether the rest stays on hold for further captures; otherwise it is released.
  ///   - key: Send the same one with every retry.
  ///   - details: Conditions, reference, reason and actor.
  public static func capture(
    _ hold: HoldID, amounts: [Adjustment]? = nil, keepsOpen: Bool = false, key: IdempotencyKey? = nil,
    details: CommandDetails = CommandDetails()
  ) -> Self {
    Self(
      CaptureCommand(hold: hold, amounts: amounts, keepsOpen: keepsOpen),
      customer: CustomerID(ofNobody: hold.transactionID), key: key, details: details)
  }
}

extension Ledger {
  /// Spends held currency, also if the customer was frozen or the lots expired meanwhile.
  ///
  /// - Parameters:
  ///   - hold: Must be open.
  ///   - amounts: How much of each currency, at most the held amount; nil for all.
  ///   - keepsOpen: Whether the rest stays on hold for further captures; otherwise it is released.
  ///   - key: Send the same one with every retry.
  /// - Throws: ``LedgerError`` with, in order of precedence, `invalid_request`, `limit_exceeded`,
  ///   `amount_out_of_range`, `hold_not_found`, `key_conflict`, `hold_ended`, `unknown_currency`, `exceeds_hold`.
  @discardableResult
  public func capture(
    _ hold: HoldID, amounts: [Adjustment]? = nil, keepsOpen: Bool = false, key: IdempotencyKey? = nil
  ) throws(LedgerError) -> Booking {
    try book(.capture(hold, amounts: amounts, keepsOpen: keepsOpen, key: key))
  }
}
