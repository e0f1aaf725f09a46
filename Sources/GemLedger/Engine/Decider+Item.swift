extension Decider {
  /// Sells an item at the catalog's price.
  ///
  /// - Throws: in order of precedence `amount_out_of_range` (quantity), `customer_not_found`, `key_conflict`,
  ///   `item_not_found`, `amount_out_of_range` (the price of so many), `invalid_request` and `limit_exceeded`
  ///   (conditions), `condition_failed`, `customer_frozen`, `not_available`, `limit_reached` (the item's, then the
  ///   currencies'), `insufficient_balance`.
  mutating func decide(
    _ command: LedgerCommand.Body, item id: ItemID, quantity: Int64, session: any StorageSnapshot
  ) throws(LedgerError) -> Receipt {
    try RequestRules.check(quantity: quantity, of: id.text)
    guard let customer = try findCustomer(command.customer, session: session) else {
      throw .customerNotFound(command.customer)
    }
    return try once(command, customer: customer, session: session) {
      (decider: inout Decider) throws(LedgerError) -> Receipt in
      let item = try decider.catalog.item(id, in: session, terms: decider.terms)
      return try decider.sell(item, quantity: quantity, command: command, customer: customer, session: session)
    }
  }

  private mutating func sell(
    _ item: Item, quantity: Int64, command: LedgerCommand.Body, customer: FoundCustomer,
    session: any StorageSnapshot
  ) throws(LedgerError) -> Receipt {
    // Over several lanes a command that did not say that it needs the stock's lane is sent there, before anything else.
    if item.stock != nil, hasSeveralLanes, case .buyItem = command.action { throw .misrouted }
    let price = try ItemRules.price(of: item, quantity: quantity)
    try RequestRules.check(command.conditions, cover: price)
    plans.removeAll(keepingCapacity: true)
    for part in price { try plan(.spend, part.currency, part.amount, customer: customer, session: session) }
    try checkPremises(command, customer: customer)
    let made = set.changes.customers.count
    let keeper = item.stock == nil ? nil : try stockKeeper(of: item.id, session: session)
    do throws(LedgerError) {
      pendingCounts += try counts(of: item, quantity: quantity, customer: customer, keeper: keeper, session: session)
      if terms.hasPolicies { try checkCaps(session: session) }
      try checkBalances()
      for index in plans.indices { try planBurn(index, session: session) }
    } catch {
      // Of a sale that is refused, nothing is left.
      if set.changes.customers.count > made { set.removeNewestCustomer() }
      throw error
    }
    var receipt = try book(.spend, command: command, customer: customer, session: session)
    try addItems([(item.id, quantity)], to: &receipt, customer, session)
    if let keeper { bookSale(to: customer, by: keeper) }
    return receipt
  }

  /// What the sale counts.
  ///
  /// - Throws: in order of precedence `not_available`, `limit_reached`.
  private mutating func counts(
    of item: Item, quantity: Int64, customer: FoundCustomer, keeper: FoundCustomer?, session: any StorageSnapshot
  ) throws(LedgerError) -> [CountRow] {
    func count(_ kind: CountKey.Kind, of customer: CustomerNumber) throws(LedgerError) -> CountRow {
      let key = CountKey(kind, item.id.text)
      return try set.count(key, of: customer, session: session)
        ?? CountRow(customer: customer, key: key, period: 0, value: 0)
    }
    let owned = try set.owned(item.id, customer: customer.number, session: session)
    let bought = item.limitPeriod == nil ? nil : try count(.bought, of: customer.number)
    var sold: CountRow?
    if let keeper { sold = try count(.sold, of: keeper.number) }
    return try ItemRules.check(item, quantity: quantity, owned: owned, bought: bought, sold: sold, now: set.now)
  }

  /// Who counts what everybody bought of an item: a customer of its own, so that on a storage with lanes its count lies
  /// in one of them.
  private mutating func stockKeeper(
    of item: ItemID, session: any StorageSnapshot
  ) throws(LedgerError) -> FoundCustomer {
    let id = CustomerID(ofStock: item)
    if let keeper = try findCustomer(id, session: session) { return keeper }
    return try set.addCustomer(id, session: session)
  }

  private mutating func bookSale(to customer: FoundCustomer, by keeper: FoundCustomer) {
    let sale = booked
    let number = appendTransactionWithoutEntries(.spend, customer: keeper.number)
    bookCounts(of: keeper.number, by: number)
    for (own, one, other, whose) in [(sale, customer, number, keeper), (number, keeper, sale, customer)] {
      set.add(
        EffectRow(
          transaction: own, position: 0, customer: one.number, kind: .linked, target: other, value: whose.number,
          createdAt: set.now))
    }
  }

  /// Books items that come with the newest transaction.
  mutating func addItems(
    _ items: [(ItemID, Int64)], to receipt: inout Receipt, _ customer: FoundCustomer, _ session: any StorageSnapshot
  ) throws(LedgerError) {
    for (item, quantity) in items {
      let owned = try set.owned(item, customer: customer.number, session: session) + quantity
      set.setOwned(item, customer: customer.number, to: owned)
      set.changes.itemEntries.append(
        ItemEntryRow(
          transaction: set.sequences.transaction, customer: customer.number, item: item, quantity: quantity,
          owned: owned))
      receipt.items.append(PostedItem(item: item, quantity: quantity, owned: owned))
    }
  }
}
