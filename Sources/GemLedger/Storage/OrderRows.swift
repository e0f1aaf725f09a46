/// An order's number: orders are numbered in the order in which they were announced.
package typealias OrderNumber = Int64

/// A purchase announced before payment: the announcement never changes, but its state does.
package struct OrderRow: Hashable, Sendable {
  package enum State: Int64, CaseIterable, Sendable {
    /// Not paid for yet.
    case pending = 1
    /// Credited, and delivered if a delivery is required; or withdrawn (``OrderRow/isWithdrawn``).
    case success = 2
    /// Given up before the payment.
    case failed = 3
    /// Credited; the delivery is not confirmed yet.
    case deliveryPending = 4
  }

  /// The remaining announcement of an erased customer's order.
  package static let erasedRequest = "{}"

  package var number: OrderNumber
  package var code: PurchaseCode
  package var customer: CustomerNumber
  package var store: Store
  package var product: ProductCode
  package var quantity: Int64
  /// The whole announcement, as a JSON document.
  package var request: String
  package var key: IdempotencyKey?
  package var state: State
  /// The purchase that paid for the order.
  package var purchase: Int64?
  package var createdAt: Timestamp
  package var updatedAt: Timestamp
  package var deadline: Timestamp
  /// The time of the next step, in milliseconds; `.max` for never.
  ///
  /// A pending order's deadline, the instant at which an order failed or was withdrawn, the next try of a delivery or
  /// the refund after the last one.
  package var dueAt: Int64
  /// The number of begun delivery attempts, with a mark while a refund is requested (``tryCount``).
  package var deliveryAttempts: Int64

  package init(
    number: OrderNumber, code: PurchaseCode, customer: CustomerNumber, store: Store, product: ProductCode,
    quantity: Int64, request: String, key: IdempotencyKey?, createdAt: Timestamp, deadline: Timestamp
  ) {
    self.number = number
    self.code = code
    self.customer = customer
    self.store = store
    self.product = product
    self.quantity = quantity
    self.request = request
    self.key = key
    state = .pending
    purchase = nil
    self.createdAt = createdAt
    updatedAt = createdAt
    self.deadline = deadline
    dueAt = deadline.milliseconds
    deliveryAttempts = 0
  }
}

/// The end position of a page of orders of one state.
package struct OrderPosition: Hashable, Comparable, Sendable {
  package var dueAt: Int64
  package var number: OrderNumber

  package init(dueAt: Int64, number: OrderNumber) {
    self.dueAt = dueAt
    self.number = number
  }

  package init(of row: OrderRow) { self.init(dueAt: row.dueAt, number: row.number) }

  package static func < (left: Self, right: Self) -> Bool { (left.dueAt, left.number) < (right.dueAt, right.number) }
}

/// The number inside an account token.
package struct TokenNumber: Hashable, Sendable {
  package var high: Int64
  package var low: Int64

  package init(high: Int64, low: Int64) {
    self.high = high
    self.low = low
  }
}

/// An account token on purchases, and the customer that it names.
package struct AccountTokenRow: Hashable, Sendable {
  package var token: TokenNumber
  package var customer: CustomerNumber

  package init(token: TokenNumber, customer: CustomerNumber) {
    self.token = token
    self.customer = customer
  }
}

/// The owner of a purchase's entitlement: the credited customer, until the entitlement moves.
package struct EntitlementRow: Hashable, Sendable {
  package var purchase: Int64
  package var holder: CustomerNumber

  package init(purchase: Int64, holder: CustomerNumber) {
    self.purchase = purchase
    self.holder = holder
  }
}

/// A group's changes to orders, account tokens and entitlements.
package struct OrderChanges: Sendable {
  package var new: [OrderRow] = []
  package var changed: [OrderRow] = []
  package var accountTokens: [AccountTokenRow] = []
  /// They replace the stored rows of the same purchases.
  package var entitlements: [EntitlementRow] = []

  package var isEmpty: Bool {
    new.isEmpty && changed.isEmpty && accountTokens.isEmpty && entitlements.isEmpty
  }
}
