/// Finds a hold for the commands on it, while it is open.
enum OpenHolds {
  /// Finds the hold, and decides under the key of the hold's owner, while the hold is open.
  ///
  /// - Throws: in order of precedence `hold_not_found`, `key_conflict`, `hold_ended`.
  static func decide(
    _ decider: inout Decider, _ command: LedgerCommand.Body, on id: HoldID,
    body: (inout Decider, HoldRow, FoundCustomer) throws(LedgerError) -> Booking
  ) throws(LedgerError) -> Booking {
    let (hold, owner, whose) = try find(decider, id)
    var booking = try KeyReplay.idempotently(&decider, command, customer: owner) {
      (decider: inout Decider) throws(LedgerError) -> Booking in
      guard let hold else {
        throw .holdEnded(id)
      }
      decider.plans.removeAll(keepingCapacity: true)
      guard hold.deadline > decider.work.now else {
        // The end of the hold stays booked although the command is refused.
        try HeldCurrency.lapse(&decider, hold, owner: owner)
        throw .holdEnded(id)
      }
      if decider.definitions.hasPolicies { try bookDueEffects(&decider, of: hold, owner: owner) }
      return try body(&decider, hold, owner)
    }
    booking.customer = whose
    return booking
  }

  /// Finds the hold, nil if it has ended, and its owner: by the hold's row, else by the transaction that began it.
  ///
  /// - Throws: `hold_not_found`.
  private static func find(_ decider: borrowing Decider, _ id: HoldID) throws(LedgerError) -> (
    hold: HoldRow?, owner: FoundCustomer, id: CustomerID
  ) {
    if let number = decider.definitions.transactionIDs.number(of: id.transactionID),
      let hold = try decider.work.holds.hold(number, ofAny: []), let begunAt = hold.begunAt,
      decider.definitions.transactionIDs.id(number: number, createdAt: begunAt) == id.transactionID
    {
      let customer = try decider.work.customers.known(hold.customer)
      if customer.mergedInto == 0, !customer.isErased(salt: decider.definitions.transactionIDs.salt) {
        return (hold, FoundCustomer(customer, original: customer.number), customer.id)
      }
    }
    guard let (row, owner, whose) = try JournalLookup.booked(decider, id.transactionID),
      row.kind == .hold
    else {
      throw .holdNotFound(id)
    }
    let owners = try decider.work.customers.numbers(of: owner)
    return (try decider.work.holds.hold(row.number, ofAny: owners), owner, whose)
  }

  /// Books the due effects of the hold's accounts before the command is decided.
  private static func bookDueEffects(
    _ decider: inout Decider, of hold: HoldRow, owner: FoundCustomer
  ) throws(LedgerError) {
    for slot in try HeldCurrency.slots(
      &decider.work, of: try HeldCurrency.outstanding(decider.work, of: hold, owner: owner))
    {
      guard let currency = decider.definitions.currency(number: decider.work.accounts[slot].row.number.currency),
        ScheduledEffects.isDue(decider.work, slot, currency)
      else {
        continue
      }
      try ScheduledEffects.bookDueEffects(&decider, slot, currency, customer: owner)
    }
  }
}
