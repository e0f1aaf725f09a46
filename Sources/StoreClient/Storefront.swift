public import GemLedger

/// The shop as the client sees it: what it lists, what it sells, and what it is told once a purchase is credited.
///
/// A real store and a simulated one fit behind it alike. A store sells for real money and knows nothing of the ledger.
public protocol Storefront: Sendable {
  /// The products that the shop lists, in the order asked for; those that it does not know or sell here are left out.
  ///
  /// - Throws: `LedgerError` where the shop cannot be reached.
  func products(for codes: [ProductCode]) async throws(LedgerError) -> [StoreProduct]

  /// Takes the customer through a purchase.
  ///
  /// - Throws: `LedgerError` where nothing was bought and nobody pays: `product_not_found`, `not_available`,
  ///   `amount_out_of_range`, or the shop's own failure.
  func purchase(_ request: PurchaseRequest) async throws(LedgerError) -> StoreResult

  /// Tells the shop that the purchase is credited for good, so that it does not deliver it again.
  ///
  /// Finishing twice is harmless; finishing before the credit is durable loses the purchase.
  func finish(_ id: StoreTransactionID) async throws(LedgerError)
}

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
