/// Undoes a spend, a purchase of an item, or a capture: its currency goes back into the very lots it was taken from.
struct ReverseCommand: Command {
  let id: TransactionID
  /// Nil for all that is not undone yet.
  let amounts: [Adjustment]?

  var action: LedgerCommand.Action { .reverse(self) }

  static let keyFields = KeyFields([("transaction", 12), ("adjustments", 12)], rest: "adjustments")
  var asked: Int64 {
    Fingerprint.asked(
      .reverse, [Fingerprint.digest(of: id), Fingerprint.digest(of: amounts)], in: Self.keyFields)
  }
  var namedCustomers: NamedCustomers { .none }
  func footprint(besides customer: CustomerID) -> LedgerCommand.Footprint? {
    LedgerCommand.Footprint(transaction: id, subject: .booked)
  }
  // It names a transaction from before its list was made, and goes to the lane of that customer.
  var independence: Independence { .ofOtherCustomers }

  /// - Throws: in order of precedence `invalid_request`, `limit_exceeded`, `amount_out_of_range`,
  ///   `transaction_not_found`, `key_conflict`, `not_reversible`, `already_reversed`, `exceeds_original`,
  ///   `condition_failed`, `amount_out_of_range` (the returned amounts would pass the hard limit).
  func decide(_ decider: inout Decider, _ command: LedgerCommand.Body) throws(LedgerError) -> Booking {
    if let amounts { try RequestRules.check(amounts: amounts, conditions: command.conditions, of: "give back") }
    guard let (row, owner, whose) = try JournalLookup.booked(decider.books, id) else {
      throw LedgerError(.transactionNotFound, "There is no transaction \(id) in this ledger.")
    }
    var booking = try KeyReplay.idempotently(&decider, command, customer: owner) {
      (decider: inout Decider) throws(LedgerError) -> Booking in
      try reverse(&decider, row, command: command, owner: owner)
    }
    booking.customer = whose
    return booking
  }

  private func reverse(
    _ decider: inout Decider, _ row: TransactionRow, command: LedgerCommand.Body, owner: FoundCustomer
  ) throws(LedgerError) -> Booking {
    try ReversalRules.check(row.kind, of: id)
    let owners = try decider.books.work.customers.related(to: owner)
    let original = try Self.postings(decider.books.work, of: row)
    let taken = try Self.taken(decider.books, by: original, owners: owners)
    let returned = try ReversalRules.amounts(amounts, of: taken, id: id)
    let isLast = zip(taken, returned).allSatisfy { $0.left == $1 }
    let items = isLast ? try Self.itemsToTakeBack(decider.books.work, of: original, id, owner: owner) : []
    decider.books.plans.removeAll(keepingCapacity: true)
    for (taken, amount) in zip(taken, returned) where amount > 0 {
      try decider.books.plan(.reversal, taken.currency, amount, customer: owner)
    }
    try decider.books.checkPremises(command, customer: owner)
    for plan in decider.books.plans {
      _ = try PurchaseRules.balance(after: plan, account: decider.books.work.accounts[plan.slot].row)
    }
    // Done last, when nothing can refuse the command any more.
    for (index, (taken, amount)) in zip(taken, returned).filter({ $0.1 > 0 }).enumerated() {
      for (lot, part) in taken.returns(amount) {
        let take = try LotPlacement.placeReturn(
          &decider.books.work, part, to: lot, slot: decider.books.plans[index].slot)
        decider.books.plans[index].takes.append(take)
      }
    }
    return try Self.bookReversal(&decider, of: row, id, items, command: command, owner: owner)
  }

  private static func bookReversal(
    _ decider: inout Decider, of original: TransactionRow, _ id: TransactionID, _ items: [(ItemID, Int64)],
    command: LedgerCommand.Body, owner: FoundCustomer
  ) throws(LedgerError) -> Booking {
    var booking = try decider.books.book(.reversal, command: command, customer: owner)
    decider.books.work.journal.add(
      JournalEventRow(
        transaction: decider.books.booked, position: 0, customer: owner.number, kind: .reversal,
        target: original.number,
        createdAt: decider.books.work.now))
    try decider.books.work.add(items, to: owner, &booking)
    for (item, quantity) in items {
      try decider.books.work.uncount(
        item, -quantity, since: original.createdAt, owner, by: decider.books.booked)
    }
    if decider.books.definitions.hasPolicies {
      let countedAt = try countedAt(decider.books.work, original, owner: owner)
      for plan in decider.books.plans {
        try decider.books.uncount(plan.amount, since: countedAt, slot: plan.slot, by: decider.books.booked)
      }
    }
    booking.isOverMaximum = decider.books.plans.contains {
      decider.books.work.accounts[$0.slot].row.balance > $0.currency.maximumBalance
    }
    var extras = BookingExtras()
    extras.reversed = id
    let lost = try decider.books.bookDueReturns(
      returns(of: decider.books.plans), after: decider.books.booked, owner: owner, &extras)
    if !lost.isEmpty { booking.entries = CompactList(Array(booking.entries) + lost) }
    booking.extras = extras
    return booking
  }

  /// When the spend was counted; for a captured hold, when the hold began.
  private static func countedAt(
    _ work: borrowing UnitOfWork, _ original: TransactionRow, owner: FoundCustomer
  ) throws(LedgerError) -> Timestamp {
    guard original.kind == .capture else { return original.createdAt }
    let owners = try work.customers.related(to: owner)
    let events = try work.journal.events(of: original.number, ofAny: owners)
    guard let hold = events.first(where: { $0.kind == .captured })?.target else { return original.createdAt }
    return try work.journal.known(hold).createdAt
  }

