public import GemLedger

/// What the shop window shows: the offerings of a catalog with the products of one store.
///
/// ```swift
/// let offerings = Offerings(of: catalog, in: ShopWindow(storefront: japan, locale: "ja_JP"))
/// for package in offerings.current?.packages ?? [] { show(package.product.localizedPrice) }
/// ```
public struct Offerings: Hashable, Sendable {
  /// One offering, with the packages that can be bought.
  public struct Entry: Hashable, Sendable {
    /// The offering's name.
    public let id: OfferingID
    /// A sentence about it, for those who run the shop.
    public let description: String
    /// The packages in the order of the catalog, without those that the store leaves out.
    public let packages: [Package]

    /// The package with this id.
    public func package(_ id: String) -> Package? { packages.first { $0.id == id } }
  }

  /// One place in the window.
  public struct Package: Hashable, Sendable {
    /// The place's name, the same whatever product stands there.
    public let id: String
    /// The product.
    public let product: StoreProduct
  }

  /// The offerings in the order of the catalog.
  public let all: [Entry]
  /// The offering that is shown where none is asked for.
  public let current: Entry?
  /// The products that the store does not show, and why.
  public let leftOut: [Catalog.LeftOut]

  /// The offerings of the catalog as the window shows them.
  public init(of catalog: Catalog, in window: ShopWindow) {
    let products = Dictionary(catalog.products.map { ($0.code, $0) }) { first, _ in first }
    all = catalog.offerings.map { offering in
      let packages = offering.packages.compactMap { package in
        products[package.product].flatMap(window.listing).map { Package(id: package.id, product: $0) }
      }
      return Entry(id: offering.id, description: offering.description, packages: packages)
    }
    current = all.first { $0.id == catalog.currentOffering }
    leftOut = catalog.leftOut(at: window.store.description, storefront: window.storefront)
  }

  /// The offering with this id.
  public subscript(id: OfferingID) -> Entry? { all.first { $0.id == id } }
}
