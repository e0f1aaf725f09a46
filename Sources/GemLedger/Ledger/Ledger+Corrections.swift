extension Ledger {
  /// Claws back the grant of a purchase, as far as the store gave its money back.
  ///
  /// The amount due is the refunded share of the grant, rounded up, in each currency. It comes from the purchase's own
  /// lots; for spent currency the currency's refund policy decides. The store's evidence may come in any order and any
  /// number of times. The newest evidence holds; evidence that says nothing new returns the first booking again. A
  /// refund that comes before its purchase is kept and booked with it: its booking has no entries and has
  /// ``Booking/isAwaitingPurchase``.
  ///
  /// - Returns: The amounts taken, from the present owner of the purchase.
  /// - Throws: ``LedgerError`` with, in order of precedence, `amount_out_of_range` (the extent), `key_conflict`,
  ///   `amount_out_of_range` (newer evidence gives back an amount that would pass the hard limit).
  @discardableResult
  public func refund(_ refund: StoreRefund, key: IdempotencyKey? = nil) throws(LedgerError) -> Booking {
    try book(.refund(refund, key: key))
  }

  /// Gives back exactly the amounts that a refund took, since the store took the refund back.
  ///
  /// Debts that the refund made are cancelled first; the taken amounts go into the lots that they came from.
  ///
  /// - Returns: The amounts given back; without entries where there was nothing to give back.
  /// - Throws: ``LedgerError`` with, in order of precedence, `key_conflict`, `amount_out_of_range` (it would pass the
  ///   hard limit).
  @discardableResult
  public func reverseRefund(
    _ reversal: StoreRefundReversal, key: IdempotencyKey? = nil
  ) throws(LedgerError) -> Booking {
    try book(.reverseRefund(reversal, key: key))
  }

  /// Merges two customers: balances, lots, purchases, items and debts move, and both ids name the surviving customer.
  ///
  /// Where only one of them exists, the other id becomes one more id of that customer. Moved amounts may pass a
  /// currency's maximum (``Booking/isOverMaximum``).
  ///
  /// - Parameters:
  ///   - from: The customer to merge.
  ///   - into: The surviving customer.
  ///   - key: Send the same one with every retry.
  /// - Returns: The amounts that came to the surviving customer; without entries where nothing had to move.
  /// - Throws: ``LedgerError`` with, in order of precedence, `customer_not_found` where neither exists, `key_conflict`,
  ///   `same_customer`, `over_maximum` at the hard limit.
  @discardableResult
  public func merge(
    from: CustomerID, into: CustomerID, key: IdempotencyKey? = nil
  ) throws(LedgerError) -> Booking {
    try book(.merge(from: from, into: into, key: key))
  }

  /// Makes the alias one more id of the customer; where the alias is a customer, the two are merged.
  ///
  /// - Returns: The amounts that came to the customer; replayed where the customer had the alias already.
  /// - Throws: ``LedgerError`` with, in order of precedence, `customer_not_found`, `over_maximum` at the hard limit.
  @discardableResult
  public func createAlias(_ alias: CustomerID, of customer: CustomerID) throws(LedgerError) -> Booking {
    try book(.createAlias(alias, of: customer))
  }

  /// Undoes the merge that made a customer part of another: the customer is one of its own again.
  ///
  /// The ids, purchases, entitlements and history that the customer brought into the merge are its own again, and so
  /// are the lots, debts and items of them that are still there. ``Booking/unmerged`` says for each what moved then and
  /// what came back. Nothing else is taken from the survivor. Ids, purchases and currency that came after the merge
  /// stay with the survivor. Undo nested merges from the newest to the oldest.
  ///
  /// - Parameters:
  ///   - customer: Any id that the customer brought into the merge.
  ///   - survivor: An id of the customer that it is part of; nil where it may be any.
  ///   - key: Send the same one with every retry.
  /// - Returns: The amounts and items that came back; the survivor's side is in ``Booking/parties``.
  /// - Throws: ``LedgerError`` with, in order of precedence, `customer_not_found`, `key_conflict`, `already_reversed`
  ///   where the customer was split off before, `not_reversible` where it was never merged into another,
  ///   `condition_failed` where it is part of another than the given survivor or where a later merge has to be undone
  ///   first, `customer_frozen` where the survivor is frozen, `condition_failed` where an open hold has set currency
  ///   aside that moved with the merge.
  @discardableResult
  public func unmerge(
    _ customer: CustomerID, from survivor: CustomerID? = nil, key: IdempotencyKey? = nil
  ) throws(LedgerError) -> Booking {
    try book(.unmerge(customer, from: survivor, key: key))
  }

  /// Stops the customer from spending; credits still come in, and refunds still take.
  ///
  /// - Throws: ``LedgerError`` with, in order of precedence, `customer_not_found`, `key_conflict`.
  @discardableResult
  public func freeze(
    _ customer: CustomerID, reason: Reason? = nil, key: IdempotencyKey? = nil
  ) throws(LedgerError) -> Booking {
    try book(.freeze(customer, reason: reason, key: key))
  }

  /// Lets the customer spend again, after a freeze of any cause.
  ///
  /// - Throws: ``LedgerError`` with, in order of precedence, `customer_not_found`, `key_conflict`.
  @discardableResult
  public func unfreeze(
    _ customer: CustomerID, reason: Reason? = nil, key: IdempotencyKey? = nil
  ) throws(LedgerError) -> Booking {
    try book(.unfreeze(customer, reason: reason, key: key))
  }
}
