public import GemLedger

/// A credited purchase as the customer may see it.
public struct PurchaseRecord: Hashable, Sendable {
  /// The order as announced before the payment, in a two-step purchase.
  public struct Announcement: Hashable, Sendable {
    /// The order's name.
    public var code: PurchaseCode
    /// The state of the order.
    public var status: Order.Status
    /// The game, character and server that it is for.
    public var context: OrderContext
    /// The app that announced it.
    public var bundleID: String
    /// When it was announced.
    public var createdAt: Timestamp
    /// When the order changed last.
    public var updatedAt: Timestamp

    /// An announcement.
    public init(
      code: PurchaseCode, status: Order.Status, context: OrderContext, bundleID: String, createdAt: Timestamp,
      updatedAt: Timestamp
    ) {
      self.code = code
      self.status = status
      self.context = context
      self.bundleID = bundleID
      self.createdAt = createdAt
      self.updatedAt = updatedAt
    }
  }

  /// The store.
  public var store: Store
  /// The store's id of the transaction.
  public var storeTransactionID: StoreTransactionID
  /// The first store transaction of the same subscription; the store transaction itself for everything else.
  public var originalTransactionID: StoreTransactionID
  /// The journal's id of its credit.
  public var transactionID: TransactionID
  /// The product.
  public var product: ProductCode
  /// How it is sold.
  public var productType: ProductType
  /// The product's id at the store when it was bought; nil if the catalog had none.
  public var storeProductID: String?
  /// The number of units.
  public var quantity: Int64
  /// The price of all units together, if the store states it.
  public var price: Money?
  /// When it was bought.
  public var purchasedAt: Timestamp
  /// When its period ends, for a subscription.
  public var expiresAt: Timestamp?
  /// The refunded share in thousandths of a percent, 0 to 100,000.
  public var refundedMilliPercent: Int64
  /// Whether it was bought with test money.
  public var isSandbox: Bool
  /// The offer by which it was bought; set for subscriptions, and in the history.
  public var offer: StoreTransaction.Offer?
  /// The payer; set for subscriptions, and in the history.
  public var ownership: StoreTransaction.Ownership
  /// The order that it paid for; set in the history only.
  public var announcement: Announcement?

  /// A record.
  public init(
    store: Store, storeTransactionID: StoreTransactionID, transactionID: TransactionID, product: ProductCode,
    productType: ProductType, quantity: Int64, price: Money?, purchasedAt: Timestamp, expiresAt: Timestamp? = nil,
    refundedMilliPercent: Int64 = 0, isSandbox: Bool = false, originalTransactionID: StoreTransactionID? = nil,
    storeProductID: String? = nil, offer: StoreTransaction.Offer? = nil,
    ownership: StoreTransaction.Ownership = .purchased
  ) {
    self.store = store
    self.storeTransactionID = storeTransactionID
    self.transactionID = transactionID
    self.product = product
    self.productType = productType
    self.quantity = quantity
    self.price = price
    self.purchasedAt = purchasedAt
    self.expiresAt = expiresAt
    self.refundedMilliPercent = refundedMilliPercent
    self.isSandbox = isSandbox
    self.originalTransactionID = originalTransactionID ?? storeTransactionID
    self.storeProductID = storeProductID
    self.offer = offer
    self.ownership = ownership
  }
}

extension PurchaseRecord {
  /// The id of the purchase in the store's client; on Google Play the purchase token.
  package var clientTransactionID: StoreTransactionID {
    storeTransactionID.purchaseToken(
      at: store, isSubscription: productType.isSubscription, storeProductID: storeProductID)
  }
}
