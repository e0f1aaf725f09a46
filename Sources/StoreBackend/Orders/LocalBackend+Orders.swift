public import GemLedger

extension LocalBackend {
  /// The first step of a two-step purchase: an order with its purchase code, before anybody pays.
  ///
  /// The same request under the same key is one order. A request that names what paid for it already is answered with
  /// the order of that store transaction, or with a new one that is settled at once if the transaction is credited;
  /// both are successes. ``Order/isReplayed`` tells them from a new order.
  ///
  /// What the product costs in virtual currency (``BackendPolicy/currencyPrices``) is set aside before the answer; an
  /// order that it cannot be set aside for fails.
  ///
  /// The key is looked up before the offer: an order that was announced is answered whatever the catalog says by now.
  ///
  /// - Throws: `LedgerError` with, in order of precedence, `limit_exceeded` (the context passes 8 KiB, the claim 100
  ///   bytes), `invalid_user_id`, `bundle_mismatch`, `product_not_found` (also: not at this store), `not_available`
  ///   (not on sale), `amount_mismatch` (the price is not one of the catalog's), `amount_out_of_range`,
  ///   `key_conflict`, and where it costs currency those of `Ledger.hold(_:customer:for:key:)`. Its detail `request_id`
  ///   names the request.
  public func initPayment(_ request: OrderRequest) async throws(LedgerError) -> Order {
    let requestID = newRequestID()
    do throws(LedgerError) { return try await opened(request) } catch {
      throw error.adding(.text("request_id", requestID))
    }
  }

  /// Opens the order, or finds it.
  func opened(_ request: OrderRequest) async throws(LedgerError) -> Order {
    try checkForm(of: request)
    // The key comes before everything that may have changed since the order was announced.
    if try !isAnnounced(request) { try checkOffer(for: request) }
    let opening = OrderOpening(
      code: .make(store: request.store, at: clock.now(), randomness: randomness), store: request.store,
      product: request.product, quantity: request.quantity,
      request: OrderDocument.text(of: request, costs: try costs(of: request)), key: request.key,
      lifetimeMilliseconds: policy.orderLifetimeMilliseconds,
      paidBy: request.paidBy.map { OrderOpening.PaidTransaction(environment: $0.environment, id: $0.id) },
      retryAfterMilliseconds: secondDeliveryMilliseconds)
    let receipt = try await ledger.book(.openOrder(opening, customer: request.customer))
    // The payment names its buyer by the token alone: a receipt without its order finds the buyer by that.
    _ = try await register(request.customer)
    var order = try order(opened: opening, by: request, isReplayed: receipt.isReplayed)
    if order.status == .deliveryPending, !receipt.isReplayed {
      await deliverFirst(order.code)
      order = try self.order(order.code, isReplayed: order.isReplayed)
    }
    return order.costs.isEmpty ? order : try await hold(for: order)
  }

  /// How long after a credit the second try of its delivery is; nil where nobody delivers.
  var secondDeliveryMilliseconds: Int64? {
    delivery.map { _ in policy.deliverySchedule.gapMilliseconds(after: 1) ?? .max }
  }

  /// The second step: the receipt for the order is verified, credited, and delivered.
  ///
  /// The order is marked in the commit that credits. A receipt that comes after the order failed is credited too, and
  /// the order succeeds. A repeated call gives the first answer again. A receipt for another product, store or quantity
  /// is credited for itself and leaves the order as it is.
  ///
  /// - Throws: `LedgerError` as ``post(_:)``, with `order_not_found` after `receipt_unverified`.
  public func completePayment(
    _ code: PurchaseCode, post: ReceiptPost
  ) async throws(LedgerError) -> ReceiptAnswer {
    try await answer(post, order: code)
  }

  /// Says that the order will not be paid; a receipt that comes all the same is still credited.
  ///
  /// - Returns: The order; one that was paid for stays as it is, which its status says.
  /// - Throws: `LedgerError` with `order_not_found`.
  public func cancelPayment(_ code: PurchaseCode) async throws(LedgerError) -> Order {
    let customer = try customer(of: code)
    let receipt = try await ledger.book(.advanceOrder(code, .fail, customer: customer))
    let order = try order(code, isReplayed: receipt.isReplayed)
    if !order.costs.isEmpty { _ = try await settleHold(of: order) }
    return order
  }

  // MARK: Reading

