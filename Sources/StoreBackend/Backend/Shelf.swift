internal import GemLedger
internal import Synchronization

/// One version of the catalog with its products found by what each store calls them.
final class Shelf: Sendable {
  /// A product, and its document as purchases freeze it.
  struct Place: Sendable {
    let product: Product
    let document: String
  }

  let version: Int64
  let catalog: Catalog
  private let byStoreID: [String: [ByteString: Int]]
  private let byCode: [ProductCode: Int]
  private let places: [Place]

  init(version: Int64, catalog: Catalog, documents: [String]) {
    self.version = version
    self.catalog = catalog
    places = zip(catalog.products, documents).map { Place(product: $0, document: $1) }
    var byStoreID: [String: [ByteString: Int]] = [:]
    var byCode: [ProductCode: Int] = [:]
    for (index, product) in catalog.products.enumerated() {
      byCode[product.code] = index
      for (store, id) in product.storeIDs { byStoreID[store, default: [:]][ByteString(id)] = index }
    }
    self.byStoreID = byStoreID
    self.byCode = byCode
  }

  func product(storeID: String, at store: Store) -> Product? {
    byStoreID[store.description]?[ByteString(storeID)].map { places[$0].product }
  }

  func place(of code: ProductCode) -> Place? { byCode[code].map { places[$0] } }
}

/// Keeps the shelf between requests and makes a new one when the catalog has changed.
final class ShelfCache: Sendable {
  private let shelf = Mutex<Shelf?>(nil)

  func shelf(in snapshot: any StorageSnapshot) throws(LedgerError) -> Shelf {
    let version = try snapshot.catalogVersion()
    if let known = shelf.withLock({ $0 }), known.version == version { return known }
    let made = Shelf(
      version: version, catalog: try Ledger.catalog(in: snapshot),
      documents: try snapshot.catalogRows(.product).map(\.document))
    shelf.withLock { $0 = made }
    return made
  }
}
