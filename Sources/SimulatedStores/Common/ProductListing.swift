internal import GemLedger
internal import StoreClient

/// Whether the store sells a product, in App Store Connect's terms; independent of the catalog's state.
public enum ProductState: String, Hashable, Sendable, CaseIterable {
  /// It is sold.
  case clearedForSale = "cleared_for_sale"
  /// Its metadata is incomplete.
  case missingMetadata = "missing_metadata"
  /// It was never submitted.
  case readyToSubmit = "ready_to_submit"
  /// It waits for review.
  case waitingForReview = "waiting_for_review"
  /// It is being reviewed.
  case inReview = "in_review"
  /// It was rejected.
  case rejected = "rejected"
  /// The developer removed it from sale.
  case developerRemovedFromSale = "developer_removed_from_sale"
  /// The store removed it from sale.
  case removedFromSale = "removed_from_sale"
}

/// The product index of a store.
struct ProductListing: Sendable {
  private(set) var products: [ByteString: Product]
  let store: Store
  /// The groups of subscriptions, by the products' ids at the store.
  let groups: [ByteString: String]

  init(_ products: [Product], at store: Store, groups: [ByteString: String] = [:]) {
    self.store = store
    self.groups = groups
    let named = products.compactMap { product in
      product.storeIDs[store.description].map { (ByteString($0), product) }
    }
    self.products = Dictionary(named) { first, _ in first }
  }

  subscript(id: String) -> Product? { products[ByteString(id)] }

  /// Returns the group of a subscription, or the subscription's id if the group is unknown.
  func group(of subscription: String) -> String { groups[ByteString(subscription)] ?? subscription }

  /// The subscriptions of a group, by id.
  func subscriptions(inGroup group: String) -> [String] {
    products.filter { $0.value.type == .autoRenewableSubscription && self.group(of: $0.key.text).hasBytes(of: group) }
      .keys.sorted().map(\.text)
  }

  /// Returns the product with its price in the storefront, or the reason why it cannot be bought.
  func offer(_ id: String, _ settings: CommonSettings) -> Result<(product: Product, price: Price), StoreFailure> {
    guard let product = self[id], product.isActive, !product.localizations.isEmpty,
      settings.state(of: id) == .clearedForSale
    else { return .failure(.productUnavailable) }
    guard let price = settings.charge(for: product, id) else { return .failure(.notAvailableInStorefront) }
    return .success((product, price))
  }

  /// Returns the listings of the ids that can be bought.
  func listings(of ids: [String], _ settings: CommonSettings) -> [StorefrontProduct] {
    let window = ShopWindow(store: store, storefront: settings.storefront, locale: settings.locale)
    var seen: Set<ByteString> = []
    return ids.compactMap { id in
      let name = ByteString(id)
      guard seen.insert(name).inserted, settings.state(of: id) == .clearedForSale,
        let product = products[name], let listing = window.listing(of: product),
        let price = settings.charge(for: product, id)
      else { return nil }
      return StorefrontProduct(
        id: listing.storeID, type: listing.type, displayName: listing.localizedTitle,
        description: listing.localizedDescription, price: price, displayPrice: window.text(of: price),
        subscriptionPeriod: product.period,
        subscriptionGroupID: product.type == .autoRenewableSubscription ? group(of: listing.storeID) : nil)
    }
  }
}

extension ProductListing {
  /// Returns the price of a subscription's next period; nil if the store no longer sells it.
  func renewalPrice(of id: String, _ settings: CommonSettings) -> Money? {
    self[id].flatMap { settings.charge(for: $0, id)?.total(of: 1) }
  }
}

extension Price {
  /// Returns the price of a quantity, or nil if it is out of range.
  func total(of quantity: Int64) -> Money? {
    let (total, overflow) = minorUnits.multipliedReportingOverflow(by: quantity)
    guard !overflow, total <= Limits.amount else { return nil }
    return Money(minorUnits: total, currency: currency.code)
  }
}
