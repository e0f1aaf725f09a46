public import GemLedger
public import StoreBackend

/// The known state of a customer in addition to the balances: entitlements and purchases.
public struct CustomerInfo: Hashable, Sendable {
  /// The backend's answer.
  public internal(set) var record: CustomerRecord
  /// Whether the backend was unreachable, so that the state may be incomplete; it always includes the current purchase.
  public internal(set) var isStale = false
  /// The store's record of the purchase that returned this; not part of the customer's state.
  var transaction: StoreTransaction?

  /// Wraps a backend's answer.
  public init(_ record: CustomerRecord) { self.record = record }

  /// The first id of the customer.
  public var originalAppUserID: String { record.originalID.text }
  /// The instant of the state.
  public var asOf: Timestamp { record.asOf }
  /// When the customer was created.
  public var firstSeenAt: Timestamp { record.firstSeenAt }
  /// The rights that purchases give.
  public var entitlements: EntitlementInfos { EntitlementInfos(record.entitlements) }
  /// The purchases other than subscriptions, newest first; at most 100.
  public var nonSubscriptions: [NonSubscriptionTransaction] {
    record.nonSubscriptions.map(NonSubscriptionTransaction.init)
  }

  /// Whether the customer has the right now.
  public func hasActiveEntitlement(_ id: String) -> Bool { entitlements[id]?.isActive == true }

  /// Adds a credited purchase, which avoids a request.
  mutating func add(_ purchase: PurchaseRecord, at now: Timestamp) {
    record.asOf = max(record.asOf, now)
    // Searched in place by the purchase's unique credit, because copying a record costs more than the search.
    let positions = record.nonSubscriptions.indices
    if let known = positions.first(where: { record.nonSubscriptions[$0].transactionID == purchase.transactionID }) {
      record.nonSubscriptions[known] = purchase
      return
    }
    if record.nonSubscriptions.count >= Self.nonSubscriptionCountMax { record.nonSubscriptions.removeLast() }
    record.nonSubscriptions.insert(purchase, at: 0)
  }

  /// Adds a purchase's entitlement, unless a longer entitlement is known.
  mutating func add(_ entitlement: CustomerRecord.Entitlement) {
    let known = record.entitlements.firstIndex { $0.id.hasBytes(of: entitlement.id) }
    guard let known else {
      record.entitlements.append(entitlement)
      record.entitlements.sort { ByteString($0.id) < ByteString($1.id) }
      return
    }
    let (end, newEnd) = (record.entitlements[known].expiresAt, entitlement.expiresAt)
    guard let end, newEnd.map({ $0 > end }) ?? true else { return }
    record.entitlements[known] = entitlement
  }

  private static let nonSubscriptionCountMax = 100
}

extension CustomerInfo {
  /// Creates a customer for a preview, optionally with the right `premium`.
  public static func preview(isPremium: Bool = true) -> CustomerInfo {
    let customer = CustomerID(unchecked: "preview")
    let instant = Timestamp(milliseconds: 0)
    let premium = EntitlementInfo(
      id: "premium", product: ProductCode(unchecked: "premium"), store: .test, purchasedAt: instant, expiresAt: nil,
      isActive: true)
    return CustomerInfo(
      CustomerRecord(
        customer: customer, originalID: customer, ids: [customer], firstSeenAt: instant, asOf: instant,
        entitlements: isPremium ? [premium] : [], nonSubscriptions: []))
  }

  /// Returns whether both have one customer's equal state, ignoring the purchases that they answer.
  public static func == (left: Self, right: Self) -> Bool {
    left.record == right.record && left.isStale == right.isStale
  }

  /// Hashes the customer's state.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(record)
    hasher.combine(isStale)
  }
}
