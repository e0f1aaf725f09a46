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

extension OrderRow: ExportedRow {
  package static let table: StaticString = "orders"
  package static let hasPlacedMembers = true
  package static let checks = [
    "quantity > 0", "state BETWEEN 1 AND 4", "delivery_attempts >= 0",
    "(purchase IS NOT NULL) = (state IN (2, 4))",
  ]
  package static let fixedColumns: Set = [
    "code", "store", "product", "quantity", "request", "key", "created_at", "deadline",
  ]
  package static var blank: Self {
    Self(
      number: 0, code: PurchaseCode(unchecked: ""), customer: 0, store: .test, product: ProductCode(unchecked: ""),
      quantity: 0, request: "", key: nil, createdAt: Timestamp(milliseconds: 0), deadline: Timestamp(milliseconds: 0))
  }

  package mutating func visit<Members: MemberVisitor>(_ columns: inout Members) {
    columns.number("number", &number, .exported)
    columns.identifier("code", &code, .exported)
    columns.number("customer", &customer, .exported)
    columns.kind("store", &store, else: .test, .exported)
    columns.identifier("product", &product, .exported)
    columns.amount("quantity", &quantity, .exported(within: .number))
    columns.text("request", &request, .exported(place: .last))
    columns.identifier("key", optional: &key, .exported)
    columns.kind("state", &state, else: .failed, .exported)
    columns.number("purchase", optional: &purchase, .exported)
    columns.instant("created_at", &createdAt, .exported)
    columns.instant("updated_at", &updatedAt, .exported)
    columns.instant("deadline", &deadline, .exported)
    columns.integer("due_at", .instantOrNever, &dueAt, .exported(as: "due_at_milliseconds", unless: .never))
    columns.number("delivery_attempts", &deliveryAttempts, .exported(atLeast: 0))
  }
}

extension OrderRow.State: ExportedKind {
  package var name: String {
    switch self {
    case .pending: "pending"
    case .success: "success"
    case .failed: "failed"
    case .deliveryPending: "delivery_pending"
    }
  }
}

// MARK: Indexes

extension OrderRow {
  package static var indexes: [RowIndex<Self>] { [byCode, byPurchase, byKey, ofCustomer, due] }

  package static let byCode = RowIndex<Self>(
    "orderByCode", key: [.text("code")], inMemory: .one { $0.orders[PurchaseCode(unchecked: $1.text)] })
  package static let byPurchase = RowIndex<Self>(
    "orderByPurchase", key: ["purchase"], inMemory: .one { $0.orders[purchase: $1.first] })
  package static let byKey = RowIndex<Self>(
    "orderByKey", key: ["customer", .text("key")],
    inMemory: .one { $0.orders[IdempotencyKey(unchecked: $1.text), $1.first] })
  /// Newest first.
  package static let ofCustomer = RowIndex<Self>(
    "ordersOfCustomer", key: ["customer"], order: ["number"], isDescending: true,
    inMemory: .page { tables, key, place, limit in
      tables.orders.orders(of: key.first, below: place?.first ?? .max, limit: limit)
    })
  /// The unfinished orders of a state, in the order in which they are due.
  package static let due = RowIndex<Self>(
    "ordersDue", key: ["state"], order: ["due_at", "number"], where: [.unequal("state", 2), .positive("number")],
    inMemory: .page { tables, key, place, limit in
      let state = OrderRow.State(rawValue: key.first) ?? .success
      return tables.orders.orders(state, after: place ?? IndexPlace(.min), limit: limit)
    })
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

// MARK: Digest

extension RowDigest {
  /// The announced fields of an order, without those that an erasure removes and those that change with its state.
  static func of(_ row: OrderRow) -> UInt64 {
    var digest = RowDigest(.order)
    digest.add(row.number)
    digest.add(row.code.text)
    digest.add(row.customer)
    digest.add(row.store.number)
    digest.add(row.product.text)
    digest.add(row.quantity)
    digest.add(row.createdAt)
    digest.add(row.deadline)
    return digest.value
  }
}
