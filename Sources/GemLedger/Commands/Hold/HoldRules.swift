/// The part of a hold that is in one lot.
package struct HeldPart: Hashable {
  package let account: AccountNumber
  package let lot: LotNumber
  package var amount: Int64

  package init(account: AccountNumber, lot: LotNumber, amount: Int64) {
    self.account = account
    self.lot = lot
    self.amount = amount
  }
}

extension HeldPart {
  /// The part that the hold's row stores: the only one.
  package static func sole(_ parts: [HeldPart]) -> LotAmount? {
    guard parts.count == 1, let part = parts.first else { return nil }
    return LotAmount(currency: part.account.currency, lot: part.lot, amount: part.amount)
  }
}

/// The rules of holds that need no rows; pure.
package enum HoldRules {
  /// - Throws: in order of precedence `invalid_request`, `limit_exceeded`, `amount_out_of_range`.
  static func check(_ amounts: [Adjustment], milliseconds: Int64, conditions: [Condition]) throws(LedgerError) {
    try RequestRules.check(amounts: amounts, conditions: conditions, of: "hold")
    try check(milliseconds: milliseconds)
  }

  /// - Throws: `amount_out_of_range`.
  static func check(milliseconds: Int64) throws(LedgerError) {
    guard (1000...Limits.holdDuration.wholeMilliseconds).contains(milliseconds) else {
      throw LedgerError(
        .amountOutOfRange, "A hold lasts from 1 second to 30 days; \(milliseconds) ms were asked for.",
        details: [.integer("amount", milliseconds), .integer("limit", Limits.holdDuration.wholeMilliseconds)])
    }
  }

  /// Returns the deadline of a hold that is to last that long from now: never before its current deadline.
  ///
  /// - Throws: `limit_exceeded` past the longest that a hold may last from its beginning.
  static func deadline(
    of hold: HoldRow, begunAt: Timestamp, now: Timestamp, milliseconds: Int64
  ) throws(LedgerError) -> Timestamp {
    let wanted = max(hold.deadline, now.advanced(milliseconds: milliseconds))
    let last = begunAt.advanced(by: Limits.holdDuration)
    guard wanted <= last else {
      throw LedgerError(
        .limitExceeded, "A hold lasts at most 30 days from its beginning: this one until \(last) at most.",
        details: [.text("latest", last.description)])
    }
    return wanted
  }

  /// Returns the amounts that are still held, in the order in which they were set aside.
  package static func outstanding(_ events: [JournalEventRow], of owner: CustomerNumber) -> [HeldPart] {
    var parts: [HeldPart] = []
    // A merge moves a held part to another lot: the part keeps its position.
    var vacated: (index: Int, transaction: TransactionNumber)?
    for event in events {
      let sign: Int64
      switch event.kind {
      case .held: sign = 1
      case .captured, .released: sign = -1
      case .reversal, .deadline, .counted, .late, .linked, .reclaimed, .unproven: continue
      }
      let account = AccountNumber(customer: owner, currency: event.currency)
      if let index = parts.firstIndex(where: { $0.lot == event.lot && $0.account == account }) {
        parts[index].amount += sign * event.amount
        vacated = parts[index].amount == 0 ? (index, event.transaction) : nil
      } else if let slot = vacated, slot.transaction == event.transaction {
        parts[slot.index] = HeldPart(account: account, lot: event.lot, amount: event.amount)
        vacated = nil
      } else {
        parts.append(HeldPart(account: account, lot: event.lot, amount: sign * event.amount))
      }
    }
    return parts.filter { $0.amount > 0 }
  }

  /// Splits the held parts into captured ones and the rest, the lots in the order in which they were set aside.
  ///
  /// - Parameter wanted: By currency; nil for all.
  static func split(_ parts: [HeldPart], wanted: [Int64: Int64]?) -> (captured: [HeldPart], left: [HeldPart]) {
    guard var wanted else { return (parts, []) }
    var (captured, left): ([HeldPart], [HeldPart]) = ([], [])
    for part in parts {
      let taken = min(part.amount, wanted[part.account.currency] ?? 0)
      wanted[part.account.currency, default: 0] -= taken
      if taken > 0 { captured.append(HeldPart(account: part.account, lot: part.lot, amount: taken)) }
      if part.amount > taken {
        left.append(HeldPart(account: part.account, lot: part.lot, amount: part.amount - taken))
      }
    }
    return (captured, left)
  }

  /// How much is to be captured of each currency; nil for all.
  ///
  /// - Throws: in order of precedence `unknown_currency`, `exceeds_hold`.
  static func wanted(
    _ amounts: [Adjustment]?, of parts: [HeldPart], definitions: CurrencyDefinitions
  ) throws(LedgerError) -> [Int64: Int64]? {
    guard let amounts else { return nil }
    var wanted: [Int64: Int64] = [:]
    for amount in amounts {
      guard let currency = definitions.currency(amount.currency) else {
        throw .unknownCurrency(amount.currency)
      }
      let held = parts.filter { $0.account.currency == currency.number }.reduce(0) { $0 + $1.amount }
      guard amount.amount <= held else {
        throw LedgerError(
          .exceedsHold,
          "The hold has \(held) \(amount.currency) left, and \(amount.amount) were to be captured. Capture at most "
            + "the rest of the hold. Nothing was changed.",
          details: [
            .text("currency", amount.currency.description), .integer("held", held), .integer("needed", amount.amount),
          ])
      }
      wanted[currency.number] = amount.amount
    }
    return wanted
  }
}
