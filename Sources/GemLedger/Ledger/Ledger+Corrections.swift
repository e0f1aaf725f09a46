extension Ledger {
  /// Claws back what a purchase gave, as far as the store gave its money back.
  ///
  /// What is due is the refunded share of what was granted, rounded up, in each currency. It is taken from the
  /// purchase's own lots; for what is spent already the currency's refund policy decides. The store's evidence may come
  /// in any order and any number of times: the newest holds, and what says nothing new gives the first receipt again. A
  /// refund that comes before its purchase is kept and booked with it: its receipt has no entries and
  /// ``Receipt/isAwaitingPurchase``.
  ///
  /// - Returns: What was taken, from the customer who has the purchase now.
  /// - Throws: ``LedgerError`` with, in order of precedence, `amount_out_of_range` (the extent), `key_conflict`,
  ///   `amount_out_of_range` (newer evidence gives back what would pass the hard limit).
  @discardableResult
  public func refund(_ refund: StoreRefund, key: IdempotencyKey? = nil) throws(LedgerError) -> Receipt {
    try book(.refund(refund, key: key))
  }

  /// Gives back exactly what a refund took, since the store took the refund back.
  ///
  /// Debts that the refund made are cancelled first; what was taken goes into the lots that it came from.
  ///
  /// - Returns: What was given back; without entries where there was nothing to give back.
  /// - Throws: ``LedgerError`` with, in order of precedence, `key_conflict`, `amount_out_of_range` (it would pass the
  ///   hard limit).
  @discardableResult
  public func reverseRefund(
    _ reversal: StoreRefundReversal, key: IdempotencyKey? = nil
  ) throws(LedgerError) -> Receipt {
    try book(.reverseRefund(reversal, key: key))
  }

  /// Makes two customers one: balances, lots, purchases, items and debts move, and both ids name the survivor.
  ///
  /// Where only one of them exists, the other id becomes one more id of that customer. What is moved may pass a
  /// currency's maximum (``Receipt/isOverMaximum``).
  ///
  /// - Parameters:
  ///   - from: Whose things move.
  ///   - into: Who has them afterwards.
  ///   - key: Send the same one with every retry.
  /// - Returns: What came to the survivor; without entries where nothing had to move.
  /// - Throws: ``LedgerError`` with, in order of precedence, `customer_not_found` where neither exists,
  ///   `key_conflict`, `same_customer`, `over_maximum` at the hard limit.
  @discardableResult
  public func merge(
    from: CustomerID, into: CustomerID, key: IdempotencyKey? = nil
  ) throws(LedgerError) -> Receipt {
    try book(.merge(from: from, into: into, key: key))
  }

  /// Makes the alias one more id of the customer; where the alias is a customer, the two become one.
  ///
  /// - Returns: What came to the customer; replayed where the alias was the customer's already.
  /// - Throws: ``LedgerError`` with, in order of precedence, `customer_not_found`, `over_maximum` at the hard limit.
  @discardableResult
  public func createAlias(_ alias: CustomerID, of customer: CustomerID) throws(LedgerError) -> Receipt {
    try book(.createAlias(alias, of: customer))
  }

  /// Stops the customer from spending; what comes in is still credited, and refunds still take.
  ///
  /// - Throws: ``LedgerError`` with, in order of precedence, `customer_not_found`, `key_conflict`.
  @discardableResult
  public func freeze(
    _ customer: CustomerID, reason: Reason? = nil, key: IdempotencyKey? = nil
  ) throws(LedgerError) -> Receipt {
    try book(.freeze(customer, reason: reason, key: key))
  }

  /// Lets the customer spend again, whatever froze them.
  ///
  /// - Throws: ``LedgerError`` with, in order of precedence, `customer_not_found`, `key_conflict`.
  @discardableResult
  public func unfreeze(
    _ customer: CustomerID, reason: Reason? = nil, key: IdempotencyKey? = nil
  ) throws(LedgerError) -> Receipt {
    try book(.unfreeze(customer, reason: reason, key: key))
  }
}
