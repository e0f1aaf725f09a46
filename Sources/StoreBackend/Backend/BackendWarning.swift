public import GemLedger

/// What a backend did and an operator should know of.
public struct BackendWarning: Sendable {
  /// What it is about, such as `price_differs`.
  public let name: String
  /// The warning, for people.
  public let message: String
  /// The facts, by name.
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
