extension Decider {
  /// Sells an item at the catalog's price.
  ///
  /// - Throws: in order of precedence `amount_out_of_range` (quantity), `customer_not_found`, `key_conflict`,
  ///   `item_not_found`, `amount_out_of_range` (the price of so many), `invalid_request` and `limit_exceeded`
  ///   (conditions), `condition_failed`, `customer_frozen`, `not_available`, `limit_reached`, `insufficient_balance`.
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
    let price = try ItemRules.price(of: item, quantity: quantity)
    try RequestRules.check(command.conditions, cover: price)
    plans.removeAll(keepingCapacity: true)
    for part in price { try plan(.spend, part.currency, part.amount, customer: customer, session: session) }
    try checkPremises(command, customer: customer)
    let owned = try set.owned(item.id, customer: customer.number, session: session)
    try ItemRules.check(item, quantity: quantity, owned: owned, now: set.now)
    try checkBalances()
    for index in plans.indices { try planBurn(index, session: session) }
    var receipt = try book(.spend, command: command, customer: customer, session: session)
    try addItems([(item.id, quantity)], to: &receipt, customer, session)
    return receipt
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
