#if Server
internal import GemLedger
internal import StoreBackend

/// A customer in RevenueCat's form of API v1, with this project's additional members.
struct SubscriberDocument {
  var record: CustomerRecord
  /// The subscriptions, newest first.
  let subscriptions: [PurchaseRecord]

  /// The members of the answer.
  var members: JSONObject {
    [
      "request_date": record.asOf.date, "request_date_ms": JSONValue(record.asOf), "subscriber": subscriber,
      "customer": record.wire,
    ]
  }

  private var subscriber: JSONValue {
    [
      "original_app_user_id": .string(record.originalID.text), "first_seen": record.firstSeenAt.date,
      "last_seen": record.asOf.date, "original_application_version": nil, "original_purchase_date": nil,
      "management_url": nil, "entitlements": .object(entitlements), "subscriptions": .object(subscriptionMembers),
      "non_subscriptions": .object(nonSubscriptions), "other_purchases": [:],
    ]
  }

  private var entitlements: JSONObject {
    JSONObject(
      record.entitlements.map { entitlement in
        let id = storeProductIDs[StoreProduct(entitlement.store, entitlement.product)]
        return (
          entitlement.id,
          [
            "expires_date": entitlement.expiresAt?.date ?? .null, "grace_period_expires_date": nil,
            "product_identifier": .string(id ?? entitlement.product.text),
            "purchase_date": entitlement.purchasedAt.date,
          ]
        )
      })
  }

  private struct StoreProduct: Hashable {
    let store: Store
    let product: ProductCode

    init(_ store: Store, _ product: ProductCode) {
      self.store = store
      self.product = product
    }
  }

  private var storeProductIDs: [StoreProduct: String] {
    let known = (subscriptions + record.nonSubscriptions).compactMap { purchase in
      purchase.storeProductID.map { (StoreProduct(purchase.store, purchase.product), $0) }
    }
    return Dictionary(known) { newest, _ in newest }
  }

  private var subscriptionMembers: JSONObject {
    var members = JSONObject()
    for purchase in subscriptions where members[purchase.shownProductID] == nil {
      members[purchase.shownProductID] = [
        "expires_date": purchase.expiresAt?.date ?? .null, "purchase_date": purchase.purchasedAt.date,
        "original_purchase_date": firstPeriod(of: purchase).date, "store": .string(purchase.store.nameOfV1),
        "is_sandbox": .bool(purchase.isSandbox), "ownership_type": .string(purchase.ownership.rawValue),
        "period_type": .string(purchase.periodType),
        "store_transaction_id": .string(purchase.clientTransactionID.text), "unsubscribe_detected_at": nil,
        "billing_issues_detected_at": nil, "grace_period_expires_date": nil, "refunded_at": nil,
        "auto_resume_date": nil,
      ]
    }
    return members
  }

  private func firstPeriod(of purchase: PurchaseRecord) -> Timestamp {
    subscriptions.last { $0.originalTransactionID == purchase.originalTransactionID }?.purchasedAt
      ?? purchase.purchasedAt
  }

  private var nonSubscriptions: JSONObject {
    var (members, order): ([ByteString: [JSONValue]], [ByteString]) = ([:], [])
    // Oldest first, as RevenueCat lists them; equal dates in the order of their credits.
    let purchases = record.nonSubscriptions.enumerated().sorted { one, other in
      (one.element.purchasedAt, other.offset) < (other.element.purchasedAt, one.offset)
    }
    for purchase in purchases.map(\.element) {
      let id = ByteString(purchase.shownProductID)
      if members[id] == nil { order.append(id) }
      members[id, default: []].append([
        "id": .string(purchase.transactionID.description),
        "store_transaction_id": .string(purchase.clientTransactionID.text),
        "purchase_date": purchase.purchasedAt.date, "original_purchase_date": purchase.purchasedAt.date,
        "store": .string(purchase.store.nameOfV1), "is_sandbox": .bool(purchase.isSandbox),
      ])
    }
    return JSONObject(order.map { ($0.text, .array(members[$0] ?? [])) })
  }
}

extension PurchaseRecord {
  /// RevenueCat's name of the purchased period's type.
  fileprivate var periodType: String {
    guard let offer else { return "normal" }
    return offer.isFreeTrial ? "trial" : offer.kind == .introductory ? "intro" : "normal"
  }

  /// The product's id at the store, by which RevenueCat names it.
  fileprivate var shownProductID: String { storeProductID ?? product.text }
}

extension Store {
  /// The store's name in RevenueCat's API v1.
  var nameOfV1: String {
    switch self {
    case .apple: "app_store"
    case .google: "play_store"
    case .amazon: "amazon"
    default: "test_store"
    }
  }
}

extension Timestamp {
  /// The time in whole seconds, as RevenueCat's SDKs read it.
  fileprivate var date: JSONValue {
    let text = description
    guard let end = text.lastIndex(of: ".") else { return .string(text) }
    return .string("\(text[..<end])Z")
  }
}
#endif
