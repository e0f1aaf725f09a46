/// The products in earlier catalog versions, by which earlier purchases are credited.
struct FormerProducts {
  /// The number of rows kept; a catalog that changes more drops the oldest.
  static let countMax = 4096

  /// The rows, in the order of the instants until which they were in force.
  private let rows: [CatalogRow]
  /// The instant since which all changes are kept, in milliseconds.
  private let since: Int64
  private let documents: [CatalogRow]

  init(in snapshot: any StorageSnapshot) throws(LedgerError) {
    try self.init(
      snapshot.catalogRows(.formerProduct), settings: snapshot.catalogRows(.settings),
      documents: snapshot.catalogRows(.product), version: snapshot.catalogVersion())
  }

  /// - Parameters:
  ///   - settings: The catalog's rows of this kind.
  ///   - documents: The current products; none if only earlier versions are needed.
  init(
    _ rows: [CatalogRow], settings: [CatalogRow], documents: [CatalogRow] = [], version: Int64
  ) throws(LedgerError) {
    self.rows = rows.sorted { ($0.position, $0.code) < ($1.position, $1.code) }
    self.documents = documents
    if let row = settings.first(where: { $0.code.hasBytes(of: CatalogRow.formerProductsSinceCode) }) {
      guard let instant = Int64(row.document) else {
        throw LedgerError(.storageDamaged, "The stored \(row.kind) \"\(row.code)\" cannot be read.")
      }
      since = instant
    } else {
      // The first catalog has none before it. A later one without the instant is not known to keep all of them.
      since = version <= 1 ? .min : .max
    }
  }

  /// Returns the catalog's rows of this kind after a new version replaces an old one.
  func rows(replacing old: Catalog, by new: Catalog, at now: Timestamp) throws(LedgerError) -> [CatalogRow] {
    let successors = Dictionary(new.products.map { ($0.code, $0) }, uniquingKeysWith: { first, _ in first })
    let texts = Dictionary(documents.map { ($0.code, $0.document) }, uniquingKeysWith: { first, _ in first })
    var kept = rows
    // Of two changes at one instant, the second replaces a version that was never in force.
    let known = Set(rows.map(\.code))
    for product in old.products where !product.isSold(as: successors[product.code]) {
      let code = "\(product.code)@\(now.milliseconds)"
      guard !known.contains(code), let document = texts[product.code.text] else { continue }
      kept.append(CatalogRow(kind: .formerProduct, code: code, position: now.milliseconds, document: document))
    }
    var since = min(since, now.milliseconds)
    let surplus = max(kept.count - Self.countMax, 0)
    if surplus > 0 { since = max(since, kept[surplus - 1].position) }
    return kept.dropFirst(surplus) + [
      CatalogRow(kind: .settings, code: CatalogRow.formerProductsSinceCode, position: 2, document: "\(since)")
    ]
  }

  /// The version of a product that was in force at an instant, or the first later one.
  ///
  /// Nil if that is the newest version, or if not all versions are kept.
  func row(of code: ProductCode, at instant: Timestamp) -> CatalogRow? {
    guard since <= instant.milliseconds else { return nil }
    return rows.first { $0.position > instant.milliseconds && $0.code.hasBytes(of: "\(code)@\($0.position)") }
  }

  /// Returns the products in the versions from an instant until now, without the newest; nil if not all of them are
  /// kept.
  func products(since instant: Timestamp) throws(LedgerError) -> [Product]? {
    guard since <= instant.milliseconds else { return nil }
    var products: [Product] = []
    for row in rows where row.position >= instant.milliseconds {
      products.append(try CatalogCache.read(row, as: Product.self))
    }
    return products
  }
}

extension Product {
  /// Whether a store sells the other product under the same ids and prices, with the same grants.
  fileprivate func isSold(as other: Product?) -> Bool {
    guard let other else { return false }
    return storeIDs == other.storeIDs && prices == other.prices && discountPrices == other.discountPrices
      && type == other.type && grants == other.grants && itemGrants == other.itemGrants
      && entitlement == other.entitlement && period == other.period
  }
}

extension CatalogRow {
  /// The code of the row with the instant since which all former products are kept.
  package static let formerProductsSinceCode = "former_products_since"
}
