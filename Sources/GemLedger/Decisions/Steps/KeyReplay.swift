/// Answers a key that was used before with its first answer, and keeps the answers of new keys.
enum KeyReplay {
  /// Decides a command idempotently: looks up its key, and decides only if the key is new.
  ///
  /// A kept refusal is stored under the key, unless the command would have made the customer: then there is no customer
  /// to store it for.
  static func idempotently(
    _ decider: inout Decider, _ command: LedgerCommand.Body, customer: FoundCustomer, isNew: Bool = false,
    decide: (inout Decider) throws(LedgerError) -> Booking
  ) throws(LedgerError) -> Booking {
    guard let key = command.key else { return try decide(&decider) }
    if let row = try earlier(&decider.books.work, key, command: command, customer: customer) {
      return try answer(decider.books, row, under: key, command: command)
    }
    do throws(LedgerError) {
      let booking = try decide(&decider)
      decider.books.work.keys.keep(decider.books.booked, under: key, of: command, customer.number)
      return booking
    } catch {
      if error.code.isKept, !isNew {
        decider.books.work.keys.keep(
          error, after: decider.books.work.journal.end, under: key, of: command, customer.number)
      }
      throw error
    }
  }

  /// Finds the earlier use of the key, by this group or before it.
  ///
  /// It changes nothing. A borrowed unit of work would be copied to the stack, which every command would pay for.
  @inline(__always)
  static func earlier(
    _ work: inout UnitOfWork, _ key: IdempotencyKey, command: LedgerCommand.Body, customer: FoundCustomer
  ) throws(LedgerError) -> KeyRow? {
    if customer.isOneOfSeveral {
      return try earlier(&work, underAnyNumberOf: customer, key, command: command)
    }
    return try work.keys.earlier(key, of: command, by: customer.number)
  }

  /// Finds the earlier use of a key by a merged customer: under the named id first, then under the others, and then
  /// before unmerges.
  ///
  /// Several customers may have used the key before they were merged: then the use with an equal request matches.
  static func earlier(
    _ work: inout UnitOfWork, underAnyNumberOf customer: FoundCustomer, _ key: IdempotencyKey,
    command: LedgerCommand.Body
  ) throws(LedgerError) -> KeyRow? {
    let numbers = try work.customers.numbers(of: customer.number)
    let others = numbers.filter { $0 != customer.original }
    let known = try ([customer.original] + others).gather { (number) throws(LedgerError) in
      try work.keys.earlier(key, of: command, by: number)
    }
    // The customer's use of the key takes precedence over other customers' uses.
    let found = known[0].map { [$0] } ?? known.compactMap(\.self)
    if let same = found.first(where: { $0.fingerprint == command.fingerprint }) { return same }
    return try earlier(&work, beforeUnmergesOf: customer, key, command: command) ?? found.first
  }

  /// Finds an equal request among those that former survivors answered before an unmerge split the customer off.
  ///
  /// Other requests of the survivor have different content, or are later.
  private static func earlier(
    _ work: inout UnitOfWork, beforeUnmergesOf customer: FoundCustomer, _ key: IdempotencyKey,
    command: LedgerCommand.Body
  ) throws(LedgerError) -> KeyRow? {
    let survivors = try work.customers.formerSurvivors(of: customer)
    let known = try survivors.gather { (survivor) throws(LedgerError) in
      try work.keys.earlier(key, of: command, by: survivor.number)
    }
    for case (let survivor, let row?) in zip(survivors, known)
    where row.isOlder(than: survivor.until) && row.fingerprint == command.fingerprint {
      return row
    }
    return nil
  }

  static func answer(
    _ books: borrowing Bookkeeper, _ row: KeyRow, under key: IdempotencyKey, command: LedgerCommand.Body
  ) throws(LedgerError) -> Booking {
    if let field = row.fingerprint.differingField(from: command) {
      throw try KeyConflict.error(books, field, row, under: key, command: command)
    }
    switch row.outcome {
    case .booked(let number):
      return try replay(books, number, of: row.customer, customer: command.customer)
    case .refused(let kept): throw KeyRules.replayed(kept.error)
    }
  }

  /// Returns the booking of an earlier transaction, of this group or before it.
  static func replay(
    _ books: borrowing Bookkeeper, _ number: TransactionNumber, of owner: CustomerNumber, customer: CustomerID
  ) throws(LedgerError) -> Booking {
    try replay(books, number, ofAny: [owner], customer: customer)
  }

  static func replay(
    _ books: borrowing Bookkeeper, _ number: TransactionNumber, ofAny owners: [CustomerNumber], customer: CustomerID
  ) throws(LedgerError) -> Booking {
    guard let parts = try books.work.parts(of: number, ofAny: owners) else {
      throw LedgerError(
        .storageDamaged,
        "The journal lacks transaction \(number), which a key, a purchase or a refund names; run verify.")
    }
    var booking = try parts.booking(customer: customer, definitions: books.definitions)
    if parts.row.kind.hasEvents {
      try AnswerCompletion.complete(books.work, &booking, of: parts.row, definitions: books.definitions)
    }
    booking.isReplayed = true
    return booking
  }
}
