#if Server
internal import GemLedger

/// A product in the form of RevenueCat's API.
///
/// RevenueCat has a product per app; here a product is sold at several stores, and the store represents the app.
struct ProductDocument {
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

  var json: JSONValue {
    [
      "object": "product", "id": .string(product.code.text),
      "store_identifier": .string(store.flatMap { product.storeIDs[$0] } ?? product.code.text),
      "type": .string(type), "subscription": subscription, "one_time": oneTime,
      "created_at": .integer(createdAt.milliseconds), "app_id": JSONValue(store),
      "display_name": JSONValue(product.localizations.first?.title),
      "state": .string(product.isActive ? "active" : "inactive"),
    ]
  }

  private var type: String {
    switch product.type.kind {
    case .consumable: "consumable"
    case .nonConsumable: "non_consumable"
    case .autoRenewableSubscription: "subscription"
    case .nonRenewingSubscription: "non_renewing_subscription"
    }
  }

  private var subscription: JSONValue {
    guard product.type.isSubscription else { return nil }
    return ["duration": JSONValue(product.period), "grace_period_duration": nil, "trial_duration": nil]
  }

  private var oneTime: JSONValue {
    guard !product.type.isSubscription else { return nil }
    return ["is_consumable": .bool(product.type == .consumable)]
  }

  static let schema = RESTSchemas.object(
    "product",
    [
      Schema.Field("id", .text(), "The product's code in the catalog.", isRequired: true),
      Schema.Field("store_identifier", .text(), "Its id at the store.", isRequired: true),
      Schema.Field(
        "type", .word(["consumable", "non_consumable", "subscription", "non_renewing_subscription"]), isRequired: true),
      Schema.Field(
        "subscription",
        .nullable(
          .object([
            Schema.Field("duration", .nullable(.text()), "The cycle in ISO 8601.", isRequired: true),
            Schema.Field("grace_period_duration", .nullable(.text()), "Always null.", isRequired: true),
            Schema.Field("trial_duration", .nullable(.text()), "Always null.", isRequired: true),
          ])), "Null for a one-time product.", isRequired: true),
      Schema.Field(
        "one_time", .nullable(.object([Schema.Field("is_consumable", .boolean, isRequired: true)])),
        "Null for subscriptions.", isRequired: true),
      Schema.Field("created_at", RESTSchemas.milliseconds, "The project's creation.", isRequired: true),
      Schema.Field("app_id", .nullable(.text()), "The store.", isRequired: true),
      Schema.Field("display_name", .nullable(.text()), "In the catalog's first language.", isRequired: true),
      Schema.Field("state", .word(["active", "inactive"]), "Whether it is on sale.", isRequired: true),
    ])
}
#endif
