/// A purchase announced before payment, as the ledger keeps it.
public struct LedgerOrder: Hashable, Sendable {
  /// How far an order came.
  public enum State: Hashable, Sendable, CaseIterable {
    /// Announced and not paid.
    case pending
    /// Credited, and delivered if a delivery is expected.
    case success
    /// Given up before it was paid for, or refunded before it was delivered.
    case failed
    /// Credited; the delivery is not confirmed yet.
    case deliveryPending
  }

  /// Its position among all orders of the ledger: orders are numbered as they are announced.
  public let number: Int64
  /// The order's name.
  public let code: PurchaseCode
  /// The store for the payment.
  public let store: Store
  /// The announcement.
  public let product: ProductCode
  /// The number of units.
  public let quantity: Int64
  /// Everything that the backend announced, as a JSON document.
  public let announcement: String
  /// The key under which the same request is the same order.
  public let key: IdempotencyKey?
  /// The order's state; a pending order past its deadline is still pending here.
  public let state: State
  /// When it was announced.
  public let createdAt: Timestamp
  /// When it changed last.
  public let updatedAt: Timestamp
  /// Until when it is to be paid.
  public let deadline: Timestamp
  /// When its next step is due: the deadline of a pending order, the next try of a delivery or the refund after the
  /// last one, the failure of a failed order; nil for never.
  public let dueAt: Timestamp?
  /// How many tries of the delivery were begun.
  public let deliveryAttempts: Int64
  /// Whether the store was asked for a refund after the last try.
  public let isRefundRequested: Bool
  let owner: CustomerNumber
  let purchaseNumber: Int64?

  /// Whether a purchase paid for it.
  public var isPaid: Bool { purchaseNumber != nil }

  /// Its position among the orders of its state.
  package var position: OrderPosition { OrderPosition(dueAt: dueAt?.milliseconds ?? .max, number: number) }

  init(_ row: OrderRow) {
    code = row.code
    store = row.store
    product = row.product
    quantity = row.quantity
    announcement = row.request
    key = row.key
    state = row.isWithdrawn ? .failed : State(row.state)
    createdAt = row.createdAt
    updatedAt = row.updatedAt
    deadline = row.deadline
    dueAt = row.dueAt == .max ? nil : Timestamp(milliseconds: row.dueAt)
    deliveryAttempts = row.tryCount
    isRefundRequested = row.isRefundRequested
    number = row.number
    owner = row.customer
    purchaseNumber = row.purchase
  }

  /// The member of an announcement that names the payer's client; the first one stays.
  package static let claimName = OrderRow.claimName
  /// The member with the order's costs in virtual currency, which the backend adds: it is not part of the request.
  package static let costsName = OrderRow.costsName
}

extension LedgerOrder.State {
  init(_ state: OrderRow.State) {
    switch state {
    case .pending: self = .pending
    case .success: self = .success
    case .failed: self = .failed
    case .deliveryPending: self = .deliveryPending
    }
  }

  var stored: OrderRow.State {
    switch self {
    case .pending: .pending
    case .success: .success
    case .failed: .failed
    case .deliveryPending: .deliveryPending
    }
  }
}
