internal import GemLedger

/// Reads orders in the form for clients and operators.
struct OrderReading: Sendable {
  let context: BackendContext

  func order(_ code: PurchaseCode, isReplayed: Bool = false) throws(LedgerError) -> Order {
    try context.reading { (view, productIndex) throws(LedgerError) -> Order in
      try order(try view.orders.order(code), isReplayed: isReplayed, in: view, productIndex)
    }
  }

  func orders(of customer: CustomerID, page: Int, size: Int) throws(LedgerError) -> [Order] {
    try Paging.check(page: page, size: size)
    return try context.reading { (view, productIndex) throws(LedgerError) -> [Order] in
      try orders(view.orders.page(page, size: size, of: view.customers.customer(customer)), in: view, productIndex)
    }
  }

  /// Returns the orders that failed without a payment, at their deadline or by a cancellation, in the order of those
  /// instants.
  func failed(
    from: Timestamp, until: Timestamp, limit: Int, after cursor: OrdersPage.Cursor?
  ) throws(LedgerError) -> OrdersPage {
    try Paging.check(page: 1, size: limit)
    let now = context.clock.now()
    return try context.reading { (view, productIndex) throws(LedgerError) -> OrdersPage in
      let start = cursor?.position ?? OrderPosition(dueAt: from.milliseconds, number: 0)
      let failed = try view.orders.orders(.failed, after: start, dueUntil: until.before, limit: limit + 1)
      let late = try view.orders.orders(.pending, after: start, dueUntil: min(until.before, now), limit: limit + 1)
      return try page(
        (failed + late).sorted { $0.position < $1.position }, limit: limit, in: view,
        productIndex)
    }
  }

  /// Returns the orders whose delivery has a try left, in the order of their next tries.
  func pendingDeliveries(limit: Int, after cursor: OrdersPage.Cursor?) throws(LedgerError) -> OrdersPage {
    try Paging.check(page: 1, size: limit)
    return try context.reading { (view, productIndex) throws(LedgerError) -> OrdersPage in
      let start = cursor?.position ?? OrderPosition(dueAt: .min, number: 0)
      // Orders without a next try are at the end of the list, at the latest possible instant.
      let last = Timestamp(milliseconds: .max - 1)
      return try page(
        view.orders.orders(.deliveryPending, after: start, dueUntil: last, limit: limit + 1), limit: limit, in: view,
        productIndex)
    }
  }

  /// Returns the orders whose delivery has no try left.
  func undelivered(limit: Int, after cursor: OrdersPage.Cursor?) throws(LedgerError) -> OrdersPage {
    try Paging.check(page: 1, size: limit)
    return try context.reading { (view, productIndex) throws(LedgerError) -> OrdersPage in
      // Orders without a next try are never due and are at the end of the list.
      let start = OrderPosition(dueAt: .max, number: cursor?.position.number ?? 0)
      let never = Timestamp(milliseconds: .max)
      return try page(
        view.orders.orders(.deliveryPending, after: start, dueUntil: never, limit: limit + 1), limit: limit, in: view,
        productIndex)
    }
  }

  /// Makes the order of a row; an unpaid order past its deadline has failed, even if its row does not show it yet.
  func order(
    _ found: LedgerOrder, isReplayed: Bool, in view: LedgerView, _ productIndex: ProductIndex
  ) throws(LedgerError) -> Order {
    let payment = try view.orders.payment(of: found)
    let customer = try view.orders.customer(of: found)
    let isLate = found.state == .pending && found.deadline <= context.clock.now()
    var order = Order(
      code: found.code, request: try OrderDocument.request(of: found, customer: customer),
      costs: try OrderDocument.costs(of: found), status: isLate ? .failed : Order.Status(found.state),
      storeTransactionID: payment?.id, createdAt: found.createdAt,
      updatedAt: isLate ? found.deadline : found.updatedAt, deadline: found.deadline,
      deliveryAttempts: found.deliveryAttempts,
      isReplayed: isReplayed,
      storeProductID: productIndex.product(found.product)?.storeIDs[found.store.description],
      originalTransactionID: payment?.originalID)
    order.paidPrice = payment?.price
    if found.state == .deliveryPending { order.nextDeliveryAt = found.dueAt }
    return order
  }

  /// The customer of an order.
  func customer(of code: PurchaseCode) throws(LedgerError) -> CustomerID {
    try context.reading { (view, _) throws(LedgerError) -> CustomerID in
      try view.orders.customer(of: try view.orders.order(code))
    }
  }

  private func orders(
    _ found: some Sequence<LedgerOrder>, in view: LedgerView, _ productIndex: ProductIndex
  ) throws(LedgerError) -> [Order] {
    var orders: [Order] = []
    for one in found { orders.append(try order(one, isReplayed: false, in: view, productIndex)) }
    return orders
  }

  private func page(
    _ found: [LedgerOrder], limit: Int, in view: LedgerView, _ productIndex: ProductIndex
  ) throws(LedgerError) -> OrdersPage {
    OrdersPage(
      orders: try orders(found.prefix(limit), in: view, productIndex),
      next: found.count > limit ? OrdersPage.Cursor(found[limit - 1].position) : nil)
  }
}

/// Pages with numbers from 1.
enum Paging {
  static func check(page: Int, size: Int) throws(LedgerError) {
    guard page >= 1, (1...Limits.historyPage).contains(size) else {
      throw LedgerError(
        .limitExceeded,
        "Page \(page) of \(size) is out of range: pages count from 1 and hold 1 to "
          + "\(Limits.historyPage).", details: [.integer("limit", Int64(Limits.historyPage))])
    }
  }
}

extension Order.Status {
  init(_ state: LedgerOrder.State) {
    switch state {
    case .pending: self = .pending
    case .success: self = .success
    case .failed: self = .failed
    case .deliveryPending: self = .deliveryPending
    }
  }
}
