extension LedgerOrder {
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

  /// The member of an announcement that names the payer's client; once set, it is never replaced.
  package static let claimName = OrderRow.claimName
  /// The member with the order's costs in virtual currency, which the backend adds; it is not part of the request.
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
