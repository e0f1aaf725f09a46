internal import GemLedger
public import StoreBackend

// Names from RevenueCat's SDK.

/// A listener for events without a call of the app.
public typealias PurchasesDelegate = StoreClientDelegate

extension CustomerInfo {
  /// The first id of the customer.
  public var originalAppUserId: String { originalAppUserID }

  /// The codes of the running subscriptions that give an entitlement.
  public var activeSubscriptions: Set<String> {
    Set(entitlements.ordered.filter { $0.isActive && $0.expiresAt != nil }.map(\.productIdentifier))
  }

  /// The codes of all bought products, as far as the state contains them: consumables among the last 100 purchases, and
  /// products that give or gave an entitlement.
  public var allPurchasedProductIdentifiers: Set<String> {
    Set(entitlements.ordered.map(\.productIdentifier) + nonSubscriptions.map(\.productIdentifier))
  }
}

extension StoreTransaction {
  /// The store's id of the transaction.
  public var transactionIdentifier: String { id.text }
  /// The product's id at the store.
  public var productIdentifier: String { storeProductID }
}

extension Offerings.Offering {
  /// The app's data about the offering: texts, whole numbers as `Int`, other numbers as `Double`, booleans, arrays and
  /// objects; nulls are omitted.
  ///
  /// ```swift
  /// let theme = offering.metadata["theme"] as? String
  /// ```
  public var metadata: [String: any Sendable] {
    // The catalog guarantees that it is an object.
    guard let value = try? JSONValue.parse(metadataJSON), case .object(let object) = value else { return [:] }
    return Self.plain(object)
  }

  /// Returns the app's value for a key of the metadata, or the default if there is no value of its type.
  public func getMetadataValue<Value>(for key: String, default fallback: Value) -> Value {
    metadata[key] as? Value ?? fallback
  }

  private static func plain(_ object: JSONObject) -> [String: any Sendable] {
    var plain: [String: any Sendable] = [:]
    for (name, value) in object.members { plain[name] = Self.plain(value) }
    return plain
  }

  private static func plain(_ value: JSONValue) -> (any Sendable)? {
    switch value {
    case .null: nil
    case .bool(let bool): bool
    case .integer(let integer): Int(exactly: integer)
    case .number(let text): Double(text)
    case .string(let text): text
    case .array(let elements): elements.compactMap(plain) as [any Sendable]
    case .object(let object): plain(object) as [String: any Sendable]
    }
  }
}
