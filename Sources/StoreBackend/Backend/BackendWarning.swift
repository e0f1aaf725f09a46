public import GemLedger

/// A fact about a booking that an operator should know; the booking succeeded.
public struct BackendWarning: Sendable {
  /// Its name for programs; at present only `price_differs`: a store signed another price than the catalog's.
  public let name: String
  /// The warning, for people.
  public let message: String
  /// The facts, by name: of `price_differs` `store_transaction_id`, `product_id`, `price_minor_units` and
  /// `price_currency` of the signed price, and `offer`, the offer's id at the store, if there is one.
  public let facts: [LedgerError.Detail]
}

extension BackendWarning {
  /// A store states another price than the catalog's; the purchase was credited.
  static func priceDiffers(_ transaction: StoreTransaction, _ product: Product, _ error: LedgerError) -> Self {
    var facts: [LedgerError.Detail] = [
      .text("store_transaction_id", transaction.id.text), .text("product_id", product.code.text),
    ]
    if let price = transaction.price {
      facts += [.integer("price_minor_units", price.minorUnits), .text("price_currency", price.currency)]
    }
    if let offer = transaction.offer?.identifier { facts.append(.text("offer", offer)) }
    return Self(name: "price_differs", message: error.message, facts: facts)
  }
}