  /// Sums the currency that stayed in the lots: the part that repaid a debt left them at once.
  private static func returns(of plans: [AccountPlan]) -> [ReturnedCurrency] {
    var returns: [ReturnedCurrency] = []
    for plan in plans {
      for take in plan.takes {
        if let index = returns.firstIndex(where: { $0.slot == plan.slot && $0.lot == take.lot }) {
          returns[index].amount += take.amount
        } else {
          returns.append(
            ReturnedCurrency(
              slot: plan.slot, lotSlot: take.lotSlot, lot: take.lot, source: take.source, amount: take.amount))
        }
      }
    }
    return returns
  }

  private static func postings(_ work: borrowing UnitOfWork, of row: TransactionRow) throws(LedgerError)
    -> TransactionParts
  {
    if let own = work.parts(of: row.number) { return own }
    return try .postings(of: row, in: work.session)
  }

  private static func parts(
    _ work: borrowing UnitOfWork, of number: TransactionNumber, ofAny owners: [CustomerNumber]
  ) throws(LedgerError) -> TransactionParts {
    guard let parts = try work.parts(of: number, ofAny: owners) else {
      throw LedgerError(.storageDamaged, "The journal lacks transaction \(number); run verify.")
    }
    return parts
  }

  /// Sums a spend's takes in each currency, in the order of codes, and how much of them earlier reversals gave back.
  private static func taken(
    _ books: borrowing Bookkeeper, by original: TransactionParts, owners: [CustomerNumber]
  ) throws(LedgerError) -> [ReversalRules.Taken] {
    var undone: [Int64: Int64] = [:]
    for event in try books.work.journal.events(about: original.row.number, ofAny: owners)
    where event.kind == .reversal {
      for entry in try parts(books.work, of: event.transaction, ofAny: owners).entries {
        undone[entry.account.currency, default: 0] += entry.amount
      }
    }
    var taken: [ReversalRules.Taken] = []
    for entry in original.entries {
      guard let currency = books.definitions.currency(number: entry.account.currency) else {
        throw .lacksCurrency(entry.account.currency)
      }
      var lots = original.allocations.filter { $0.entry == entry.number }.map { (lot: $0.lot, amount: -$0.amount) }
      if entry.lot != 0 { lots = [(entry.lot, -entry.amount)] }
      taken.append(ReversalRules.Taken(currency: currency.code, lots: lots, undone: undone[currency.number] ?? 0))
    }
    return taken.sorted { $0.currency < $1.currency }
  }

  /// Finds the bought items to take back, once all of their price is given back.
  ///
  /// - Throws: `not_reversible` if the customer owns less than was bought.
  private static func itemsToTakeBack(
    _ work: borrowing UnitOfWork, of original: TransactionParts, _ id: TransactionID, owner: FoundCustomer
  ) throws(LedgerError) -> [(ItemID, Int64)] {
    var items: [(ItemID, Int64)] = []
    for item in original.items where item.quantity > 0 {
      let owned = try work.items.owned(item.item, by: owner.number)
      guard owned >= item.quantity else {
        throw LedgerError(
          .notReversible,
          "The transaction \(id) brought \(item.quantity) of \"\(item.item)\", of which \(owned) are left: give back a "
            + "part of the price, or the items first.",
          details: [
            .text("transaction_id", id.description), .text("item", item.item.text), .integer("owned", owned),
          ])
      }
      items.append((item.item, -item.quantity))
    }
    return items
  }
}

extension LedgerCommand {
  /// Undoes a spend, in full or part: its amounts go back into the very lots that they were taken from.
  ///
  /// The ledger finds the customer by the transaction; ``customer`` names none.
  ///
  /// - Parameters:
  ///   - transaction: A spend, a purchase of an item, or a capture.
  ///   - amounts: How much of each currency, positive; nil for all that is not undone yet.
  ///   - key: Send the same one with every retry.
  ///   - details: Conditions, reference, reason and actor.
  public static func reverse(
    _ transaction: TransactionID, amounts: [Adjustment]? = nil, key: IdempotencyKey? = nil,
    details: CommandDetails = CommandDetails()
  ) -> Self {
    Self(
      ReverseCommand(id: transaction, amounts: amounts), customer: CustomerID(ofNobody: transaction), key: key,
      details: details)
  }
}

extension Ledger {
  /// Undoes a spend, in full or part: its amounts go back into the very lots, with their expiry and their price.
  ///
  /// The lots that were burnt last get theirs back first. Amounts of lots that expired meanwhile are gone
  /// (``Booking/expired``). Amounts that come back to a refunded purchase go to the refund's shortfall
  /// (``Booking/reclaimed``). Items that the spend bought go back with the last of their price.
  ///
  /// - Parameters:
  ///   - transaction: A spend, a purchase of an item, or a capture.
  ///   - amounts: How much of each currency, positive; nil for all that is not given back yet.
  ///   - key: Send the same one with every retry.
  /// - Throws: ``LedgerError`` with, in order of precedence, `invalid_request`, `limit_exceeded`,
  ///   `amount_out_of_range`, `transaction_not_found`, `key_conflict`, `not_reversible`, `already_reversed`,
  ///   `exceeds_original`, `amount_out_of_range` (it would pass the hard limit).
  @discardableResult
  public func reverse(
    _ transaction: TransactionID, amounts: [Adjustment]? = nil, key: IdempotencyKey? = nil
  ) throws(LedgerError) -> Booking {
    try book(.reverse(transaction, amounts: amounts, key: key))
  }
}
