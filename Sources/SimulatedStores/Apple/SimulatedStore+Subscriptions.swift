public import GemLedger

extension SimulatedStore {
  /// Ends the subscriptions to a product now, of one account or of all.
  ///
  /// - Throws: `LedgerError` with `purchase_not_found` if there is none.
  public func expireSubscription(
    productIdentifier: String, account: String? = nil
  ) throws(LedgerError) {
    try control(product: productIdentifier, account) { shop, subscription, now in
      shop.expireNow(subscription, now: now)
    }
  }

  /// Renews the subscriptions to a product now, of one account or of all; ended ones begin again.
  ///
  /// - Throws: `LedgerError` with `purchase_not_found` if there is none.
  public func forceRenewalOfSubscription(
    productIdentifier: String, account: String? = nil
  ) throws(LedgerError) {
    try control(product: productIdentifier, account) { shop, subscription, now in
      shop.renewNow(subscription, now: now)
    }
  }

  /// Lets the transaction's subscription end with its period.
  public func disableAutoRenewForTransaction(identifier id: StoreTransactionID) throws(LedgerError) {
    try control(subscriptionOf: id) { $0.willAutoRenew = false }
  }

  /// Makes the transaction's subscription renew again, unless it has ended.
  public func enableAutoRenewForTransaction(identifier id: StoreTransactionID) throws(LedgerError) {
    try control(subscriptionOf: id) { if $0.nextDue != nil { $0.willAutoRenew = true } }
  }

  /// Asks the customer to agree to a higher price; without an answer the subscription ends with its period.
  public func requestPriceIncreaseConsentForTransaction(identifier id: StoreTransactionID) throws(LedgerError) {
    try control(subscriptionOf: id) { $0.priceIncrease = .pending }
  }

  /// The customer agrees to a higher price.
  public func consentToPriceIncreaseForTransaction(identifier id: StoreTransactionID) throws(LedgerError) {
    try control(subscriptionOf: id) { $0.priceIncrease = .agreed }
  }

  /// The customer does not agree to a higher price: the subscription ends with its period.
  public func declinePriceIncreaseForTransaction(identifier id: StoreTransactionID) throws(LedgerError) {
    try control(subscriptionOf: id) { subscription in
      subscription.priceIncrease = .declined
      subscription.willAutoRenew = false
    }
  }
}
