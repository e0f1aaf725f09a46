/// The products of a StoreKit configuration file (`.storekit`) of Xcode.
///
/// Such a file has no grants: a catalog defines the grants of a product (see ``Catalog/merging(_:)``).
public struct StoreKitConfiguration: Hashable, Sendable {
  /// The products, in the file's order; code and id at `apple` are the file's product id.
  public let products: [Product]
  /// The omitted and assumed values, one sentence each.
  public let notes: [String]
  /// The storefront in the file, which determines the currency of its prices; nil means `USA`.
  public let storefront: String?
  /// The display language in the file.
  public let locale: String?
  /// The file's test switches.
  public let switches: Switches
  /// The group ids of the subscriptions, by product code; a group without an id in the file is left out.
  public let subscriptionGroups: [ProductCode: String]
  /// The locales in which a product has no display name, so that its title is its reference name or its id.
  let assumedTitles: [ProductCode: Set<String>]

  /// The maximum size of a file, 64 MiB; a file of ten thousand products has about a tenth of that.
  public static let byteCountMax = 64 << 20

  /// The test switches of Xcode's editor for such files, under StoreKit's names; by default all are off.
  public struct Switches: Hashable, Sendable {
    /// Whether another person has to approve every purchase.
    public var askToBuyEnabled = false
    /// Whether purchases are interrupted until they are resolved.
    public var interruptedPurchasesEnabled = false
    /// Whether customers see no sheets; nil if the file has no such switch.
    public var disableDialogs: Bool?
    /// Whether purchases fail.
    public var failTransactionsEnabled = false
    /// Whether a subscription that could not be renewed continues for a grace period.
    public var billingGracePeriodIsEnabled = false
    /// Whether renewals first fail to be paid for.
    public var shouldEnterBillingRetryOnRenewal = false
    /// StoreKit's number for the speed of subscriptions; nil if the file has none.
    public var timeRate: Int64?
    /// The app's calls to the store that fail, by their names in the file, such as `Load Products`.
    public var failingCalls: [String] = []

    /// Makes switches that are all off.
    public init() {}
  }

  /// Reads a configuration file of version 1 to 5, or a newer one with a note.
  ///
  /// Missing values have StoreKit's defaults. Without a display name a product has its reference name as title, or else
  /// its id. A product with a price that does not fit the storefront's currency is not for sale. Unsupported values,
  /// such as offers, are in ``notes``.
  ///
  /// - Throws: ``CatalogProblems`` with all problems, such as a file of more than ``byteCountMax`` bytes.
  public static func load(_ bytes: [UInt8]) throws(CatalogProblems) -> StoreKitConfiguration {
    guard bytes.count <= byteCountMax else {
      throw CatalogProblems(path: "$", message: "The file has \(bytes.count) bytes; the most is \(byteCountMax).")
    }
    let json: JSONValue
    do throws(JSONError) {
      // Some editors write a byte-order mark, which StoreKit's reader accepts.
      json = try JSONValue.parse(bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? Array(bytes.dropFirst(3)) : bytes)
    } catch {
      throw CatalogProblems([CatalogProblem(error)])
    }
    let check = CatalogCheck()
    var reader = StoreKitReader()
    let configuration = reader.configuration(CatalogField(json, check))
    try check.finish()
    guard let configuration else { throw CatalogProblems(path: "$", message: "It is not a StoreKit configuration.") }
    return configuration
  }
}

extension Catalog {
  /// Returns the catalog with the products of a StoreKit configuration.
  ///
  /// A product of the catalog with the same id at `apple` takes over the file's type and period. It also takes over the
  /// price in the file's storefront, and the texts in the file's languages if they are display names. Its grants and
  /// everything else stay. Other products of the file are added, without grants.
  ///
  /// - Throws: ``CatalogProblems`` if the result would not pass a catalog's checks, for example for a duplicate code.
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
  /// - Parameter assumed: The locales in which the other's titles are not display names.
  fileprivate func updated(from other: Product, without assumed: Set<String>) -> Product {
    let stated = other.localizations.filter { localizations.isEmpty || !assumed.contains($0.locale) }
    let locales = Set(stated.map(\.locale))
    let prices = prices.merging(other.prices) { $1 }
    // An older discount may exceed the new price, or have no price any more.
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
