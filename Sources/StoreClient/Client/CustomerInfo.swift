public import GemLedger
public import StoreBackend

/// The known state of a customer beside the balances: entitlements and purchases.
public struct CustomerInfo: Hashable, Sendable {
  /// The backend's answer.
  public internal(set) var record: CustomerRecord
  /// Whether the backend was unreachable, so that something may be missing; the purchase made just now never is.
  public internal(set) var isStale = false
  /// The store's record of the purchase that this is the answer to; no part of the customer's state.
  var transaction: StoreTransaction?

  /// Wraps a backend's answer.
  public init(_ record: CustomerRecord) { self.record = record }

  /// The first id of the customer.
  public var originalAppUserID: String { record.originalID.text }
  /// When this was true.
  public var asOf: Timestamp { record.asOf }
  /// When the customer was made.
  public var firstSeenAt: Timestamp { record.firstSeenAt }
  /// The rights that purchases give.
  public var entitlements: EntitlementInfos { EntitlementInfos(record.entitlements) }
  /// The purchases that are no subscriptions, newest first; at most 100.
  public var nonSubscriptions: [NonSubscriptionTransaction] {
    record.nonSubscriptions.map(NonSubscriptionTransaction.init)
  }

  /// Whether the customer has the right now.
  public func hasActiveEntitlement(_ id: String) -> Bool { entitlements[id]?.isActive == true }

  /// Adds a credited purchase, which saves a request.
  mutating func add(_ purchase: PurchaseRecord, at now: Timestamp) {
    record.asOf = max(record.asOf, now)
    // Looked for in place, and by the credit, of which each purchase has one: copying a record costs more than that.
    let positions = record.nonSubscriptions.indices
    if let known = positions.first(where: { record.nonSubscriptions[$0].transactionID == purchase.transactionID }) {
      record.nonSubscriptions[known] = purchase
      return
    }
    if record.nonSubscriptions.count >= Self.nonSubscriptionCountMax { record.nonSubscriptions.removeLast() }
    record.nonSubscriptions.insert(purchase, at: 0)
  }

  /// Adds a purchase's entitlement, unless a longer one is known.
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
  /// A customer for a preview, with the right `premium` where wanted.
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

  /// Whether both tell the same of the customer, whichever purchase they answer.
  public static func == (left: Self, right: Self) -> Bool {
    left.record == right.record && left.isStale == right.isStale
  }

  /// Hashes the customer's state.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(record)
    hasher.combine(isStale)
  }
}
