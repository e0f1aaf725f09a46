internal import GemLedger

/// The frozen products of purchases: purchases repeat few products, and each is read once.
final class FrozenProducts {
  /// How many are remembered.
  private static let countMax = 1000

  /// Nil for one that cannot be read.
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
