#if Server
internal import GemLedger

/// A product in the form of RevenueCat's API.
///
/// RevenueCat has a product per app; here a product is sold at several stores, and the store represents the app.
struct ProductDocument: JSONDocument {
  private let product: Product
  private let store: String?
  private let createdAt: Timestamp

  /// - Parameters:
  ///   - store: The store for which the product is shown; nil for its first store.
  ///   - createdAt: The project's time of creation: the catalog does not store when a product was added.
  init(_ product: Product, at store: String? = nil, createdAt: Timestamp) {
    self.product = product
    self.store = store ?? Product.storeNames.first { product.storeIDs[$0] != nil }
    self.createdAt = createdAt
  }

  private var storeID: String { store.flatMap { product.storeIDs[$0] } ?? product.code.text }

  static let form = JSONForm<Self>([
    .object("product"), .always("id", \.product.code, .anyIdentifier(), "The product's code in the catalog."),
    .always("store_identifier", \.storeID, .text(), "Its id at the store."),
    .always("type", \.product.type.nameInREST, .word(ProductType.namesInREST)),
    .always(
      "subscription", { $0.product.type.isSubscription ? $0.product : nil }, .nullable(.form(subscription)),
      "Null for a one-time product."),
    .always(
      "one_time", { $0.product.type.isSubscription ? nil : $0.product }, .nullable(.form(oneTime)),
      "Null for subscriptions."),
    .always("created_at", \.createdAt, .instant, "The project's creation."),
    .always("app_id", \.store, .nullable(.text()), "The store."),
    .always(
      "display_name", \.product.localizations.first?.title, .nullable(.text()), "In the catalog's first language."),
    .always(
      "state", { $0.product.isActive ? "active" : "inactive" }, .word(["active", "inactive"]),
      "Whether it is on sale."),
  ])

  private static let subscription = JSONForm<Product>([
    .always("duration", \.period, .nullable(.text()), "The cycle in ISO 8601."),
    .always("grace_period_duration", { _ in nil }, .nullable(.text()), "Always null."),
    .always("trial_duration", { _ in nil }, .nullable(.text()), "Always null."),
  ])

  private static let oneTime = JSONForm<Product>([.always("is_consumable", { $0.type == .consumable }, .boolean)])
}

extension ProductType {
  /// The type's name in RevenueCat's API.
  var nameInREST: String { self == .autoRenewableSubscription ? "subscription" : description }

  static let namesInREST = Kind.allCases.map { Self($0).nameInREST }
}
#endif
