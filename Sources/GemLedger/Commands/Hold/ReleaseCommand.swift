/// Gives back held currency.
struct ReleaseCommand: Command {
  let id: HoldID

  var action: LedgerCommand.Action { .release(self) }

  static let keyFields = KeyFields(rest: "hold")
  var asked: Int64 { Fingerprint.asked(.release, Fingerprint.digest(of: id.transactionID)) }
  var namedCustomers: NamedCustomers { .none }
  func footprint(besides customer: CustomerID) -> LedgerCommand.Footprint? {
    LedgerCommand.Footprint(transaction: id.transactionID, subject: .holding)
  }
  // It names a hold from before its list was made, and goes to the lane of that customer.
  var independence: Independence { .ofOtherCustomers }

  /// - Throws: in order of precedence `hold_not_found`, `key_conflict`, `hold_ended`.
  func decide(_ decider: inout Decider, _ command: LedgerCommand.Body) throws(LedgerError) -> Booking {
    try OpenHolds.decide(&decider, command, on: id) {
      (decider: inout Decider, hold: HoldRow, owner: FoundCustomer) throws(LedgerError) -> Booking in
      let parts = try HeldCurrency.outstanding(decider.books.work, of: hold, owner: owner)
      let number = decider.books.beginTransaction(.release, command: command, customer: owner)
      let slots = try HeldCurrency.slots(&decider.books.work, of: parts)
      var booking = decider.books.bookingWithoutEntries(.release, number, of: command.customer)
      var extras = BookingExtras()
      let returns = try decider.books.giveBack(parts, of: hold, in: number)
      decider.books.work.holds.end(hold)
      let lost = try decider.books.bookDueReturns(returns, after: number, owner: owner, &extras)
      booking.entries = CompactList(lost)
      extras.hold = HeldCurrency.booking(&decider.books, id, hold, [], slots: slots)
      booking.extras = extras
      return booking
    }
  }
}

extension LedgerCommand {
  /// Gives back the held amounts.
  public static func release(
    _ hold: HoldID, key: IdempotencyKey? = nil, details: CommandDetails = CommandDetails()
  ) -> Self {
    Self(
      ReleaseCommand(id: hold), customer: CustomerID(ofNobody: hold.transactionID), key: key, details: details)
  }
}

extension Ledger {
  /// Gives held currency back to the source lots.
  ///
  /// - Returns: ``Booking/expired`` has the amounts that returned too late, ``Booking/reclaimed`` those that went to a
  ///   refund meanwhile.
  /// - Throws: ``LedgerError`` with, in order of precedence, `hold_not_found`, `key_conflict`, `hold_ended`.
  @discardableResult
  public func release(_ hold: HoldID, key: IdempotencyKey? = nil) throws(LedgerError) -> Booking {
    try book(.release(hold, key: key))
  }
}
