/// The store's record of a purchase, with the fields for its credit.
public struct StorePurchase: Hashable, Sendable {
  /// The terms of a purchase.
  ///
  /// A purchase without payment makes ``LotSource/bonus`` lots without a price.
  public enum Terms: Hashable, Sendable, CaseIterable {
    /// Paid at its price.
    case paid
    /// Free of charge: an offer, or the share of a family member's purchase.
    case free
    /// Free of charge for a trial: the product may then give another amount.
    case trial
  }

  /// The store that sold it.
  public var store: Store
  /// Production, sandbox, or a test session.
  public var environment: StoreEnvironment
  /// The store's id of the purchase; on Google Play the purchase token.
  public var transactionID: StoreTransactionID
  /// The bought product.
  public var product: ProductCode
  /// The number of units; 1 to ``Limits/quantity``.
  public var quantity: Int64
  /// The price of all units together, if the store gives it.
  public var price: Money?
  /// The time of the purchase.
  public var purchasedAt: Timestamp
  /// The end of the paid period, for a subscription.
  public var cycleEndsAt: Timestamp?
  /// The first transaction of the same subscription; nil if this is the first.
  public var originalTransactionID: StoreTransactionID?
  /// The terms of the purchase.
  public var terms: Terms
  /// The token of an unregistered buyer; the customer of the post is credited instead.
  public var unknownBuyer: String?
  /// The date of the store's statement that the purchase is paid and not refunded; nil if it was not kept.
  public var statedAt: Timestamp?
  /// The full statement of the store; nil if it was not kept.
  public var statement: StoreStatement?

  /// A record of a purchase.
  public init(
    store: Store, environment: StoreEnvironment, transactionID: StoreTransactionID, product: ProductCode,
    quantity: Int64 = 1, price: Money? = nil, purchasedAt: Timestamp, cycleEndsAt: Timestamp? = nil,
    originalTransactionID: StoreTransactionID? = nil, terms: Terms = .paid, unknownBuyer: String? = nil,
    statedAt: Timestamp? = nil,
    statement: StoreStatement? = nil
  ) {
    self.store = store
    self.environment = environment
    self.transactionID = transactionID
    self.product = product
    self.quantity = quantity
    self.price = price
    self.purchasedAt = purchasedAt
    self.cycleEndsAt = cycleEndsAt
    self.originalTransactionID = originalTransactionID
    self.terms = terms
    self.unknownBuyer = unknownBuyer
    self.statedAt = statedAt
    self.statement = statement
  }
}
