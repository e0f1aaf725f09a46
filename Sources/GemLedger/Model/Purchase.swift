/// A credited store transaction, with its current state.
public struct Purchase: Hashable, Sendable {
  /// The store of the purchase.
  public let store: Store
  /// Production, sandbox, or a test session.
  public let environment: StoreEnvironment
  /// The store's id of the purchase; on Google Play the purchase token.
  public let storeTransactionID: StoreTransactionID
  /// The first transaction of the same subscription; for all other products the store transaction itself.
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
  /// The product's id at the store at the time of the purchase; nil if the catalog had none.
  public let storeProductID: String?
  /// The number of units.
  public let quantity: Int64
  /// The price of all units together, if the store reported it.
  public let price: Money?
  /// When it was bought.
  public let purchasedAt: Timestamp
  /// When the paid period ends, for a subscription.
  public let expiresAt: Timestamp?
  /// The refunded share, in thousandths of a percent; 100,000 is a full refund.
  public let refundedMilliPercent: Int64
  /// The date of the store's newest evidence at the booking of the newest refund; nil if there was none.
  public let refundEvidenceAt: Timestamp?
  let address: PurchaseAddress

  /// Whether it is fully refunded, which ends the right that it gave.
  public var isRefunded: Bool { refundedMilliPercent == 100_000 }
}

/// The address of a purchase in its ledger; another ledger may hold an equal purchase at another address.
struct PurchaseAddress: Hashable, Sendable {
  /// The purchase's number.
  let number: Int64
  /// The transaction that credited it.
  let transaction: TransactionNumber
  /// The customer of the purchase's transaction in the journal.
  let customer: CustomerNumber
  /// The purchase's current customer, following merges.
  let owner: CustomerNumber

  static func == (left: Self, right: Self) -> Bool { true }
  func hash(into hasher: inout Hasher) {}
}

/// A page of a customer's purchases, newest credit first.
public struct PurchasesPage: Hashable, Sendable {
  /// The purchases.
  public let purchases: [Purchase]
  /// The cursor of the next page; nil on the last page.
  public let next: PageCursor?
}
