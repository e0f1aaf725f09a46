extension Ledger {
  /// Sets currency aside: it stays in the balance, and nothing else can spend it.
  ///
  /// A hold names its lots, keeps those alive that would expire meanwhile, and ends exactly once: captured, released,
  /// or past its deadline. To give something for currency without ever having to pay it back: hold, give, then capture.
  /// Where giving fails, release, or do nothing and let the deadline do it.
  ///
  /// - Parameters:
  ///   - amounts: 1 to 100 positive amounts, each currency once.
  ///   - customer: Must exist.
  ///   - duration: 1 second to ``Limits/holdDuration``.
  ///   - key: Send the same one with every retry.
  /// - Returns: ``Booking/hold`` names the hold and the amounts available now.
  /// - Throws: ``LedgerError`` with, in order of precedence, `invalid_request`, `limit_exceeded`,
  ///   `amount_out_of_range`, `customer_not_found`, `key_conflict`, `unknown_currency`, `customer_frozen`,
  ///   `insufficient_balance`.
  @discardableResult
  public func hold(
    _ amounts: [Adjustment], customer: CustomerID, for duration: Duration = LedgerCommand.holdDuration,
    key: IdempotencyKey? = nil
  ) throws(LedgerError) -> Booking {
    try book(.hold(amounts, customer: customer, for: duration, key: key))
  }

  /// Spends held currency, also where the customer was frozen or the lots expired meanwhile.
  ///
  /// - Parameters:
  ///   - hold: Must be open.
  ///   - amounts: How much of each currency, at most the held amount; nil for all.
  ///   - keepsOpen: Whether the rest stays on hold for further captures; otherwise it is released.
  ///   - key: Send the same one with every retry.
  /// - Throws: ``LedgerError`` with, in order of precedence, `invalid_request`, `limit_exceeded`,
  ///   `amount_out_of_range`, `hold_not_found`, `key_conflict`, `hold_ended`, `unknown_currency`, `exceeds_hold`.
  @discardableResult
  public func capture(
    _ hold: HoldID, amounts: [Adjustment]? = nil, keepsOpen: Bool = false, key: IdempotencyKey? = nil
  ) throws(LedgerError) -> Booking {
    try book(.capture(hold, amounts: amounts, keepsOpen: keepsOpen, key: key))
  }

  /// Lets a hold last until `duration` from now, where that is later than it would end.
  ///
  /// - Throws: ``LedgerError`` with, in order of precedence, `amount_out_of_range`, `hold_not_found`, `key_conflict`,
  ///   `hold_ended`, `limit_exceeded` past ``Limits/holdDuration`` from its beginning.
  @discardableResult
  public func extend(
    _ hold: HoldID, for duration: Duration, key: IdempotencyKey? = nil
  ) throws(LedgerError) -> Booking {
    try book(.extend(hold, for: duration, key: key))
  }

  /// Gives held currency back to the lots that it came from.
  ///
  /// - Returns: ``Booking/expired`` has the amounts that came back too late, ``Booking/reclaimed`` those that went to a
  ///   refund meanwhile.
  /// - Throws: ``LedgerError`` with, in order of precedence, `hold_not_found`, `key_conflict`, `hold_ended`.
  @discardableResult
  public func release(_ hold: HoldID, key: IdempotencyKey? = nil) throws(LedgerError) -> Booking {
    try book(.release(hold, key: key))
  }

  /// The customer's open holds, those that end first before the others.
  ///
  /// - Throws: ``LedgerError`` with `customer_not_found`.
  public func holds(of customer: CustomerID) throws(LedgerError) -> [OpenHold] {
    return try reading { (snapshot, definitions) throws(LedgerError) -> [OpenHold] in
      let now = try now(in: snapshot)
      let row = try CustomerFinder(snapshot).customer(customer)
      let owners = try CustomerFinder(snapshot).numbers(of: row)
      var holds: [OpenHold] = []
      for hold in try snapshot.holds(of: row.number) where hold.deadline > now {
        guard let begun = try snapshot.transaction(hold.number) else {
          throw LedgerError(.storageDamaged, "The journal lacks transaction \(hold.number); run verify.")
        }
        let parts = HoldRules.outstanding(
          try snapshot.events(about: hold.number, ofAny: owners), of: row.number)
        let amounts = parts.compactMap { part in
          definitions.currency(number: part.account.currency).map {
            CurrencyAmount(currency: $0.code, amount: part.amount)
          }
        }
        let id = HoldID(definitions.transactionIDs.id(number: hold.number, createdAt: begun.createdAt))
        holds.append(
          OpenHold(
            id: id, amounts: CurrencySums.sum([], amounts), createdAt: begun.createdAt, expiresAt: hold.deadline))
      }
      return holds
    }
  }
}

/// A hold that has not ended.
public struct OpenHold: Hashable, Sendable {
  /// Names the hold.
  public let id: HoldID
  /// The held amounts, in the order of codes.
  public let amounts: [CurrencyAmount]
  /// When it began.
  public let createdAt: Timestamp
  /// When it ends by itself.
  public let expiresAt: Timestamp
}
