public import GemLedger
internal import StoreBackend

/// A purchase other than a subscription.
public struct NonSubscriptionTransaction: Hashable, Sendable, Identifiable {
  /// The journal's id of its credit.
  public let transactionIdentifier: String
  /// The store's id of the transaction.
  public let storeTransactionIdentifier: String
  /// The product's code.
  public let productIdentifier: String
  /// When it was bought.
  public let purchasedAt: Timestamp
  /// The number of units.
  public let quantity: Int64
  /// The price of all units together, if the store states it.
  public let price: Money?
  /// Whether the store refunded all of it.
  public let isRefunded: Bool

  /// The value of ``transactionIdentifier``.
  public var id: String { transactionIdentifier }

  init(_ record: PurchaseRecord) {
    transactionIdentifier = record.transactionID.description
    storeTransactionIdentifier = record.storeTransactionID.text
    productIdentifier = record.product.text
    purchasedAt = record.purchasedAt
    quantity = record.quantity
    price = record.price
    isRefunded = record.refundedMilliPercent >= 100_000
  }
}
