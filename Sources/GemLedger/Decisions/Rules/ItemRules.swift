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

  /// Checks that so many may be bought now.
  ///
  /// - Parameters:
  ///   - owned: How many the customer owns.
  ///   - bought: How many the customer bought, where the item's limit has a period.
  ///   - sold: How many all customers together bought, where the item has a stock.
  /// - Returns: The counts as they are after it.
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

  /// A limit cannot hold without its count.
  private static func known(_ row: CountRow?, _ item: Item) throws(LedgerError) -> CountRow {
    guard let row else { throw .defect("Nothing was counted of \"\(item.id)\", which has a limit or a stock") }
    return row
  }
}
