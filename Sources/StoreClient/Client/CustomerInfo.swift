public import GemLedger
public import StoreBackend

/// The known state of a customer beside the balances: entitlements and purchases.
public struct CustomerInfo: Hashable, Sendable {
  /// The backend's answer.
  public internal(set) var record: CustomerRecord
  /// Whether the backend was unreachable, so that something may be missing; the purchase made just now never is.
  public internal(set) var isStale = false

  /// Wraps a backend's answer.
  public init(_ record: CustomerRecord) { self.record = record }

  /// The first id of the customer.
  public var originalAppUserID: String { record.originalID.text }
  /// When this was true.
  public var requestDate: Timestamp { record.asOf }
  /// When the customer was made.
  public var firstSeen: Timestamp { record.firstSeenAt }
  /// The rights that purchases give.
  public var entitlements: EntitlementInfos { EntitlementInfos(all: record.entitlements) }
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

/// The rights that a customer's purchases give.
public struct EntitlementInfos: Hashable, Sendable {
  /// All of them, ended ones included, in the order of their names.
  public let all: [CustomerRecord.Entitlement]

  /// Those that hold.
  public var active: [CustomerRecord.Entitlement] { all.filter(\.isActive) }

  /// The right with this name.
  public subscript(id: String) -> CustomerRecord.Entitlement? { all.first { $0.id.hasBytes(of: id) } }
}

/// A purchase that is no subscription.
public struct NonSubscriptionTransaction: Hashable, Sendable {
  /// The journal's id of its credit.
  public let transactionIdentifier: String
  /// The store's own id of it.
  public let storeTransactionIdentifier: String
  /// Our code of the product.
  public let productIdentifier: String
  /// When it was bought.
  public let purchaseDate: Timestamp
  /// The number of units.
  public let quantity: Int64
  /// The price of all units together, where the store states it.
  public let price: Money?
  /// Whether the store refunded all of it.
  public let isRefunded: Bool

  init(_ record: PurchaseRecord) {
    transactionIdentifier = record.transactionID.description
    storeTransactionIdentifier = record.storeTransactionID.text
    productIdentifier = record.product.text
    purchaseDate = record.purchasedAt
    quantity = record.quantity
    price = record.price
    isRefunded = record.refundedMilliPercent >= 100_000
  }
}