  /// One order.
  ///
  /// - Throws: `LedgerError` with `order_not_found`.
  public func order(_ code: PurchaseCode) throws(LedgerError) -> Order { try order(code, isReplayed: false) }

  func order(_ code: PurchaseCode, isReplayed: Bool) throws(LedgerError) -> Order {
    try reading { (snapshot, _) throws(LedgerError) -> Order in
      guard let row = try snapshot.order(code) else { throw .orderNotFound(code) }
      return try self.order(row, isReplayed: isReplayed, in: snapshot)
    }
  }

  /// The customer's orders, newest first; pages count from 1.
  ///
  /// - Throws: `LedgerError` with, in order of precedence, `limit_exceeded` for a page below 1 or a size that is not 1
  ///   to `Limits.historyPage`, `customer_not_found`.
  public func orders(of customer: CustomerID, page: Int = 1, size: Int = 20) throws(LedgerError) -> [Order] {
    try Paging.check(page: page, size: size)
    return try reading { (snapshot, _) throws(LedgerError) -> [Order] in
      guard let found = try snapshot.customer(customer) else { throw .customerNotFound(customer) }
      let numbers = try Ledger.numbers(of: found, in: snapshot)
      let rows = try Paging.page(page, size: size, start: Int64.max) {
        (below, limit) throws(LedgerError) -> (rows: [OrderRow], last: Int64?) in
        var rows: [OrderRow] = []
        for number in numbers { rows += try snapshot.orders(of: number, below: below, limit: limit) }
        rows = Array(rows.sorted { $0.number > $1.number }.prefix(limit))
        return (rows, rows.last?.number)
      }
      var orders: [Order] = []
      for row in rows { orders.append(try self.order(row, isReplayed: false, in: snapshot)) }
      return orders
    }
  }

  /// A page of what was attempted and not completed: orders that failed, at their deadline or given up before it, at an
  /// instant from `from` until just before `until`; in the order of those instants.
  ///
  /// - Throws: `LedgerError` with `limit_exceeded` for a limit that is not 1 to `Limits.historyPage`.
  public func ordersReport(
    from: Timestamp, until: Timestamp, limit: Int = 100, after cursor: OrdersPage.Cursor? = nil
  ) throws(LedgerError) -> OrdersPage {
    try Paging.check(page: 1, size: limit)
    let now = clock.now()
    return try reading { (snapshot, _) throws(LedgerError) -> OrdersPage in
      let start = cursor?.position ?? OrderPosition(dueAt: from.milliseconds, number: 0)
      let failed = try snapshot.orders(.failed, after: start, dueUntil: until.before.milliseconds, limit: limit + 1)
      let late = try snapshot.orders(
        .pending, after: start, dueUntil: min(until.before.milliseconds, now.milliseconds), limit: limit + 1)
      let rows = (failed + late).sorted { OrderPosition(of: $0) < OrderPosition(of: $1) }
      var orders: [Order] = []
      for row in rows.prefix(limit) { orders.append(try self.order(row, isReplayed: false, in: snapshot)) }
      return OrdersPage(
        orders: orders, next: rows.count > limit ? OrdersPage.Cursor(OrderPosition(of: rows[limit - 1])) : nil)
    }
  }

  /// The order as people see it: one that nobody paid in time has failed, whether somebody wrote that down or not.
  func order(
    _ row: OrderRow, isReplayed: Bool, in snapshot: any StorageSnapshot
  ) throws(LedgerError) -> Order {
    let customer = try snapshot.id(of: row.customer)
    let isLate = row.state == .pending && row.deadline <= clock.now()
    let purchase = try row.purchase.flatMap { (number) throws(LedgerError) in
      try snapshot.purchase(number: number)
    }
    var order = Order(
      code: row.code, request: try OrderDocument.request(of: row, customer: customer),
      costs: try OrderDocument.costs(of: row),
      status: isLate ? .failed : Order.Status(row.state), storeTransactionID: purchase?.identity.transactionID,
      createdAt: row.createdAt, updatedAt: row.updatedAt, deadline: row.deadline,
      deliveryAttempts: row.deliveryAttempts, isReplayed: isReplayed)
    if row.state == .deliveryPending, row.dueAt != .max {
      order.nextDeliveryAt = Timestamp(milliseconds: row.dueAt)
    }
    return order
  }

  func customer(of code: PurchaseCode) throws(LedgerError) -> CustomerID {
    try reading { (snapshot, _) throws(LedgerError) -> CustomerID in
      guard let row = try snapshot.order(code) else { throw .orderNotFound(code) }
      return try snapshot.id(of: row.customer)
    }
  }
}

