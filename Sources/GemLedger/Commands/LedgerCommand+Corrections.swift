extension LedgerCommand {
  /// Claws back what a purchase gave, as far as the store gave its money back.
  ///
  /// The ledger finds whom it concerns by the purchase; ``customer`` is the store transaction's id and names nobody.
  public static func refund(
    _ refund: StoreRefund, key: IdempotencyKey? = nil, details: CommandDetails = CommandDetails()
  ) -> Self {
    Self(customer: CustomerID(ofNobody: refund.transactionID), key: key, details: details, action: .refund(refund))
  }

  /// Gives back what a refund took, since the store took the refund back.
  ///
  /// The ledger finds whom it concerns by the purchase; ``customer`` is the store transaction's id and names nobody.
  public static func reverseRefund(
    _ reversal: StoreRefundReversal, key: IdempotencyKey? = nil, details: CommandDetails = CommandDetails()
  ) -> Self {
    Self(
      customer: CustomerID(ofNobody: reversal.transactionID), key: key, details: details,
      action: .reverseRefund(reversal))
  }

  /// Makes two customers one.
  ///
  /// - Parameters:
  ///   - from: Whose balances, lots, purchases, items and debts move.
  ///   - into: Who has them afterwards. One of the two must exist; the other is then one more id.
  ///   - key: Send the same one with every retry.
  ///   - details: Conditions, reference, reason and actor.
  public static func merge(
    from: CustomerID, into: CustomerID, key: IdempotencyKey? = nil, details: CommandDetails = CommandDetails()
  ) -> Self {
    Self(customer: into, key: key, details: details, action: .merge(from))
  }

  /// Makes a customer who never signed in one with another.
  ///
  /// Refused with `condition_failed` where the customer has an id that is not anonymous. That is decided in the commit:
  /// of two sign-ins from one anonymous customer at the same moment, only one merges.
  package static func mergeAnonymous(from: CustomerID, into: CustomerID) -> Self {
    Self(customer: into, key: nil, action: .mergeAnonymous(from))
  }

  /// Makes the alias one more id of the customer; where the alias is a customer, the two become one.
  ///
  /// - Parameters:
  ///   - alias: Need not exist.
  ///   - customer: Must exist.
  public static func createAlias(_ alias: CustomerID, of customer: CustomerID) -> Self {
    Self(customer: customer, key: nil, action: .createAlias(alias))
  }

  /// Stops the customer from spending; what comes in is still credited.
  public static func freeze(
    _ customer: CustomerID, reason: Reason? = nil, key: IdempotencyKey? = nil,
    details: CommandDetails = CommandDetails()
  ) -> Self {
    Self(customer: customer, key: key, details: details.with(reason), action: .freeze)
  }

  /// Lets the customer spend again, whatever froze them.
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
  /// Stands where a customer belongs while nobody knows whom the store transaction is credited to.
  init(ofNobody transactionID: StoreTransactionID) {
    self.init(unchecked: String(transactionID.text.unicodeScalars.prefix(Limits.customerIDBytes / 4)))
  }
}
