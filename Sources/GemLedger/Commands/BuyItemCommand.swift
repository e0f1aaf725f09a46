/// Sells items at the catalog's price.
final class BuyItemCommand: Command {
  let item: ItemID
  let quantity: Int64
  /// Whether it names the stock of the item, which a storage with lanes must know beforehand.
  let declaresStock: Bool

  init(item: ItemID, quantity: Int64, declaresStock: Bool = false) {
    self.item = item
    self.quantity = quantity
    self.declaresStock = declaresStock
  }

  var action: LedgerCommand.Action { .buyItem(self) }

  static let keyFields = KeyFields([("item", 27)], rest: "quantity")
  var asked: Int64 {
    // Two halves, so that a conflict can distinguish the item from the quantity.
    Fingerprint.asked(
      .item, (Fingerprint.digest(of: item.text) >> 37) << 32 | Fingerprint.half(UInt64(bitPattern: quantity)))
  }
  var namedCustomers: NamedCustomers { .own }
  func footprint(besides customer: CustomerID) -> LedgerCommand.Footprint? {
    declaresStock ? LedgerCommand.Footprint(customers: [CustomerID(ofStock: item)]) : nil
  }
  var independence: Independence { declaresStock ? .none : .ofOtherCustomers }

  /// - Throws: in order of precedence `amount_out_of_range` (quantity), `customer_not_found`, `key_conflict`,
  ///   `item_not_found`, `amount_out_of_range` (the total price), `invalid_request` and `limit_exceeded` (conditions),
  ///   `condition_failed`, `customer_frozen`, `not_available`, `limit_reached` (the item's, then the currencies'),
  ///   `insufficient_balance`.
  func decide(_ decider: inout Decider, _ command: LedgerCommand.Body) throws(LedgerError) -> Booking {
    try RequestRules.check(quantity: quantity, of: item.text)
    guard let customer = try decider.books.work.customers.find(command.customer) else {
      throw .customerNotFound(command.customer)
    }
    return try KeyReplay.idempotently(&decider, command, customer: customer) {
      (decider: inout Decider) throws(LedgerError) -> Booking in
      let item = try decider.catalog.item(item, in: decider.session, definitions: decider.books.definitions)
      return try sell(&decider, item, command: command, customer: customer)
    }
  }

  private func sell(
    _ decider: inout Decider, _ item: Item, command: LedgerCommand.Body, customer: FoundCustomer
  ) throws(LedgerError) -> Booking {
    // With several lanes, a command that did not declare the stock is first rerouted to the stock's lane.
    if item.stock != nil, decider.hasSeveralLanes, !declaresStock { throw .misrouted }
    let price = try ItemRules.price(of: item, quantity: quantity)
    try RequestRules.check(command.conditions, cover: price)
    decider.books.plans.removeAll(keepingCapacity: true)
    for part in price {
      try decider.books.plan(.spend, part.currency, part.amount, customer: customer)
    }
    try decider.books.checkPremises(command, customer: customer)
    try decider.books.checkCurrencies()
    let made = decider.books.work.customers.made.count
    let keeper = item.stock == nil ? nil : try Self.stockKeeper(&decider.books.work, of: item.id)
    do throws(LedgerError) {
      decider.books.pendingCounts += try Self.counts(
        decider.books.work, of: item, quantity: quantity, customer: customer, keeper: keeper)
      if decider.books.definitions.hasPolicies { try decider.books.checkCaps() }
      try decider.books.checkBalances()
      for index in decider.books.plans.indices { try decider.books.plans[index].burn(in: &decider.books.work.accounts) }
    } catch {
      // A refused sale leaves no trace.
      if decider.books.work.customers.made.count > made { decider.books.work.customers.removeNewest() }
      throw error
    }
    var booking = try decider.books.book(.spend, command: command, customer: customer)
    try decider.books.work.add([(item.id, quantity)], to: customer, &booking)
    if let keeper { Self.bookSale(&decider, to: customer, by: keeper) }
    return booking
  }

  /// Checks the limits of the sale, and returns the new counts.
  ///
  /// - Throws: in order of precedence `not_available`, `limit_reached`.
  private static func counts(
    _ work: borrowing UnitOfWork, of item: Item, quantity: Int64, customer: FoundCustomer, keeper: FoundCustomer?
  ) throws(LedgerError) -> [CountRow] {
    func count(_ kind: CountKey.Kind, of customer: CustomerNumber) throws(LedgerError) -> CountRow {
      let key = CountKey(kind, item.id.text)
      return try work.counts.count(key, of: customer)
        ?? CountRow(customer: customer, key: key, period: 0, value: 0)
    }
    let owned = try work.items.owned(item.id, by: customer.number)
    let bought = item.limitPeriod == nil ? nil : try count(.bought, of: customer.number)
    var sold: CountRow?
    if let keeper { sold = try count(.sold, of: keeper.number) }
    return try ItemRules.check(item, quantity: quantity, owned: owned, bought: bought, sold: sold, now: work.now)
  }

  /// Finds or adds the customer that counts the units sold of an item.
  ///
  /// It is a separate customer for each item, so that the count is in a single lane of a storage with lanes.
  private static func stockKeeper(_ work: inout UnitOfWork, of item: ItemID) throws(LedgerError) -> FoundCustomer {
    let id = CustomerID(ofStock: item)
    if let keeper = try work.customers.find(id) { return keeper }
    return try work.customers.add(id)
  }

