/// Finds a hold for the commands on it, while it is open.
enum OpenHolds {
  /// Finds the hold, and decides under the key of the hold's owner, while the hold is open.
  ///
  /// - Throws: in order of precedence `hold_not_found`, `key_conflict`, `hold_ended`.
  static func decide(
    _ decider: inout Decider, _ command: LedgerCommand.Body, on id: HoldID, session: any StorageSnapshot,
    body: (inout Decider, HoldRow, FoundCustomer) throws(LedgerError) -> Booking
  ) throws(LedgerError) -> Booking {
    let (hold, owner, whose) = try find(&decider, id, session: session)
    var booking = try KeyReplay.idempotently(&decider, command, customer: owner, session: session) {
      (decider: inout Decider) throws(LedgerError) -> Booking in
      guard let hold else {
        throw .holdEnded(id)
      }
      decider.plans.removeAll(keepingCapacity: true)
      guard hold.deadline > decider.work.now else {
        // The end of the hold stays booked although the command is refused.
        try HeldCurrency.lapse(&decider, hold, owner: owner, session: session)
        throw .holdEnded(id)
      }
      if decider.definitions.hasPolicies { try bookDueEffects(&decider, of: hold, owner: owner, session: session) }
      return try body(&decider, hold, owner)
    }
    booking.customer = whose
    return booking
  }

  /// Finds the hold, nil if it has ended, and its owner: by the hold's row, else by the transaction that began it.
  ///
  /// - Throws: `hold_not_found`.
  private static func find(
    _ decider: inout Decider, _ id: HoldID, session: any StorageSnapshot
  ) throws(LedgerError) -> (hold: HoldRow?, owner: FoundCustomer, id: CustomerID) {
    if let number = decider.definitions.transactionIDs.number(of: id.transactionID),
      let hold = try decider.work.hold(number, ofAny: [], session: session), let begunAt = hold.begunAt,
      decider.definitions.transactionIDs.id(number: number, createdAt: begunAt) == id.transactionID
    {
      let customer = try decider.work.knownCustomer(hold.customer, session: session)
      if customer.mergedInto == 0, !customer.isErased(salt: decider.definitions.transactionIDs.salt) {
        return (hold, FoundCustomer(customer, original: customer.number), customer.id)
      }
    }
    guard let (row, owner, whose) = try JournalLookup.booked(&decider, id.transactionID, session: session),
      row.kind == .hold
    else {
      throw .holdNotFound(id)
    }
    let owners = try decider.work.numbers(of: owner, session: session)
    return (try decider.work.hold(row.number, ofAny: owners, session: session), owner, whose)
  }

  /// Books the due effects of the hold's accounts before the command is decided.
  private static func bookDueEffects(
    _ decider: inout Decider, of hold: HoldRow, owner: FoundCustomer, session: any StorageSnapshot
  ) throws(LedgerError) {
    for slot in try HeldCurrency.slots(
      &decider.work, of: try HeldCurrency.outstanding(&decider.work, of: hold, owner: owner, session: session),
      session: session)
    {
      guard let currency = decider.definitions.currency(number: decider.work.accounts[slot].row.number.currency),
        ScheduledEffects.isDue(&decider.work, slot, currency)
      else {
        continue
      }
      try ScheduledEffects.bookDueEffects(&decider, slot, currency, customer: owner, session: session)
    }
  }
}
