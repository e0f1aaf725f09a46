public import GemLedger

/// What somebody wants to buy.
public struct PurchaseRequest: Hashable, Sendable {
  /// The product.
  public var product: ProductCode
  /// How many units; 1 to `Limits.quantity`.
  public var quantity: Int64
  /// Who gets what was bought.
  public var buyer: CustomerID
  /// Names the request: a shop that knows it already answers with the purchase that it made then.
  public var key: IdempotencyKey?

  /// A request for one or more units of a product.
  public init(product: ProductCode, quantity: Int64 = 1, buyer: CustomerID, key: IdempotencyKey? = nil) {
    self.product = product
    self.quantity = quantity
    self.buyer = buyer
    self.key = key
  }
}

/// How the shop answered a purchase: closed, so that a `switch` needs no default.
public enum StoreResult: Hashable, Sendable {
  /// It is paid for.
  case purchased(StorePurchase)
  /// Somebody else has to agree first, such as a parent; the purchase may come later, or never.
  case pending(StoreTransactionID)
  /// The customer turned back; nobody pays.
  case cancelled
}
