// The core's times and amounts in Foundation's types, by RevenueCat's names.

extension CustomerInfo {
  /// The instant of the state.
  public var requestDate: Date { asOf.date }
  /// When the customer was created.
  public var firstSeen: Date { firstSeenAt.date }

  /// Returns when a right ends; nil for never, and for a right that the customer never had.
  public func expirationDate(forEntitlement id: String) -> Date? { entitlements[id]?.expirationDate }

  /// Returns when the running period of a right was bought; nil for a right that the customer never had.
  public func purchaseDate(forEntitlement id: String) -> Date? { entitlements[id]?.latestPurchaseDate }
}

extension CustomerRecord.Entitlement {
  /// When the running period was bought.
  public var latestPurchaseDate: Date? { purchasedAt.date }
  /// When it ends; nil for never.
  public var expirationDate: Date? { expiresAt?.date }
}

extension NonSubscriptionTransaction {
  /// When it was bought.
  public var purchaseDate: Date { purchasedAt.date }
}

extension PurchaseRecord {
  /// When it was bought.
  public var purchaseDate: Date { purchasedAt.date }
  /// When its period ends, for a subscription.
  public var expirationDate: Date? { expiresAt?.date }
}

extension StoreTransaction {
  /// When it was bought, or renewed.
  public var purchaseDate: Date { purchasedAt.date }
  /// When the paid period ends, for a subscription.
  public var expirationDate: Date? { expiresAt?.date }
}

extension VirtualCurrencies {
  /// The instant of the balances.
  public var requestDate: Date { asOf.date }
}
