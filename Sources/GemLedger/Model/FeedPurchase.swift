/// The purchase that an event of the feed concerns, as it was after the event's transaction.
///
/// Names and ids of the product are those of the purchase: a later change of the catalog changes no event.
public struct FeedPurchase: Hashable, Sendable {
  /// The bought product.
  public let product: ProductCode
  /// The product's title in the language that the catalog prefers; its code if it has no title.
  public let productName: String
  /// The product's id at the store; nil if the catalog had none for it.
  public let storeProductID: String?
  /// The store that sold it.
  public let store: Store
  /// Production, sandbox, or a test session.
  public let environment: StoreEnvironment
  /// The store's id of the purchase; on Google Play the purchase token.
  public let storeTransactionID: StoreTransactionID
  /// The first transaction of the same subscription; the store transaction itself for everything else.
  public let originalTransactionID: StoreTransactionID
  /// The number of units.
  public let quantity: Int64
  /// The price of all units together, if the store gave it.
  public let price: Money?
  /// When it was bought.
  public let purchasedAt: Timestamp
  /// How much of it was refunded after this event, in thousandths of a percent; 100,000 is all of it.
  public let refundedMilliPercent: Int64
}

/// The cause of an event's balance change, by the names that webhooks use.
public enum FeedSource: String, Hashable, Sendable, CaseIterable {
  /// A purchase, a renewal, a refund, or a refund that the store took back.
  case inAppPurchase = "in_app_purchase"
  /// A call of an app, of a service or of an operator.
  case api = "admin_api"
  /// The ledger itself: currency expired or recharged with time.
  case ledger
}
