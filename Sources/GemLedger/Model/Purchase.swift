/// A credited store transaction, with its current state.
public struct Purchase: Hashable, Sendable {
  /// The store of the purchase.
  public let store: Store
  /// Production, sandbox, or a test session.
  public let environment: StoreEnvironment
  /// The store's id of it; on Google Play the purchase token.
  public let storeTransactionID: StoreTransactionID
  /// The first transaction of the same subscription; the store transaction itself for everything else.
  public let originalTransactionID: StoreTransactionID
  /// The transaction that credited it.
  public let transactionID: TransactionID
  /// The current owner, by the original id.
  public let customer: CustomerID
  /// The bought product.
  public let product: ProductCode
  /// How the product was sold when it was bought.
  public let productType: ProductType
  /// The right that it gave when it was bought, such as `premium`.
  public let entitlement: String?
  /// The product's id at the store when it was bought; nil if the catalog had none for it.
  public let storeProductID: String?
  /// The number of units.
  public let quantity: Int64
  /// The price of all units together, if the store gave it.
  public let price: Money?
  /// When it was bought.
  public let purchasedAt: Timestamp
  /// When the paid period ends, for a subscription.
  public let expiresAt: Timestamp?
  /// How much of it is refunded, in thousandths of a percent; 100,000 is all of it.
  public let refundedMilliPercent: Int64
  /// The date of the store's newest evidence when the newest refund was booked, if there was any.
  public let refundEvidenceAt: Timestamp?
  let address: PurchaseAddress

  /// Whether all of it is refunded; the right that it gave has ended then.
  public var isRefunded: Bool { refundedMilliPercent == 100_000 }
}

/// Where a purchase is in its ledger; another ledger may hold an equal purchase elsewhere.
struct PurchaseAddress: Hashable, Sendable {
  /// The purchase's number.
  let number: Int64
  /// The transaction that credited it.
  let transaction: TransactionNumber
  /// The customer of the purchase's transaction in the journal.
  let customer: CustomerNumber
  /// The same, merges counted.
  let owner: CustomerNumber

  static func == (left: Self, right: Self) -> Bool { true }
  func hash(into hasher: inout Hasher) {}
}

/// A page of a customer's purchases, newest credit first.
public struct PurchasesPage: Hashable, Sendable {
  /// The purchases.
  public let purchases: [Purchase]
  /// The position of the next page; nil on the last page.
  public let next: PageCursor?
}