// MARK: Opening

extension LocalBackend {
  private static let claimByteCountMax = 100

  private func checkForm(of request: OrderRequest) throws(LedgerError) {
    guard request.context.byteCount <= Limits.metadataBytes else {
      throw LedgerError(
        .limitExceeded,
        "What the order carries has \(request.context.byteCount) bytes; the most is \(Limits.metadataBytes).")
    }
    guard request.claim.map({ $0.utf8.count <= Self.claimByteCountMax }) ?? true else {
      throw LedgerError(
        .limitExceeded, "An order's claim has at most \(Self.claimByteCountMax) bytes.",
        details: [.integer("limit", Int64(Self.claimByteCountMax))])
    }
    try UserID.check(request.customer)
  }

  /// Whether there is an order under the request's key.
  private func isAnnounced(_ request: OrderRequest) throws(LedgerError) -> Bool {
    guard let key = request.key else { return false }
    return try reading { (snapshot, _) throws(LedgerError) -> Bool in
      guard let customer = try snapshot.customer(request.customer) else { return false }
      return try snapshot.order(key: key, customer: customer) != nil
    }
  }

  private func checkOffer(for request: OrderRequest) throws(LedgerError) {
    let shelf = try reading { (_, shelf) in shelf }
    let rules = ReceiptRules(policy: policy, settings: shelf.catalog.settings)
    try rules.check(bundleID: request.bundleID)
    guard let product = shelf.place(of: request.product)?.product,
      product.storeIDs[request.store.description] != nil
    else {
      throw LedgerError(
        .productNotFound, "There is no product \"\(request.product)\" at \(request.store) in the catalog.",
        details: [.text("product_id", request.product.text)])
    }
    guard product.isActive || request.paidBy != nil else {
      throw LedgerError(.notAvailable, "The product \"\(request.product)\" is not on sale.")
    }
    guard let price = request.price, policy.checksPrice, request.paidBy == nil else { return }
    try ReceiptRules.check(announced: price, quantity: request.quantity, product: product)
  }

  /// The order that the opening made or found.
  private func order(
    opened opening: OrderOpening, by request: OrderRequest, isReplayed: Bool
  ) throws(LedgerError) -> Order {
    try reading { (snapshot, _) throws(LedgerError) -> Order in
      var row = try snapshot.order(opening.code)
      if row == nil, let key = opening.key, let customer = try snapshot.customer(request.customer) {
        row = try snapshot.order(key: key, customer: customer)
      }
      if row == nil, let paid = opening.paidBy,
        let purchase = try snapshot.purchase(store: opening.store, environment: paid.environment, id: paid.id)
      {
        row = try snapshot.order(purchase: purchase.number)
      }
      guard let row else { throw .defect("The order \(opening.code) was opened and is not there") }
      // One that was paid for before it was announced is no news either.
      return try self.order(row, isReplayed: isReplayed || row.purchase != nil, in: snapshot)
    }
  }
}

/// Pages that count from 1.
enum Paging {
  static func check(page: Int, size: Int) throws(LedgerError) {
    guard page >= 1, (1...Limits.historyPage).contains(size) else {
      throw LedgerError(
        .limitExceeded,
        "Page \(page) of \(size) is out of range: pages count from 1 and hold 1 to "
          + "\(Limits.historyPage).", details: [.integer("limit", Int64(Limits.historyPage))])
    }
  }

  /// Walks to the page, each page read once; `read` gives the rows below a place and the place of the last of them.
  static func page<Row>(
    _ number: Int, size: Int, start: Int64,
    _ read: (Int64, Int) throws(LedgerError) -> (rows: [Row], last: Int64?)
  ) throws(LedgerError) -> [Row] {
    var place = start
    for _ in 1..<number {
      let (rows, last) = try read(place, size)
      guard rows.count == size, let last else { return [] }
      place = last
    }
    return try read(place, size).rows
  }
}

extension Order.Status {
  init(_ state: OrderRow.State) {
    switch state {
    case .pending: self = .pending
    case .success: self = .success
    case .failed: self = .failed
    case .deliveryPending: self = .deliveryPending
    }
  }
}

extension OrderContext {
  /// How many bytes all its texts have together.
  var byteCount: Int {
    [gameID, roleID, roleName, serverID, rechargeType, extraData].reduce(0) { $0 + ($1?.utf8.count ?? 0) }
  }
}
