/// A purchase announced before payment, as the ledger stores it.
public struct LedgerOrder: Hashable, Sendable {
  /// The state of an order.
  public enum State: Hashable, Sendable, CaseIterable {
    /// Announced and not paid for.
    case pending
    /// Credited, and delivered if a delivery is expected.
    case success
    /// Given up before payment, or refunded before delivery.
    case failed
    /// Credited; the delivery is not confirmed yet.
    case deliveryPending
  }

  /// Its position among all orders of the ledger: orders are numbered as they are announced.
  public let number: Int64
  /// The order's name.
  public let code: PurchaseCode
  /// The store of the payment.
  public let store: Store
  /// The announced product.
  public let product: ProductCode
  /// The number of units.
  public let quantity: Int64
  /// Everything that the backend announced, as a JSON document.
  public let announcement: String
  /// The idempotency key of the announcement.
  public let key: IdempotencyKey?
  /// The order's state; a pending order past its deadline is still pending here.
  public let state: State
  /// When it was announced.
  public let createdAt: Timestamp
  /// When it last changed.
  public let updatedAt: Timestamp
  /// The deadline of the payment.
  public let deadline: Timestamp
  /// When its next step is due; nil for never.
  ///
  /// The step is the deadline of a pending order, the next delivery attempt, the refund after the last attempt, or the
  /// failure of a failed order.
  public let dueAt: Timestamp?
  /// The number of begun delivery attempts.
  public let deliveryAttempts: Int64
  /// Whether the store was asked for a refund after the last attempt.
  public let isRefundRequested: Bool
  let owner: CustomerNumber
  let purchaseNumber: Int64?

  /// Whether a purchase paid for it.
  public var isPaid: Bool { purchaseNumber != nil }
}
