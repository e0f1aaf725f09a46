/// Finds a hold for the commands on it, while it is open.
enum OpenHolds {
  /// Finds the hold, and decides under the key of the hold's owner, while the hold is open.
  ///
  /// - Throws: in order of precedence `hold_not_found`, `key_conflict`, `hold_ended`.
  static func decide(
    _ decider: inout Decider, _ command: LedgerCommand.Body, on id: HoldID,
    body: (inout Decider, HoldRow, FoundCustomer) throws(LedgerError) -> Booking
  ) throws(LedgerError) -> Booking {
    let (hold, owner, whose) = try find(decider.books, id)
    var booking = try KeyReplay.idempotently(&decider, command, customer: owner) {
      (decider: inout Decider) throws(LedgerError) -> Booking in
      guard let hold else {
        throw .holdEnded(id)
      }
      decider.books.plans.removeAll(keepingCapacity: true)
      guard hold.deadline > decider.books.work.now else {
        // The end of the hold stays booked although the command is refused.
        try decider.books.lapse(hold, owner: owner)
        throw .holdEnded(id)
      }
      if decider.books.definitions.hasPolicies { try bookDueEffects(&decider.books, of: hold, owner: owner) }
      return try body(&decider, hold, owner)
    }
    booking.customer = whose
    return booking
  }

  /// Finds the hold, nil if it has ended, and its owner: by the hold's row, else by the transaction that began it.
  ///
  /// - Throws: `hold_not_found`.
  private static func find(_ books: borrowing Bookkeeper, _ id: HoldID) throws(LedgerError) -> (
    hold: HoldRow?, owner: FoundCustomer, id: CustomerID
  ) {
    if let number = books.definitions.transactionIDs.number(of: id.transactionID),
      let hold = try books.work.holds.hold(number, ofAny: []), let begunAt = hold.begunAt,
      books.definitions.transactionIDs.id(number: number, createdAt: begunAt) == id.transactionID
    {
      let customer = try books.work.customers.known(hold.customer)
      if customer.mergedInto == 0, !customer.isErased(salt: books.definitions.transactionIDs.salt) {
        return (hold, FoundCustomer(customer, original: customer.number), customer.id)
      }
    }
    guard let (row, owner, whose) = try JournalLookup.booked(books, id.transactionID),
      row.kind == .hold
    else {
      throw .holdNotFound(id)
    }
    let owners = try books.work.customers.numbers(of: owner)
    return (try books.work.holds.hold(row.number, ofAny: owners), owner, whose)
  }

  /// Books the due effects of the hold's accounts before the command is decided.
  private static func bookDueEffects(
    _ books: inout Bookkeeper, of hold: HoldRow, owner: FoundCustomer
  ) throws(LedgerError) {
    for slot in try HeldCurrency.slots(
      &books.work, of: try HeldCurrency.outstanding(books.work, of: hold, owner: owner))
    {
      guard let currency = books.definitions.currency(number: books.work.accounts[slot].row.number.currency),
        books.work.isDue(slot, currency)
      else {
        continue
      }
      try books.bookDueEffects(slot, currency, customer: owner)
    }
  }
}
