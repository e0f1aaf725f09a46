extension Ledger {
  /// Makes the customer, or does nothing where there is one.
  ///
  /// - Returns: Whether the customer is new.
  /// - Throws: ``LedgerError`` with `invalid_identifier` for an id of a kind that only the ledger makes.
  @discardableResult
  public func createCustomer(_ customer: CustomerID) throws(LedgerError) -> Bool {
    try !book(.createCustomer(customer)).isReplayed
  }

  /// Takes currency, all of it or none: soonest expiry first, then free before paid, then oldest.
  ///
  /// - Parameters:
  ///   - amounts: 1 to 100 positive amounts, each currency once.
  ///   - customer: Must exist.
  ///   - key: Send the same one with every retry.
  ///   - conditions: Must hold, or nothing is booked.
  /// - Returns: The entries with the balances after them, and the amounts taken from each lot.
  /// - Throws: ``LedgerError`` with, in order of precedence, `invalid_request`, `limit_exceeded`,
  ///   `amount_out_of_range`, `customer_not_found`, `key_conflict`, `unknown_currency`, `condition_failed`,
  ///   `customer_frozen`, `insufficient_balance`.
  @discardableResult
  public func spend(
    _ amounts: [Adjustment], customer: CustomerID, key: IdempotencyKey? = nil, conditions: [Condition] = []
  ) throws(LedgerError) -> Booking {
    try book(.spend(amounts, customer: customer, key: key, details: CommandDetails(conditions: conditions)))
  }

  /// Changes balances by signed amounts, all or none.
  ///
  /// - Parameters:
  ///   - adjustments: 1 to 100, each currency once.
  ///   - customer: Must exist.
  ///   - key: Send the same one with every retry.
  ///   - conditions: Must hold, or nothing is booked.
  /// - Returns: The entries with the balances after them.
  /// - Throws: ``LedgerError`` as ``spend(_:customer:key:conditions:)``, and last `over_maximum`.
  @discardableResult
  public func adjust(
    _ adjustments: [Adjustment], customer: CustomerID, key: IdempotencyKey? = nil, conditions: [Condition] = []
  ) throws(LedgerError) -> Booking {
    try book(.adjust(adjustments, customer: customer, key: key, details: CommandDetails(conditions: conditions)))
  }

  /// Grants currency; makes the customer if need be.
  ///
  /// - Parameters:
  ///   - amounts: 1 to 100 positive amounts, each currency once.
  ///   - customer: Need not exist.
  ///   - key: Send the same one with every retry.
  ///   - source: The kind of lots it makes; not `paid`, which only a purchase makes.
  ///   - expiresAt: The instant from which the currency is worth nothing; nil for never.
  ///   - reason: Why, for readers of the history.
  /// - Returns: The entries with the balances after them.
  /// - Throws: ``LedgerError`` with, in order of precedence, `invalid_request`, `limit_exceeded`,
  ///   `amount_out_of_range`, `key_conflict`, `invalid_request` for an expiry that is past, `unknown_currency`,
  ///   `over_maximum`.
  @discardableResult
  public func grant(
    _ amounts: [Adjustment], customer: CustomerID, key: IdempotencyKey? = nil, source: LotSource = .admin,
    expiresAt: Timestamp? = nil, reason: Reason? = nil
  ) throws(LedgerError) -> Booking {
    try book(
      .grant(
        amounts, customer: customer, key: key, source: source, expiresAt: expiresAt,
        details: CommandDetails(reason: reason)))
  }

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

  /// Credits a store transaction exactly once, however many calls ask for it.
  ///
  /// The grant is resolved from the catalog inside the commit and frozen with it. A store transaction that was credited
  /// before, to any customer, is a success: the result is the first booking, which names the owner.
  ///
  /// - Throws: ``LedgerError`` with, in order of precedence, `invalid_request`, `amount_out_of_range`, `key_conflict`,
  ///   `product_not_found`, `amount_out_of_range` (the credit passes the hard limit).
  @discardableResult
  public func creditPurchase(
    _ purchase: StorePurchase, customer: CustomerID, key: IdempotencyKey? = nil
  ) throws(LedgerError) -> Booking {
    try book(.creditPurchase(purchase, customer: customer, key: key))
  }
}

extension LedgerCommand {
  /// Takes currency: an adjustment of the negated amounts.
  ///
  /// - Throws: ``LedgerError`` with `amount_out_of_range` when an amount is below 1.
  public static func spend(
    _ amounts: [Adjustment], customer: CustomerID, key: IdempotencyKey? = nil,
    details: CommandDetails = CommandDetails()
  ) throws(LedgerError) -> Self {
    var adjustments: [Adjustment] = []
    for amount in amounts {
      guard amount.amount > 0 else {
        throw RequestRules.outOfRange(
          "A spend of \(amount.amount) \(amount.currency) is out of range: it must be at least 1.", amount.amount)
      }
      adjustments.append(Adjustment(amount.currency, -amount.amount))
    }
    return .adjust(adjustments, customer: customer, key: key, details: details)
  }
}
