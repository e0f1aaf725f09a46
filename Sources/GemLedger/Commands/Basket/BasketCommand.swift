/// Books steps over several customers, all or none: one transaction for each customer, linked to each other.
struct BasketCommand: Command {
  let legs: [BasketLeg]

  var action: LedgerCommand.Action { .basket(self) }

  static let keyFields = KeyFields(rest: "legs")
  var asked: Int64 { Fingerprint.asked(.basket, Fingerprint.digest(of: legs)) }
  var namedCustomers: NamedCustomers { .ownAnd(BasketRules.customers(of: legs)) }
  func footprint(besides customer: CustomerID) -> LedgerCommand.Footprint? {
    LedgerCommand.Footprint(customers: BasketRules.customers(of: legs).filter { $0 != customer })
  }
  var independence: Independence { .none }

  /// - Throws: in order of precedence `invalid_request`, `limit_exceeded`, `same_customer`, `amount_out_of_range`,
  ///   `customer_not_found` (the payer), `key_conflict`, `customer_not_found` (the others), `same_customer` (two ids of
  ///   one), `unknown_currency`, `item_not_found`, `invalid_request` (a customer gives and gets the same),
  ///   `condition_failed`, `customer_frozen`, `not_available`, `insufficient_balance`, `over_maximum`.
  func decide(_ decider: inout Decider, _ command: LedgerCommand.Body) throws(LedgerError) -> Booking {
    try BasketRules.check(legs, payer: command.customer, conditions: command.conditions)
    guard let payer = try decider.books.work.customers.find(of: command) else {
      throw .customerNotFound(command.customer)
    }
    return try KeyReplay.idempotently(&decider, command, customer: payer) {
      (decider: inout Decider) throws(LedgerError) -> Booking in
      var basket = try Self.basketPlan(decider.books.work, legs, payer: payer, named: command.customer)
      decider.books.plans.removeAll(keepingCapacity: true)
      for leg in legs { try BasketPlanning.plan(&decider, leg, &basket) }
      try Self.check(&decider.books, basket, command)
      try BasketPlanning.planLots(&decider.books, of: basket)
      return try Self.book(&decider, &basket, command: command)
    }
  }

  private static func check(
    _ books: inout Bookkeeper, _ basket: BasketPlan, _ command: LedgerCommand.Body
  ) throws(LedgerError) {
    for index in basket.sides[0].plans where !command.conditions.isEmpty {
      try AccountRules.check(
        command.conditions, plan: books.plans[index], account: books.work.accounts[books.plans[index].slot].row)
    }
    for side in basket.sides where side.customer.isFrozen && gives(books, side) {
      throw LedgerError(.customerFrozen, "The customer \"\(side.id)\" is frozen and may not spend.")
    }
    try books.checkCurrencies()
    for side in basket.sides {
      for (item, quantity) in summed(side.items) where quantity < 0 {
        let owned = try books.work.items.owned(item, by: side.customer.number)
        guard owned >= -quantity else {
          throw LedgerError(
            .insufficientBalance, "\"\(side.id)\" owns \(owned) of \"\(item)\"; \(-quantity) are needed.",
            details: [.text("item", item.text), .integer("needed", -quantity), .integer("available", owned)])
        }
      }
    }
    if books.definitions.hasPolicies { try books.checkCaps() }
    try books.checkBalances()
  }

  private static func gives(_ books: borrowing Bookkeeper, _ side: BasketSide) -> Bool {
    side.plans.contains { books.plans[$0].amount < 0 } || side.items.contains { $0.1 < 0 }
  }

  /// Finds all participants, the payer first.
  private static func basketPlan(
    _ work: borrowing UnitOfWork, _ legs: [BasketLeg], payer: FoundCustomer, named id: CustomerID
  ) throws(LedgerError) -> BasketPlan {
    var sides = [BasketSide(customer: payer, id: id)]
    var positions: [CustomerID: Int] = [id: 0]
    for id in BasketRules.customers(of: legs) where positions[id] == nil {
      guard let customer = try work.customers.find(id) else { throw .customerNotFound(id) }
      if let known = sides.firstIndex(where: { $0.customer.number == customer.number }) {
        positions[id] = known
      } else {
        positions[id] = sides.count
        sides.append(BasketSide(customer: customer, id: id))
      }
    }
    return BasketPlan(sides: sides, positions: positions)
  }

  // MARK: Booking

  private static func book(
    _ decider: inout Decider, _ basket: inout BasketPlan, command: LedgerCommand.Body
  ) throws(LedgerError) -> Booking {
    let all = decider.books.plans
    for index in basket.sides.indices {
      let side = basket.sides[index]
      decider.books.plans = side.plans.map { all[$0] }.sorted { $0.currency.code < $1.currency.code }
      let kind: EntryKind = side.kinds.allSatisfy { $0 == .transfer } ? .transfer : .mixed
      var booking = try decider.books.book(kind, command: command, customer: side.customer)
      basket.sides[index].booked = decider.books.booked
      try decider.books.work.add(summed(side.items), to: side.customer, &booking)
      basket.sides[index].booking = booking
      let taken = try decider.books.reclaimLineage(
        after: basket.sides[index].booked, owner: side.customer, &basket.sides[index].extras)
      // The payer's booking lists the reclaimed entries; the other customers' bookings list only their granted entries.
      if index == 0, !taken.isEmpty {
        basket.sides[0].booking?.entries = CompactList(Array(booking.entries) + taken)
      }
    }
    for side in basket.sides.dropFirst() {
      link(&decider.books.work, basket.sides[0], to: side)
      link(&decider.books.work, side, to: basket.sides[0])
    }
    decider.books.booked = basket.sides[0].booked
    guard var booking = basket.sides[0].booking else { throw .defect("A basket booked nothing") }
    booking.customer = command.customer
    var extras = basket.sides[0].extras
    for side in basket.sides.dropFirst() {
      let id = try decider.books.work.customers.known(side.customer.number).id
      if let own = side.booking, let party = BookingParty(own, of: id) { extras.parties.append(party) }
    }
    booking.extras = extras
    return booking
  }

