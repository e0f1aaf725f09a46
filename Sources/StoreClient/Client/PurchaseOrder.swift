public import GemLedger
public import StoreBackend

/// A purchase in two steps: the order and its purchase code exist before the payment.
public struct PurchaseOrder: Hashable, Sendable {
  /// The product: our code, or its id at the store.
  public var productID: String
  /// The number of units.
  public var quantity: Int64
  /// The price of all units as the app showed it, where it is to be checked before the payment; in a currency that the
  /// catalog has a price in.
  public var price: Money?
  /// The game, character and server that it is for, carried through to history and delivery.
  public var context: OrderContext
  /// One key is one order and one payment: buying under it again gives the first answer, or `pending` while the payment
  /// is under way.
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

  /// An order under a key as text.
  ///
  /// - Throws: `LedgerError` with `invalid_identifier` for a key that is none.
  public init(
    productID: String, quantity: Int64 = 1, price: Money? = nil, context: OrderContext = OrderContext(), key: String
  ) throws(LedgerError) {
    self.init(
      productID: productID, quantity: quantity, price: price, context: context, key: try IdempotencyKey(key))
  }
}
