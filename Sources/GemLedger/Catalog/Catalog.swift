/// Everything that a project sells and counts in: currencies, products, offerings, items and settings.
///
/// A catalog that exists has passed every check, whether a file or code made it.
///
/// ```swift
/// let catalog = try Catalog.load(bytes)
/// let product = catalog.product(try ProductCode("gems_1200"))
/// ```
public struct Catalog: Hashable, Sendable {
  /// The currencies.
  public let currencies: [Currency]
  /// The products.
  public let products: [Product]
  /// The offerings.
  public let offerings: [CatalogOffering]
  /// The offering that is shown if a request names none.
  public let currentOffering: OfferingID?
  /// The items.
  public let items: [Item]
  /// The settings of the whole project.
  public let settings: CatalogSettings

  /// Checks a catalog that is made in code.
  ///
  /// - Throws: ``CatalogProblems`` with all problems.
  public init(
    currencies: [Currency], products: [Product] = [], offerings: [CatalogOffering] = [],
    currentOffering: OfferingID? = nil, items: [Item] = [], settings: CatalogSettings = CatalogSettings()
  ) throws(CatalogProblems) {
    let unchecked = Catalog(
      unchecked: currencies, products: products, offerings: offerings, currentOffering: currentOffering,
      items: items, settings: settings)
    // Through JSON, so that there is one set of checks and not two.
    try self.init(json: unchecked.json())
  }

  /// For parts that were checked when they were stored.
  package init(
    unchecked currencies: [Currency], products: [Product], offerings: [CatalogOffering], currentOffering: OfferingID?,
    items: [Item], settings: CatalogSettings
  ) {
    self.currencies = currencies
    self.products = products
    self.offerings = offerings
    self.currentOffering = currentOffering
    self.items = items
    self.settings = settings
  }
}

extension Catalog {
  /// The currency with this code.
  public func currency(_ code: CurrencyCode) -> Currency? { currencies.first { $0.code == code } }

  /// The product with this code.
  public func product(_ code: ProductCode) -> Product? { products.first { $0.code == code } }

  /// The product that a store knows by this id.
  public func product(storeID: String, at store: String) -> Product? {
    products.first { $0.storeIDs[store].map(ByteString.init) == ByteString(storeID) }
  }

  /// The offering with this id.
  public func offering(_ id: OfferingID) -> CatalogOffering? { offerings.first { $0.id == id } }

  /// The item with this id.
  public func item(_ id: ItemID) -> Item? { items.first { $0.id == id } }
}

extension Catalog {
  /// A product that a store's list does not show.
  public struct LeftOut: Hashable, Sendable {
    /// The product.
    public let product: ProductCode
    /// Every reason, such as `no price in JPN`.
    public let why: String
  }

  /// The products that the list of a store leaves out in a storefront, and why.
  public func leftOut(at store: String, storefront: StorefrontCode) -> [LeftOut] {
    products.compactMap { product in
      let obstacles = product.obstacles(at: store, storefront: storefront)
      return obstacles.isEmpty ? nil : LeftOut(product: product.code, why: obstacles.joined(separator: ", "))
    }
  }
}

extension Product {
  /// Why the list of a store leaves the product out, such as `no price in JPN`; empty if it shows it.
  public func obstacles(at store: String, storefront: StorefrontCode) -> [String] {
    var obstacles: [String] = []
    if !isActive { obstacles.append("not active") }
    if storeIDs[store] == nil { obstacles.append("no id at \(store)") }
    if localizations.isEmpty { obstacles.append("no localization") }
    if prices[storefront] == nil { obstacles.append("no price in \(storefront)") }
    return obstacles
  }
}