  private static func link(_ work: inout UnitOfWork, _ side: BasketSide, to other: BasketSide) {
    work.journal.add(
      JournalEventRow(
        transaction: side.booked, position: 0, customer: side.customer.number, kind: .linked, target: other.booked,
        value: other.customer.number, createdAt: work.now))
  }

  private static func summed(_ items: [(ItemID, Int64)]) -> [(ItemID, Int64)] {
    var sums: [ItemID: Int64] = [:]
    for (item, quantity) in items { sums[item, default: 0] += quantity }
    return sums.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
  }
}

extension BookingParty {
  init?(_ booking: Booking, of customer: CustomerID) {
    guard let id = booking.transactionID else { return nil }
    self.init(customer: customer, transactionID: id, entries: booking.entries, items: booking.items)
  }
}

extension Fingerprint {
  fileprivate static func digest(of legs: [BasketLeg]) -> UInt64 {
    var hash = StableHash()
    for leg in legs {
      switch leg {
      case .transfer(let amounts, let from, let to): combine(1, sum(of: amounts), [from.text, to.text])
      case .item(let item, let quantity, let from, let to):
        combine(2, UInt64(bitPattern: quantity), [item.text, from.text, to.text])
      case .spend(let amounts, let customer): combine(3, sum(of: amounts), [customer.text])
      case .grant(let amounts, let customer, let source):
        combine(4, sum(of: amounts), [customer.text, source.name])
      }
    }
    return hash.value

    func combine(_ tag: UInt64, _ number: UInt64, _ texts: [String]) {
      hash.combine(tag)
      hash.combine(number)
      for text in texts { hash.combine(text) }
    }
  }
}

extension LedgerCommand {
  /// Moves currency from one customer to another.
  ///
  /// - Parameters:
  ///   - amounts: 1 to 100 positive amounts, each currency once.
  ///   - from: The payer; must exist.
  ///   - to: The payee; must exist.
  ///   - key: Send the same one with every retry.
  ///   - details: Conditions, reference, reason and actor.
  public static func transfer(
    _ amounts: [Adjustment], from: CustomerID, to: CustomerID, key: IdempotencyKey? = nil,
    details: CommandDetails = CommandDetails()
  ) -> Self {
    basket([.transfer(amounts, from: from, to: to)], payer: from, key: key, details: details)
  }

  /// Moves currency from one customer to another, with amounts, ids and key as texts.
  ///
  /// - Throws: ``LedgerError`` with `invalid_identifier`.
  public static func transfer(
    _ amounts: AmountsByCode, from: String, to: String, key: String? = nil, details: CommandDetails = CommandDetails()
  ) throws(LedgerError) -> Self {
    let amounts = try amounts.checked()
    let (from, to) = (try CustomerID(from), try CustomerID(to))
    return .transfer(amounts, from: from, to: to, key: try checked(key), details: details)
  }

  /// Books several steps over several customers, all or none: a gift, a trade, a sale with a fee.
  ///
  /// All customers must exist. One customer does not both give and get the same currency or item.
  ///
  /// - Parameters:
  ///   - legs: 1 to ``Limits/legsPerBasket``.
  ///   - payer: The owner of the key; takes part in the basket.
  ///   - key: Send the same one with every retry.
  ///   - details: Conditions, reference, reason and actor.
  public static func basket(
    _ legs: [BasketLeg], payer: CustomerID, key: IdempotencyKey? = nil, details: CommandDetails = CommandDetails()
  ) -> Self {
    Self(BasketCommand(legs: legs), customer: payer, key: key, details: details)
  }
}

extension Ledger {
  /// Moves currency from one customer to another; its lots keep their source, share of the price and expiry.
  ///
  /// A refund of the source purchase still concerns the buyer, not the new owner.
  ///
  /// - Throws: ``LedgerError`` as ``basket(_:payer:key:)``.
  @discardableResult
  public func transfer(
    _ amounts: [Adjustment], from: CustomerID, to: CustomerID, key: IdempotencyKey? = nil
  ) throws(LedgerError) -> Booking {
    try book(.transfer(amounts, from: from, to: to, key: key))
  }

  /// Books several steps over several customers, all or none: a gift, a trade, a sale with a fee.
  ///
  /// Each customer gets a separate transaction, linked to the others (``Booking/parties``).
  ///
  /// - Parameters:
  ///   - legs: 1 to ``Limits/legsPerBasket``; no customer both gives and gets the same currency or item.
  ///   - payer: The owner of the key; takes part in the basket.
  ///   - key: Send the same one with every retry.
  /// - Throws: ``LedgerError`` with, in order of precedence, `invalid_request`, `limit_exceeded`, `same_customer`,
  ///   `amount_out_of_range`, `customer_not_found`, `key_conflict`, `same_customer` (two ids of one customer),
  ///   `unknown_currency`, `item_not_found`, `customer_frozen`, `not_available`, `insufficient_balance`,
  ///   `over_maximum`.
  @discardableResult
  public func basket(
    _ legs: [BasketLeg], payer: CustomerID, key: IdempotencyKey? = nil
  ) throws(LedgerError) -> Booking {
    try book(.basket(legs, payer: payer, key: key))
  }
}
