/// Lets a hold last longer.
struct ExtendHoldCommand: Command {
  let id: HoldID
  let milliseconds: Int64

  var action: LedgerCommand.Action { .extendHold(self) }

  static let keyFields = KeyFields([("hold", 12), ("duration", 12)], rest: "hold")
  var asked: Int64 {
    Fingerprint.asked(
      .extend, [Fingerprint.digest(of: id.transactionID), Fingerprint.digest(of: milliseconds)], in: Self.keyFields)
  }
  var namedCustomers: NamedCustomers { .none }
  func footprint(besides customer: CustomerID) -> LedgerCommand.Footprint? {
    LedgerCommand.Footprint(transaction: id.transactionID, subject: .holding)
  }
  // It names a hold from before its list was made, and goes to the lane of that customer.
  var independence: Independence { .ofOtherCustomers }

  /// - Throws: in order of precedence `amount_out_of_range`, `hold_not_found`, `key_conflict`, `hold_ended`,
  ///   `limit_exceeded`.
  func decide(_ decider: inout Decider, _ command: LedgerCommand.Body) throws(LedgerError) -> Booking {
    try HoldRules.check(milliseconds: milliseconds)
    return try OpenHolds.decide(&decider, command, on: id) {
      (decider: inout Decider, hold: HoldRow, owner: FoundCustomer) throws(LedgerError) -> Booking in
      var hold = hold
      hold.deadline = try HoldRules.deadline(
        of: hold, begunAt: HeldCurrency.begun(decider.books.work, hold), now: decider.books.work.now,
        milliseconds: milliseconds)
      let parts = try HeldCurrency.outstanding(decider.books.work, of: hold, owner: owner)
      let number = decider.books.beginTransaction(.extend, command: command, customer: owner)
      decider.books.work.addHoldDeadline(of: hold, in: number)
      decider.books.work.holds.set(hold)
      var booking = decider.books.bookingWithoutEntries(.extend, number, of: command.customer)
      booking.extras = BookingExtras(hold: HeldCurrency.booking(&decider.books, id, hold, parts, slots: []))
      return booking
    }
  }
}

extension LedgerCommand {
  /// Extends a hold until `duration` from now, if that is later than its deadline; at most ``Limits/holdDuration``
  /// from its beginning.
  public static func extend(
    _ hold: HoldID, for duration: Duration, key: IdempotencyKey? = nil, details: CommandDetails = CommandDetails()
  ) -> Self {
    Self(
      ExtendHoldCommand(id: hold, milliseconds: duration.wholeMilliseconds),
      customer: CustomerID(ofNobody: hold.transactionID), key: key, details: details)
  }
}

extension Ledger {
  /// Lets a hold last until `duration` from now, if that is later than it would end.
  ///
  /// - Throws: ``LedgerError`` with, in order of precedence, `amount_out_of_range`, `hold_not_found`, `key_conflict`,
  ///   `hold_ended`, `limit_exceeded` past ``Limits/holdDuration`` from its beginning.
  @discardableResult
  public func extend(
    _ hold: HoldID, for duration: Duration, key: IdempotencyKey? = nil
  ) throws(LedgerError) -> Booking {
    try book(.extend(hold, for: duration, key: key))
  }
}
