extension Ledger {
  /// Undoes a spend, in full or part: its amounts go back into the very lots, with their expiry and their price.
  ///
  /// The lots that were burnt last get theirs back first. Amounts of lots that expired meanwhile are gone
  /// (``Booking/expired``). Amounts that come back to a refunded purchase go to the refund's shortfall
  /// (``Booking/reclaimed``). Items that the spend bought go back with the last of their price.
  ///
  /// - Parameters:
  ///   - transaction: A spend, a purchase of an item, or a capture.
  ///   - amounts: How much of each currency, positive; nil for all that is not given back yet.
  ///   - key: Send the same one with every retry.
  /// - Throws: ``LedgerError`` with, in order of precedence, `invalid_request`, `limit_exceeded`,
  ///   `amount_out_of_range`, `transaction_not_found`, `key_conflict`, `not_reversible`, `already_reversed`,
  ///   `exceeds_original`, `amount_out_of_range` (it would pass the hard limit).
  @discardableResult
  public func reverse(
    _ transaction: TransactionID, amounts: [Adjustment]? = nil, key: IdempotencyKey? = nil
  ) throws(LedgerError) -> Booking {
    try book(.reverse(transaction, amounts: amounts, key: key))
  }

  /// Moves currency from one customer to another; its lots keep their source, share of the price and expiry.
  ///
  /// A refund of the purchase that it came from still concerns the buyer, not the new owner.
  ///
  /// - Throws: ``LedgerError`` as ``basket(_:payer:key:)``.
  @discardableResult
  public func transfer(
    _ amounts: [Adjustment], from: CustomerID, to: CustomerID, key: IdempotencyKey? = nil
  ) throws(LedgerError) -> Booking {
    try book(.transfer(amounts, from: from, to: to, key: key))
  }

  /// Books several steps over several customers, all or none: a gift, a trade, a sale with a fee.
  ///
  /// Each customer gets a transaction of their own, linked to the others (``Booking/parties``).
  ///
  /// - Parameters:
  ///   - legs: 1 to ``Limits/legsPerBasket``; no customer both gives and gets the same currency or item.
  ///   - payer: The owner of the key; takes part in the basket.
  ///   - key: Send the same one with every retry.
  /// - Throws: ``LedgerError`` with, in order of precedence, `invalid_request`, `limit_exceeded`, `same_customer`,
  ///   `amount_out_of_range`, `customer_not_found`, `key_conflict`, `same_customer` (two ids of one customer),
  ///   `unknown_currency`, `item_not_found`, `customer_frozen`, `insufficient_balance`, `over_maximum`.
  @discardableResult
  public func basket(
    _ legs: [BasketLeg], payer: CustomerID, key: IdempotencyKey? = nil
  ) throws(LedgerError) -> Booking {
    try book(.basket(legs, payer: payer, key: key))
  }

  /// Changes currency into another one of the same customer.
  ///
  /// The new currency keeps source, environment, expiry and share of the price of the lots that are given. Where it
  /// came out of a purchase of the customer that was refunded since, it goes to the refund's shortfall
  /// (``Booking/reclaimed``).
  ///
  /// - Throws: ``LedgerError`` with, in order of precedence, `invalid_identifier`, `invalid_request`,
  ///   `amount_out_of_range`, `customer_not_found`, `key_conflict`, `unknown_currency`, `rounds_to_zero`,
  ///   `amount_out_of_range` (the new amount), `customer_frozen`, `insufficient_balance`, `over_maximum`.
  @discardableResult
  public func exchange(
    _ amount: Adjustment, into currency: CurrencyCode, rate: ExchangeRate, customer: CustomerID,
    key: IdempotencyKey? = nil
  ) throws(LedgerError) -> Booking {
    try book(.exchange(amount, into: currency, rate: rate, customer: customer, key: key))
  }

  /// Erases a customer's identity: ids, notes, keys and announcements go; the books stay and still add up.
  ///
  /// The store's transactions stay known, so that a redelivered purchase is not credited again, and a late refund finds
  /// its lots. The id is free: a later customer under it is a different one.
  ///
  /// - Returns: A booking; its customer is the id that replaces the erased one from now on.
  /// - Throws: ``LedgerError`` with `customer_not_found`, also where the customer was erased already.
  @discardableResult
  public func erase(_ customer: CustomerID) throws(LedgerError) -> Booking { try book(.erase(customer)) }

  /// Books the due scheduled effects: expiries, ended holds, allowances, recharges.
  ///
  /// Nothing depends on it. It keeps the journal current for clients that read only the feed.
  ///
  /// A customer with damaged rows does not hold up the others: the error is thrown once all others are booked.
  ///
  /// - Parameter progress: Called with the number of customers looked at.
  /// - Returns: The number of customers with due effects.
  /// - Throws: ``LedgerError`` with `storage_damaged` where rows of some customers are damaged, or as the storage
  ///   fails.
  @discardableResult
  public func sweep(progress: (Int) -> Void = { _ in }) throws(LedgerError) -> Int {
    var sweep = DueSweep(ledger: self)
    return try sweep.run(progress: progress)
  }
}
