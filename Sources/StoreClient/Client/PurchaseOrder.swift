public import GemLedger
public import StoreBackend

/// A purchase in two steps: the order and its purchase code exist before the payment.
public struct PurchaseOrder: Hashable, Sendable {
  /// The product: its code, or its id at the store.
  public var productID: String
  /// The number of units.
  public var quantity: Int64
  /// The price of all units as the app showed it, if it is to be checked before the payment; the catalog must have a
  /// price in its currency.
  public var price: Money?
  /// The game, character and server of the purchase, carried through to history and delivery.
  public var context: OrderContext
  /// One key is one order and one payment: buying with it again returns the first answer, or `pending` while the
  /// payment is in progress.
  public var key: IdempotencyKey?

  /// An order.
  public init(
    productID: String, quantity: Int64 = 1, price: Money? = nil, context: OrderContext = OrderContext(),
    key: IdempotencyKey? = nil
  ) {
    self.productID = productID
    self.quantity = quantity
    self.price = price
    self.context = context
    self.key = key
  }

  /// Creates an order with a key as text.
  ///
  /// - Throws: `LedgerError` with `invalid_identifier` for an invalid key.
  public init(
    productID: String, quantity: Int64 = 1, price: Money? = nil, context: OrderContext = OrderContext(), key: String
  ) throws(LedgerError) {
    self.init(
      productID: productID, quantity: quantity, price: price, context: context, key: try IdempotencyKey(key))
  }
}
