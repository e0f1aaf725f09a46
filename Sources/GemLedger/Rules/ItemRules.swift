/// What an item costs and who may have it; pure.
enum ItemRules {
  /// The price of so many, as adjustments.
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

  /// - Throws: in order of precedence `not_available`, `limit_reached`.
  static func check(_ item: Item, quantity: Int64, owned: Int64, now: Timestamp) throws(LedgerError) {
    guard item.availability.holds(at: now) else {
      throw LedgerError(
        .notAvailable, "\"\(item.id)\" is not for sale now.", details: [.text("item", item.id.text)])
    }
    guard let limit = item.limit, owned > limit - quantity else { return }
    throw LedgerError(
      .limitReached,
      "One customer may own at most \(limit) of \"\(item.id)\"; \(owned) are owned and \(quantity) more were "
        + "asked for.",
      details: [.text("item", item.id.text), .integer("limit", limit), .integer("owned", owned)])
  }
}
