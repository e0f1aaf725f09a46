public import GemLedger
public import StoreBackend

/// A purchase as Google Play's billing client and developer API show it.
public struct PlayPurchase: Hashable, Sendable, Identifiable {
  /// The state of a purchase.
  public enum State: String, Hashable, Sendable, CaseIterable {
    /// Not paid yet.
    case pending
    /// Paid for.
    case purchased
    /// Never paid for, or voided.
    case canceled
    /// A subscription that has run out.
    case expired
  }

  /// The purchase's identity.
  public let purchaseToken: StoreTransactionID
  /// Its order id, if it has one; for a subscription the latest.
  public let orderID: String?
  /// All its orders, oldest first: a subscription has one for its first payment and one for each renewal.
  public let orderIDs: [String]
  /// The product.
  public let productID: String
  /// The store account that pays.
  public let account: String
  /// The state of the purchase.
  public let state: State
  /// How many units were bought.
  public let quantity: Int64
  /// How many of them can still be refunded.
  public let refundableQuantity: Int64
  /// Whether the app has acknowledged that it granted the goods.
  public let isAcknowledged: Bool
  /// Whether it was used up, so that it can be bought again.
  public let isConsumed: Bool
  /// The time of the purchase; for a pending purchase, the time of its start.
  public let purchasedAt: Timestamp
  /// Until when it has to be acknowledged or consumed; nil after that is done, and before the payment.
  public let acknowledgeBy: Timestamp?
  /// The buyer's token, as given by the app.
  public let obfuscatedAccountID: AccountToken?
  /// The country of the account.
  public let regionCode: String?
  /// Whether the subscription renews automatically.
  public let isAutoRenewing: Bool
  /// The current purchase as evidence.
  public let transaction: StoreTransaction

  /// The purchase token.
  public var id: StoreTransactionID { purchaseToken }
}

extension PlayPurchase {
  init(_ row: PlayRow) {
    purchaseToken = row.transaction.id
    orderID = row.transaction.orderID
    orderIDs = row.orderIDs
    productID = row.transaction.storeProductID
    account = row.account
    state =
      switch row.state {
      case .pending: .pending
      case .purchased: .purchased
      case .canceled: .canceled
      case .expired: .expired
      }
    quantity = row.transaction.quantity
    refundableQuantity = row.refundableQuantity
    isAcknowledged = row.isAcknowledged
    isConsumed = row.isConsumed
    purchasedAt = row.transaction.purchasedAt
    acknowledgeBy = row.deadline
    obfuscatedAccountID = row.transaction.accountToken
    regionCode = row.transaction.storefront?.region
    isAutoRenewing = row.willAutoRenew && row.isPaid
    transaction = row.transaction
  }
}

/// A page of the list of voided purchases.
public struct VoidedPage: Hashable, Sendable {
  /// The purchases, in the order in which they were voided.
  public let purchases: [VoidedPurchase]
  /// The token of the next page; nil on the last page.
  public let nextToken: String?
}
