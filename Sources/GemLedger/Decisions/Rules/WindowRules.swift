/// Counts with a limit: in a period, or for ever; pure.
///
/// A missing count is passed as a row with the period 0 and the value 0.
enum WindowRules {
  /// Returns the count with the amount added, in the period that holds the instant.
  ///
  /// A count of an earlier period starts again from nothing. One of a later period stays there: a clock that was set
  /// back gives no second limit.
  ///
  /// - Throws: `limit_reached`.
  static func counted(
    _ row: CountRow, adding amount: Int64, limit: WindowLimit, now: Timestamp
  ) throws(LedgerError) -> CountRow {
    let start = max(row.period, limit.per.start(of: now).milliseconds)
    let used = row.period == start ? row.value : 0
    // A lowered limit may lie below the used amount; neither side can overflow, all are at most 2^53.
    guard amount <= limit.amount - used else {
      throw reached(row.key, limit: limit, used: used, needed: amount, since: Timestamp(milliseconds: start))
    }
    return CountRow(customer: row.customer, key: row.key, period: start, value: used + amount)
  }

  /// Returns the count of units of an item sold to all customers, with the quantity added.
  ///
  /// - Throws: `not_available` if fewer are left.
  static func sold(_ row: CountRow, adding quantity: Int64, stock: Int64) throws(LedgerError) -> CountRow {
    // A lowered stock may lie below the sold quantity.
    let left = max(0, stock - row.value)
    guard quantity <= left else {
      let leftNote = left == 0 ? "is sold out" : "has \(left) left, and \(quantity) were asked for"
      throw LedgerError(
        .notAvailable, "\"\(row.key.subject)\" \(leftNote). Nothing was changed.",
        details: [
          .text("item", row.key.subject), .integer("stock", stock), .integer("left", left),
          .integer("needed", quantity),
        ])
    }
    return CountRow(customer: row.customer, key: row.key, period: 0, value: row.value + quantity)
  }

  private static func reached(
    _ key: CountKey, limit: WindowLimit, used: Int64, needed: Int64, since start: Timestamp
  ) -> LedgerError {
    let isItem = key.kind == .bought
    let verb = isItem ? "buy" : key.kind == .granted ? "be granted" : "spend"
    let subject = isItem ? "of \"\(key.subject)\"" : key.subject
    let end = limit.per.next(after: start)
    return LedgerError(
      .limitReached,
      "One customer may \(verb) at most \(limit.amount) \(subject) a \(limit.per); \(used) are used up and \(needed) "
        + "more were asked for. The next \(limit.per) begins at \(end). Nothing was changed.",
      details: [
        .text(isItem ? "item" : "currency", key.subject), .integer("limit", limit.amount), .integer("used", used),
        .integer("needed", needed), .text("resets_at", end.description),
      ])
  }
}
