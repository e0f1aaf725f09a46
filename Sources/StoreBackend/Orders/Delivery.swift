public import GemLedger

/// A receiver of deliveries, such as a game server: it is told of each order that was paid for and credited.
public protocol DeliveryTarget: Sendable {
  /// Hands the delivery over.
  ///
  /// The same delivery may come several times, for instance when its confirmation was lost: know it by its purchase
  /// code. It should end within a time of its own; the order stays `delivery_pending` meanwhile.
  ///
  /// - Returns: Whether the receiver confirmed that it has it.
  func deliver(_ delivery: Delivery) async -> Bool
}

/// The contents of a paid order, for the game server that hands them out.
public struct Delivery: Hashable, Sendable {
  /// Some of a currency or of an item.
  public struct Item: Hashable, Sendable {
    /// The currency's code or the item's id.
    public var id: String
    /// How much.
    public var quantity: Int64

    /// Some of a currency or of an item.
    public init(id: String, quantity: Int64) {
      self.id = id
      self.quantity = quantity
    }
  }

  /// Names the order; the receiver knows a repeated delivery by it.
  public var purchaseCode: PurchaseCode
  /// The buyer.
  public var customer: CustomerID
  /// The product.
  public var product: ProductCode
  /// The product's id at the store, as the catalog has it now; nil where the catalog has none for it.
  public var storeProductID: String?
  /// The number of units.
  public var quantity: Int64
  /// The price of all units together, where the store states it.
  public var price: Money?
  /// The credited amounts: currencies, then items.
  public var items: [Item]
  /// Game, role, server and the rest, as they were announced.
  public var context: OrderContext
  /// The store's own id of the purchase.
  public var storeTransactionID: StoreTransactionID
  /// Where it was bought.
  public var store: Store

  /// A delivery.
  public init(
    purchaseCode: PurchaseCode, customer: CustomerID, product: ProductCode, quantity: Int64, price: Money?,
    items: [Item], context: OrderContext, storeTransactionID: StoreTransactionID, store: Store,
    storeProductID: String? = nil
  ) {
    self.purchaseCode = purchaseCode
    self.customer = customer
    self.product = product
    self.storeProductID = storeProductID
    self.quantity = quantity
    self.price = price
    self.items = items
    self.context = context
    self.storeTransactionID = storeTransactionID
    self.store = store
  }
}