  private static func bookSale(_ decider: inout Decider, to customer: FoundCustomer, by keeper: FoundCustomer) {
    let sale = decider.books.booked
    let number = decider.books.work.journal.appendTransactionWithoutEntries(.spend, of: keeper.number)
    decider.books.bookCounts(of: keeper.number, by: number)
    for (own, one, other, whose) in [(sale, customer, number, keeper), (number, keeper, sale, customer)] {
      decider.books.work.journal.add(
        JournalEventRow(
          transaction: own, position: 0, customer: one.number, kind: .linked, target: other, value: whose.number,
          createdAt: decider.books.work.now))
    }
  }
}

/// The price of an item and the limits on buying it; pure.
enum ItemRules {
  /// Returns the price of that many units, as adjustments.
  ///
  /// - Throws: `amount_out_of_range` when price times quantity passes the hard limit.
  static func price(of item: Item, quantity: Int64) throws(LedgerError) -> [Adjustment] {
    var adjustments: [Adjustment] = []
    for part in item.price {
      let (amount, overflow) = part.amount.multipliedReportingOverflow(by: quantity)
      guard !overflow, amount <= Limits.amount else {
        throw RequestRules.outOfRange("The price of \(quantity) \(item.id) is more than \(Limits.amount).", quantity)
      }
      adjustments.append(Adjustment(part.currency, -amount))
    }
    return adjustments
  }

  /// Checks that the quantity may be bought now.
  ///
  /// - Parameters:
  ///   - owned: The number that the customer owns.
  ///   - bought: The number that the customer bought, if the item's limit has a period.
  ///   - sold: The number that all customers bought, if the item has a stock.
  /// - Returns: The counts after the sale.
  /// - Throws: in order of precedence `not_available` (by time, then by stock), `limit_reached`.
  @discardableResult
  static func check(
    _ item: Item, quantity: Int64, owned: Int64, bought: CountRow? = nil, sold: CountRow? = nil, now: Timestamp
  ) throws(LedgerError) -> [CountRow] {
    guard item.availability.holds(at: now) else {
      throw LedgerError(
        .notAvailable, "\"\(item.id)\" is not for sale now. Nothing was changed.",
        details: [.text("item", item.id.text)])
    }
    var counts: [CountRow] = []
    if let stock = item.stock {
      counts.append(try WindowRules.sold(try known(sold, item), adding: quantity, stock: stock))
    }
    guard let limit = item.limit else { return counts }
    if let period = item.limitPeriod {
      let limit = WindowLimit(amount: limit, per: period)
      counts.append(try WindowRules.counted(try known(bought, item), adding: quantity, limit: limit, now: now))
    } else {
      try check(item, quantity: quantity, owned: owned, limit: limit)
    }
    return counts
  }

  private static func check(_ item: Item, quantity: Int64, owned: Int64, limit: Int64) throws(LedgerError) {
    guard owned > limit - quantity else { return }
    throw LedgerError(
      .limitReached,
      "One customer may own at most \(limit) of \"\(item.id)\"; \(owned) are owned and \(quantity) more were "
        + "asked for. Nothing was changed.",
      details: [.text("item", item.id.text), .integer("limit", limit), .integer("owned", owned)])
  }

  /// A limit cannot be checked without its count.
  private static func known(_ row: CountRow?, _ item: Item) throws(LedgerError) -> CountRow {
    guard let row else { throw .defect("Nothing was counted of \"\(item.id)\", which has a limit or a stock") }
    return row
  }
}

extension LedgerCommand {
  /// Sells items at the catalog's price.
  public static func buyItem(
    _ item: ItemID, quantity: Int64 = 1, customer: CustomerID, key: IdempotencyKey? = nil,
    details: CommandDetails = CommandDetails()
  ) -> Self {
    Self(BuyItemCommand(item: item, quantity: quantity), customer: customer, key: key, details: details)
  }

  /// Sells items at the catalog's price, with ids and key as texts.
  ///
  /// - Throws: ``LedgerError`` with `invalid_identifier`.
  public static func buyItem(
    _ item: String, quantity: Int64 = 1, customer: String, key: String? = nil,
    details: CommandDetails = CommandDetails()
  ) throws(LedgerError) -> Self {
    let item = try ItemID(item)
    return .buyItem(
      item, quantity: quantity, customer: try CustomerID(customer), key: try checked(key), details: details)
  }

  /// The item that it buys without naming its stock; nil for all other commands.
  var itemOfAnyStock: ItemID? {
    guard case .buyItem(let sale) = body.action, !sale.declaresStock else { return nil }
    return sale.item
  }

  /// The same command, for an item with or without a stock.
  var declaringStock: Self {
    guard case .buyItem(let sale) = body.action else { return self }
    return withAction(.buyItem(BuyItemCommand(item: sale.item, quantity: sale.quantity, declaresStock: true)))
  }
}

extension Ledger {
  /// Sells items at the catalog's price, never the caller's.
  ///
  /// - Throws: ``LedgerError`` with, in order of precedence, `amount_out_of_range`, `customer_not_found`,
  ///   `key_conflict`, `item_not_found`, `customer_frozen`, `not_available`, `limit_reached`, `insufficient_balance`.
  @discardableResult
  public func buyItem(
    _ item: ItemID, quantity: Int64 = 1, customer: CustomerID, key: IdempotencyKey? = nil
  ) throws(LedgerError) -> Booking {
    try book(.buyItem(item, quantity: quantity, customer: customer, key: key))
  }
}
