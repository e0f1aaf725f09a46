public import GemLedger

/// A receiver of deliveries, such as a game server: it receives each order that was paid for and credited.
public protocol DeliveryTarget: Sendable {
  /// Delivers a paid order.
  ///
  /// A delivery may be repeated, for example if its confirmation was lost: detect this by its purchase code. The method
  /// should have a timeout; the order stays `delivery_pending` meanwhile.
  ///
  /// - Returns: Whether the receiver confirmed the delivery.
  func deliver(_ delivery: Delivery) async -> Bool
}

/// The contents of a paid order, for the game server that hands them out.
public struct Delivery: Hashable, Sendable {
  /// An amount of a currency or of an item.
  public struct Item: Hashable, Sendable {
    /// The currency's code or the item's id.
    public var id: String
    /// The amount.
    public var quantity: Int64

    /// Creates an amount of a currency or of an item.
    public init(id: String, quantity: Int64) {
      self.id = id
      self.quantity = quantity
    }
  }

  /// The order's code; the receiver detects a repeated delivery by it.
  public var purchaseCode: PurchaseCode
  /// The buyer.
  public var customer: CustomerID
  /// The product.
  public var product: ProductCode
  /// The product's id at the store, as the catalog has it now; nil if the catalog has none.
  public var storeProductID: String?
  /// The number of units.
  public var quantity: Int64
  /// The price of all units together, if the store states it.
  public var price: Money?
  /// The credited amounts: currencies, then items.
  public var items: [Item]
  /// The announced context: game, character, server and other data.
  public var context: OrderContext
  /// The store's id of the purchase.
  public var storeTransactionID: StoreTransactionID
  /// The store.
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
