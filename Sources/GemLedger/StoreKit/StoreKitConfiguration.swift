/// The products of a StoreKit configuration file (`.storekit`) of Xcode.
///
/// Such a file has no grants: a catalog defines the grants of a product (see ``Catalog/merging(_:)``).
public struct StoreKitConfiguration: Hashable, Sendable {
  /// The products, in the file's order; code and id at `apple` are the file's product id.
  public let products: [Product]
  /// The omitted and the assumed values, a sentence each.
  public let notes: [String]
  /// The storefront that the file names, which sets the currency of its prices; `USA` is meant if it is nil.
  public let storefront: String?
  /// The language that the file names for display.
  public let locale: String?
  /// The switches of the file for tests.
  public let switches: Switches
  /// The groups of the subscriptions, by code; a group that the file gives no id is left out.
  public let subscriptionGroups: [ProductCode: String]
  /// The locales in which a product has no display name, so that its title is its reference name or its id.
  let assumedTitles: [ProductCode: Set<String>]

  /// The most bytes of a file, 64 MiB; a file of ten thousand products has about a tenth of it.
  public static let byteCountMax = 64 << 20

  /// The test switches of Xcode's editor for such files, under StoreKit's names; at first all are off.
  public struct Switches: Hashable, Sendable {
    /// Whether another person has to agree to every purchase.
    public var askToBuyEnabled = false
    /// Whether purchases are interrupted until they are resolved.
    public var interruptedPurchasesEnabled = false
    /// Whether customers are shown no sheets; nil if the file does not specify it.
    public var disableDialogs: Bool?
    /// Whether purchases fail.
    public var failTransactionsEnabled = false
    /// Whether a subscription that could not be renewed runs on for a while.
    public var billingGracePeriodIsEnabled = false
    /// Whether renewals cannot be paid for at first.
    public var shouldEnterBillingRetryOnRenewal = false
    /// StoreKit's number of how fast subscriptions run; nil if the file does not specify it.
    public var timeRate: Int64?
    /// The calls of an app to the store that fail, by their names in the file, such as `Load Products`.
    public var failingCalls: [String] = []

    /// Nothing switched on.
    public init() {}
  }

  /// Reads a configuration file of version 1 to 5, or a newer one with a note.
  ///
  /// StoreKit's way holds if a value is missing. Without a display name a product shows its reference name, or
  /// else its id. A price that does not fit the currency of the storefront takes that product from sale. What has no
  /// meaning here, such as offers, is in ``notes``.
  ///
  /// - Throws: ``CatalogProblems`` with everything that is wrong, such as a file of more than ``byteCountMax`` bytes.
  public static func load(_ bytes: [UInt8]) throws(CatalogProblems) -> StoreKitConfiguration {
    guard bytes.count <= byteCountMax else {
      throw CatalogProblems(path: "$", message: "The file has \(bytes.count) bytes; the most is \(byteCountMax).")
    }
    let json: JSONValue
    do throws(JSONError) {
      // Editors of other systems put a byte-order mark in front, which StoreKit's reader takes.
      json = try JSONValue.parse(bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? Array(bytes.dropFirst(3)) : bytes)
    } catch {
      throw CatalogProblems([CatalogProblem(error)])
    }
    let check = CatalogCheck()
    var reader = StoreKitReader()
    let configuration = reader.configuration(CatalogField(json, at: .root, check))
    try check.finish()
    guard let configuration else { throw CatalogProblems(path: "$", message: "This is no StoreKit configuration.") }
    return configuration
  }
}

extension Catalog {
  /// Returns the catalog with the products of a StoreKit configuration.
  ///
  /// A product of the catalog with the same id at `apple` takes over the file's type and period. It takes over the
  /// price in the file's storefront and the texts in the file's languages, if they are display names. Its grants and
  /// all else stay. Other products of the file are added, without grants.
  ///
  /// - Throws: ``CatalogProblems`` if the result would not pass a catalog's checks, such as a code used twice.
  public func merging(_ configuration: StoreKitConfiguration) throws(CatalogProblems) -> Catalog {
    var incoming = Dictionary(configuration.products.map { ($0.code, $0) }) { first, _ in first }
    let updated = products.map { product in
      guard let id = product.storeIDs["apple"], let code = try? ProductCode(id),  // An id that is no code matches none.
        let other = incoming.removeValue(forKey: code)
      else { return product }
      return product.updated(from: other, without: configuration.assumedTitles[code] ?? [])
    }
    let added = configuration.products.filter { incoming[$0.code] != nil }
    return try Catalog(
      currencies: currencies, products: updated + added, offerings: offerings, currentOffering: currentOffering,
      items: items, settings: settings)
  }
}

extension Product {
  /// - Parameter assumed: The locales of the other's titles that are no display names.
  fileprivate func updated(from other: Product, without assumed: Set<String>) -> Product {
    let stated = other.localizations.filter { localizations.isEmpty || !assumed.contains($0.locale) }
    let locales = Set(stated.map(\.locale))
    let prices = prices.merging(other.prices) { $1 }
    // A discount of before may be above the new price, or have none to discount.
    let discounts = discountPrices.filter { storefront, discount in
      prices[storefront].map { discount.minorUnits <= $0.minorUnits } ?? false
    }
    return Product(
      code: code, storeIDs: storeIDs, type: other.type, isActive: isActive,
      localizations: stated + localizations.filter { !locales.contains($0.locale) }, prices: prices,
      discountPrices: discounts, grants: grants, itemGrants: itemGrants, entitlement: entitlement,
      period: other.type.isSubscription ? other.period ?? period : nil)
  }
}
