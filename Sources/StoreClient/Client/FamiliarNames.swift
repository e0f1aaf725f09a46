internal import GemLedger
public import StoreBackend

// Names that RevenueCat's readers look for.

/// The listener for events that the app did not ask for.
public typealias PurchasesDelegate = StoreClientDelegate

extension CustomerInfo {
  /// The first id of the customer.
  public var originalAppUserId: String { originalAppUserID }

  /// Our codes of the subscriptions that run, as far as they give an entitlement.
  public var activeSubscriptions: Set<String> {
    Set(entitlements.ordered.filter { $0.isActive && $0.expiresAt != nil }.map(\.productIdentifier))
  }

  /// Our codes of everything bought, as far as the state tells: consumables among the last 100 purchases, and what
  /// gives or gave an entitlement.
  public var allPurchasedProductIdentifiers: Set<String> {
    Set(entitlements.ordered.map(\.productIdentifier) + nonSubscriptions.map(\.productIdentifier))
  }
}

extension StoreTransaction {
  /// The store's own id of it.
  public var transactionIdentifier: String { id.text }
  /// The product's id at the store.
  public var productIdentifier: String { storeProductID }
}

extension Offerings.Offering {
  /// The app's own data about the offering: texts, whole numbers as `Int`, other numbers as `Double`, booleans, arrays
  /// and objects; nulls are left out.
  ///
  /// ```swift
  /// let theme = offering.metadata["theme"] as? String
  /// ```
  public var metadata: [String: any Sendable] {
    // The catalog checked that it is an object.
    guard let value = try? JSONValue.parse(metadataJSON), case .object(let object) = value else { return [:] }
    return Self.plain(object)
  }

  /// The app's own value under a key of the metadata, or the default where there is none of its type.
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
