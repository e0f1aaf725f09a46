public import GemLedger
internal import StoreBackend

/// The contents of the shop window: the offerings of a catalog with the products of one store.
///
/// ```swift
/// let offerings = try await Purchases.shared.offerings()
/// let offering = offerings.all["gems"] ?? offerings.current
/// for package in offering?.availablePackages ?? [] { show(package.storeProduct.localizedPriceString) }
/// ```
public struct Offerings: Hashable, Sendable {
  /// One offering, with the packages that can be bought.
  public struct Offering: Hashable, Sendable, Identifiable {
    /// The offering's name.
    public let id: OfferingID
    /// A sentence about it, for the operators of the shop.
    public let serverDescription: String
    /// The app's data about it: a JSON object.
    public let metadataJSON: String
    /// The packages in the order of the catalog, without those that the store omits.
    public let availablePackages: [Package]

    /// The offering's name as a text.
    public var identifier: String { id.text }

    /// The package with this id.
    public func package(identifier: String) -> Package? {
      availablePackages.first { $0.identifier.hasBytes(of: identifier) }
    }

    /// The package with this id.
    public subscript(identifier: String) -> Package? { package(identifier: identifier) }
  }

  /// One position in the shop window.
  public struct Package: Hashable, Sendable, Identifiable {
    /// The package's name, equal for every product in it.
    public let identifier: String
    /// The product.
    public let storeProduct: StoreProduct

    /// The value of ``identifier``.
    public var id: String { identifier }
    /// The type of the package, by its name.
    public var packageType: PackageType { PackageType(identifier: identifier) }
    /// The price of one unit, for people.
    public var localizedPriceString: String { storeProduct.localizedPriceString }
  }

  /// The offerings in the order of the catalog.
  public let ordered: [Offering]
  /// The offerings by their names.
  public let all: [String: Offering]
  /// The offering to show if none is requested.
  public let current: Offering?
  /// The products on sale, in an offering or not, in the order of the catalog.
  public let products: [StoreProduct]
  /// The products that the store does not show, with the reasons, if the whole catalog is known.
  public let leftOut: [Catalog.LeftOut]

  /// Creates the offerings of the catalog for the window.
  public init(of catalog: Catalog, in window: ShopWindow) {
    self.init(
      catalog.offerings, current: catalog.currentOffering, products: catalog.products,
      leftOut: catalog.leftOut(at: window.store.description, storefront: window.storefront), listing: window.listing)
  }

  /// Combines the offerings of a backend with the store's listings.
  init(_ snapshot: OfferingsSnapshot, in window: ShopWindow, _ listings: [StorefrontProduct]) {
    let listings = Dictionary(listings.map { (ByteString($0.id), $0) }) { first, _ in first }
    self.init(snapshot.offerings, current: snapshot.current, products: snapshot.products, leftOut: []) { product in
      guard let storeID = product.storeIDs[window.store.description], let listing = listings[ByteString(storeID)] else {
        return nil
      }
      return StoreProduct(product, listing, in: window)
    }
  }

  private init(
    _ offerings: [CatalogOffering], current: OfferingID?, products: [Product], leftOut: [Catalog.LeftOut],
    listing: (Product) -> StoreProduct?
  ) {
    let listed = products.compactMap(listing)
    self.products = listed
    let byCode = Dictionary(listed.map { ($0.code, $0) }) { first, _ in first }
    ordered = offerings.map { offering in
      let packages = offering.packages.compactMap { package in
        byCode[package.product].map { Package(identifier: package.id, storeProduct: $0) }
      }
      return Offering(
        id: offering.id, serverDescription: offering.description, metadataJSON: offering.metadataJSON,
        availablePackages: packages)
    }
    all = Dictionary(ordered.map { ($0.identifier, $0) }) { first, _ in first }
    self.current = ordered.first { $0.id == current }
    self.leftOut = leftOut
  }

  /// Returns the product with this id at the store, or this code.
  func product(named name: String) -> StoreProduct? {
    products.first { $0.storeID.hasBytes(of: name) } ?? products.first { $0.code.text.hasBytes(of: name) }
  }

  /// The offering with this id.
  public subscript(id: OfferingID) -> Offering? { ordered.first { $0.id == id } }

  /// The offering with this id.
  public subscript(identifier: String) -> Offering? { offering(identifier: identifier) }

  /// The offering with this id.
  public func offering(identifier: String) -> Offering? { ordered.first { $0.identifier.hasBytes(of: identifier) } }
}

/// One position in the shop window.
public typealias Package = Offerings.Package

/// The type of a package by its name: closed, so that a `switch` needs no default.
public enum PackageType: String, Hashable, Sendable, CaseIterable {
  /// Paid once.
  case lifetime = "$rc_lifetime"
  /// Paid every year.
  case annual = "$rc_annual"
  /// Paid every six months.
  case sixMonth = "$rc_six_month"
  /// Paid every three months.
  case threeMonth = "$rc_three_month"
  /// Paid every two months.
  case twoMonth = "$rc_two_month"
  /// Paid every month.
  case monthly = "$rc_monthly"
  /// Paid every week.
  case weekly = "$rc_weekly"
  /// Another name with the prefix `$rc_`.
  case unknown
  /// A custom name, such as that of a pack of gems.
  case custom

  init(identifier: String) {
    self = Self(rawValue: identifier) ?? (identifier.utf8.starts(with: "$rc_".utf8) ? .unknown : .custom)
    // The raw values of these two cases are not package names.
    if identifier == Self.unknown.rawValue || identifier == Self.custom.rawValue { self = .custom }
  }
}

extension Offerings.Offering {
  /// The package that is paid once.
  public var lifetime: Package? { package(.lifetime) }
  /// The package that is paid every year.
  public var annual: Package? { package(.annual) }
  /// The package that is paid every six months.
  public var sixMonth: Package? { package(.sixMonth) }
  /// The package that is paid every three months.
  public var threeMonth: Package? { package(.threeMonth) }
  /// The package that is paid every two months.
  public var twoMonth: Package? { package(.twoMonth) }
  /// The package that is paid every month.
  public var monthly: Package? { package(.monthly) }
  /// The package that is paid every week.
  public var weekly: Package? { package(.weekly) }

  private func package(_ type: PackageType) -> Package? { availablePackages.first { $0.packageType == type } }
}
