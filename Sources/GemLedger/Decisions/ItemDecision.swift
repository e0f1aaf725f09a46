/// Sells items at the catalog's price.
enum ItemDecision {
  /// Sells an item at the catalog's price.
  ///
  /// - Throws: in order of precedence `amount_out_of_range` (quantity), `customer_not_found`, `key_conflict`,
  ///   `item_not_found`, `amount_out_of_range` (the total price), `invalid_request` and `limit_exceeded` (conditions),
  ///   `condition_failed`, `customer_frozen`, `not_available`, `limit_reached` (the item's, then the currencies'),
  ///   `insufficient_balance`.
  static func buy(
    _ decider: inout Decider, _ command: LedgerCommand.Body, item id: ItemID, quantity: Int64,
    session: any StorageSnapshot
  ) throws(LedgerError) -> Booking {
    try RequestRules.check(quantity: quantity, of: id.text)
    guard let customer = try decider.findCustomer(command.customer, session: session) else {
      throw .customerNotFound(command.customer)
    }
    return try KeyReplay.idempotently(&decider, command, customer: customer, session: session) {
      (decider: inout Decider) throws(LedgerError) -> Booking in
      let item = try decider.catalog.item(id, in: session, definitions: decider.definitions)
      return try sell(&decider, item, quantity: quantity, command: command, customer: customer, session: session)
    }
  }

  private static func sell(
    _ decider: inout Decider, _ item: Item, quantity: Int64, command: LedgerCommand.Body, customer: FoundCustomer,
    session: any StorageSnapshot
  ) throws(LedgerError) -> Booking {
    // Over several lanes, a command that did not declare the stock's lane is sent there before anything else is done.
    if item.stock != nil, decider.hasSeveralLanes, case .buyItem = command.action { throw .misrouted }
    let price = try ItemRules.price(of: item, quantity: quantity)
    try RequestRules.check(command.conditions, cover: price)
    decider.plans.removeAll(keepingCapacity: true)
    for part in price {
      try AccountPlanning.plan(&decider, .spend, part.currency, part.amount, customer: customer, session: session)
    }
    try AccountPlanning.checkPremises(&decider, command, customer: customer)
    let made = decider.work.changes.customers.count
    let keeper = item.stock == nil ? nil : try stockKeeper(&decider, of: item.id, session: session)
    do throws(LedgerError) {
      decider.pendingCounts += try counts(
        &decider.work, of: item, quantity: quantity, customer: customer, keeper: keeper, session: session)
      if decider.definitions.hasPolicies { try UsageCounts.checkCaps(&decider, session: session) }
      try AccountPlanning.checkBalances(&decider)
      for index in decider.plans.indices { try AccountPlanning.planBurn(&decider, index, session: session) }
    } catch {
      // A refused sale leaves no trace.
      if decider.work.changes.customers.count > made { decider.work.removeNewestCustomer() }
      throw error
    }
    var booking = try JournalPosting.book(&decider, .spend, command: command, customer: customer, session: session)
    try OwnedItems.add(&decider.work, [(item.id, quantity)], to: &booking, customer, session)
    if let keeper { bookSale(&decider, to: customer, by: keeper) }
    return booking
  }

  /// Checks the limits of the sale, and returns the new counts.
  ///
  /// - Throws: in order of precedence `not_available`, `limit_reached`.
  private static func counts(
    _ work: inout UnitOfWork, of item: Item, quantity: Int64, customer: FoundCustomer, keeper: FoundCustomer?,
    session: any StorageSnapshot
  ) throws(LedgerError) -> [CountRow] {
    func count(_ kind: CountKey.Kind, of customer: CustomerNumber) throws(LedgerError) -> CountRow {
      let key = CountKey(kind, item.id.text)
      return try work.count(key, of: customer, session: session)
        ?? CountRow(customer: customer, key: key, period: 0, value: 0)
    }
    let owned = try work.owned(item.id, customer: customer.number, session: session)
    let bought = item.limitPeriod == nil ? nil : try count(.bought, of: customer.number)
    var sold: CountRow?
    if let keeper { sold = try count(.sold, of: keeper.number) }
    return try ItemRules.check(item, quantity: quantity, owned: owned, bought: bought, sold: sold, now: work.now)
  }

  /// Finds or adds the customer that counts the units sold of an item.
  ///
  /// The item has a customer of its own for this, so that on a storage with lanes the count lies in one lane.
  private static func stockKeeper(
    _ decider: inout Decider, of item: ItemID, session: any StorageSnapshot
  ) throws(LedgerError) -> FoundCustomer {
    let id = CustomerID(ofStock: item)
    if let keeper = try decider.findCustomer(id, session: session) { return keeper }
    return try decider.work.addCustomer(id, session: session)
  }

  private static func bookSale(_ decider: inout Decider, to customer: FoundCustomer, by keeper: FoundCustomer) {
    let sale = decider.booked
    let number = JournalPosting.appendTransactionWithoutEntries(&decider.work, .spend, customer: keeper.number)
    UsageCounts.bookCounts(&decider, of: keeper.number, by: number)
    for (own, one, other, whose) in [(sale, customer, number, keeper), (number, keeper, sale, customer)] {
      decider.work.add(
        JournalEventRow(
          transaction: own, position: 0, customer: one.number, kind: .linked, target: other, value: whose.number,
          createdAt: decider.work.now))
    }
  }
}
