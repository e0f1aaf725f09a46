internal import GemLedger
internal import SimulatedStores

// Every method that takes an identifier throws `SKTestError` with `noTransactionFound` if the store has no such
// transaction, and with `invalidAction` if it belongs to no subscription.
extension SKTestSession {
  /// Ends the subscription to a product now.
  ///
  /// - Throws: ``SKTestError`` with `noSubscriptionFound`.
  public func expireSubscription(productIdentifier: String) throws {
    try subscription { () throws(LedgerError) in
      try store.expireSubscription(productIdentifier: productIdentifier, account: device.account.name)
    }
  }

  /// Renews the subscription to a product now; an ended one begins again.
  ///
  /// - Throws: ``SKTestError`` with `noSubscriptionFound`.
  public func forceRenewalOfSubscription(productIdentifier: String) throws {
    try subscription { () throws(LedgerError) in
      try store.forceRenewalOfSubscription(productIdentifier: productIdentifier, account: device.account.name)
    }
  }

  /// Lets the transaction's subscription end with its period.
  public func disableAutoRenewForTransaction(identifier: UInt) throws {
    try control(identifier, store.disableAutoRenewForTransaction)
  }

  /// Makes the transaction's subscription renew again, unless it has ended.
  public func enableAutoRenewForTransaction(identifier: UInt) throws {
    try control(identifier, store.enableAutoRenewForTransaction)
  }

  /// Asks the customer to agree to a higher price; without an answer the subscription ends with its period.
  public func requestPriceIncreaseConsentForTransaction(identifier: UInt) throws {
    try control(identifier, store.requestPriceIncreaseConsentForTransaction)
  }

  /// The customer agrees to a higher price.
  public func consentToPriceIncreaseForTransaction(identifier: UInt) throws {
    try control(identifier, store.consentToPriceIncreaseForTransaction)
  }

  /// The customer does not agree to a higher price: the subscription ends with its period.
  public func declinePriceIncreaseForTransaction(identifier: UInt) throws {
    try control(identifier, store.declinePriceIncreaseForTransaction)
  }

  private func subscription(_ body: () throws(LedgerError) -> Void) throws(SKTestError) {
    do throws(LedgerError) { try body() } catch {
      throw error.code == .purchaseNotFound ? SKTestError(.noSubscriptionFound, error.message) : error.testError
    }
  }
}
