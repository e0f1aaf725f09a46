internal import GemLedger

/// The frozen products of purchases, each parsed once: many purchases share few products.
final class FrozenProducts {
  /// The maximum number of cached products.
  private static let countMax = 1000

  /// The parsed products; nil for an unreadable product.
  private var products: [ByteString: Product?] = [:]

  func product(_ document: String) -> Product? {
    let key = ByteString(document)
    if let known = products[key] { return known }
    let product: Product?
    do { product = try Product(json: try JSONValue.parse(document)) } catch { product = nil }
    if products.count >= Self.countMax { products.removeAll() }
    products[key] = .some(product)
    return product
  }
}
