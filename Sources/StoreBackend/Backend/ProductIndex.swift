internal import GemLedger
internal import Synchronization

/// One version of the catalog, with its products by their ids at each store.
final class ProductIndex: Sendable {
  let version: Int64
  let catalog: Catalog
  private let byStoreID: [String: [ByteString: Int]]
  private let byCode: [ProductCode: Int]

  init(version: Int64, catalog: Catalog) {
    self.version = version
    self.catalog = catalog
    var byStoreID: [String: [ByteString: Int]] = [:]
    var byCode: [ProductCode: Int] = [:]
    for (index, product) in catalog.products.enumerated() {
      byCode[product.code] = index
      for (store, id) in product.storeIDs { byStoreID[store, default: [:]][ByteString(id)] = index }
    }
    self.byStoreID = byStoreID
    self.byCode = byCode
  }

  /// Returns the product with the id at the store, as `[Product].product(storeID:at:)` does; the test store also sells
  /// products by their codes.
  func product(storeID: String, at store: Store) -> Product? {
    if let index = byStoreID[store.description]?[ByteString(storeID)] { return catalog.products[index] }
    if store == .google { return catalog.products.product(storeID: storeID, at: store) }
    return store == .test ? catalog.products.first { $0.code.text.hasBytes(of: storeID) } : nil
  }

  func product(_ code: ProductCode) -> Product? { byCode[code].map { catalog.products[$0] } }
}

/// Keeps the product index between requests and replaces it after a change of the catalog.
final class ProductIndexCache: Sendable {
  private let productIndex = Mutex<ProductIndex?>(nil)

  func productIndex(in view: LedgerView) throws(LedgerError) -> ProductIndex {
    let version = try view.catalogVersion()
    if let known = productIndex.withLock({ $0 }), known.version == version { return known }
    let made = ProductIndex(version: version, catalog: try view.catalog())
    productIndex.withLock { $0 = made }
    return made
  }
}

extension [Product] {
  /// Returns the product with an id at a store, or the first of several.
  ///
  /// Google Play sells a subscription by base plans, `subscription:plan`. If no product names the plan, it belongs to
  /// the product that names only the subscription. An id without a plan matches the only product with a plan of the
  /// subscription.
  func product(storeID id: String, at store: Store) -> Product? {
    let name = store.description
    if let exact = first(where: { $0.storeIDs[name]?.hasBytes(of: id) == true }) { return exact }
    guard store == .google else { return nil }
    let subscription = StoreTransaction.productID(atGoogle: id)
    let others = filter { product in
      guard let other = product.storeIDs[name], product.type.isSubscription else { return false }
      return (id.hasBytes(of: subscription) ? StoreTransaction.productID(atGoogle: other) : other)
        .hasBytes(of: subscription)
    }
    return Set(others.map(\.code)).count == 1 ? others.first : nil
  }
}
