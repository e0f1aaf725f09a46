extension LedgerCommand {
  /// Claws back the grant of a purchase, as far as the store gave its money back.
  ///
  /// The ledger finds the owner by the purchase; ``customer`` is the store transaction's id and names no customer.
  public static func refund(
    _ refund: StoreRefund, key: IdempotencyKey? = nil, details: CommandDetails = CommandDetails()
  ) -> Self {
    Self(customer: CustomerID(ofNobody: refund.transactionID), key: key, details: details, action: .refund(refund))
  }

  /// Gives back the clawed-back amounts of a refund that the store has reversed.
  ///
  /// The ledger finds the owner by the purchase; ``customer`` is the store transaction's id and names no customer.
  public static func reverseRefund(
    _ reversal: StoreRefundReversal, key: IdempotencyKey? = nil, details: CommandDetails = CommandDetails()
  ) -> Self {
    Self(
      customer: CustomerID(ofNobody: reversal.transactionID), key: key, details: details,
      action: .reverseRefund(reversal))
  }

  /// Merges two customers.
  ///
  /// - Parameters:
  ///   - from: The customer to merge: balances, lots, purchases, items and debts move.
  ///   - into: The surviving customer. One of the two must exist; the other is then one more id.
  ///   - key: Send the same one with every retry.
  ///   - details: Conditions, reference, reason and actor.
  public static func merge(
    from: CustomerID, into: CustomerID, key: IdempotencyKey? = nil, details: CommandDetails = CommandDetails()
  ) -> Self {
    Self(customer: into, key: key, details: details, action: .merge(from))
  }

  /// Merges an anonymous customer into another.
  ///
  /// Refused with `condition_failed` where the customer has an id that is not anonymous. The commit decides this: of
  /// two sign-ins from one anonymous customer at the same moment, only one merges.
  package static func mergeAnonymous(from: CustomerID, into: CustomerID) -> Self {
    Self(customer: into, key: nil, action: .mergeAnonymous(from))
  }

  /// Makes the alias one more id of the customer; where the alias is a customer, the two are merged.
  ///
  /// - Parameters:
  ///   - alias: Need not exist.
  ///   - customer: Must exist.
  public static func createAlias(_ alias: CustomerID, of customer: CustomerID) -> Self {
    Self(customer: customer, key: nil, action: .createAlias(alias))
  }

  /// Undoes the merge that made a customer part of another.
  ///
  /// - Parameters:
  ///   - customer: Any id that the customer brought into the merge.
  ///   - survivor: An id of the customer that it is part of, so that no other is split; nil where it may be any.
  ///   - key: Send the same one with every retry.
  ///   - details: Reference, reason and actor.
  public static func unmerge(
    _ customer: CustomerID, from survivor: CustomerID? = nil, key: IdempotencyKey? = nil,
    details: CommandDetails = CommandDetails()
  ) -> Self {
    Self(customer: customer, key: key, details: details, action: .unmerge(from: survivor))
  }

  /// Stops the customer from spending; credits are still booked.
  public static func freeze(
    _ customer: CustomerID, reason: Reason? = nil, key: IdempotencyKey? = nil,
    details: CommandDetails = CommandDetails()
  ) -> Self {
    Self(customer: customer, key: key, details: details.with(reason), action: .freeze)
  }

  /// Lets the customer spend again, whichever cause froze the customer.
  public static func unfreeze(
    _ customer: CustomerID, reason: Reason? = nil, key: IdempotencyKey? = nil,
    details: CommandDetails = CommandDetails()
  ) -> Self {
    Self(customer: customer, key: key, details: details.with(reason), action: .unfreeze)
  }
}

extension CommandDetails {
  fileprivate func with(_ reason: Reason?) -> Self {
    var details = self
    details.reason = reason ?? self.reason
    return details
  }
}

extension CustomerID {
  /// Stands in for a customer while the owner of the store transaction is unknown.
  init(ofNobody transactionID: StoreTransactionID) {
    self.init(unchecked: String(transactionID.text.unicodeScalars.prefix(Limits.customerIDBytes / 4)))
  }
}
