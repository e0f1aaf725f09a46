public import GemLedger

/// What a round of deliveries came to.
public struct DeliveryRound: Hashable, Sendable {
  /// How many orders were tried.
  public var tried = 0
  /// How many of them were confirmed.
  public var confirmed = 0
  /// How many of them were not, and have no try left.
  public var exhausted = 0

  /// A round of nothing.
  public init() {}
}

extension LocalBackend {
  /// Tries the deliveries that are due, oldest first, one after the other.
  ///
  /// Several backends may do so at once: each try is taken by one of them. An order whose tries are used up stays
  /// `delivery_pending` for a person to look at (``undelivered(limit:after:)``); it is not failed, and nothing that was
  /// credited is taken back.
  ///
  /// - Parameters:
  ///   - now: What is due then; nil for the clock's time.
  ///   - limit: At most so many orders.
  /// - Returns: How it went; nothing where there is nobody to deliver to.
  /// - Throws: `LedgerError` where the storage fails.
  @discardableResult
  public func retryDeliveries(now: Timestamp? = nil, limit: Int = 1000) async throws(LedgerError) -> DeliveryRound {
    var round = DeliveryRound()
    guard delivery != nil else { return round }
    let now = now ?? clock.now()
    let due = try reading { (snapshot, _) throws(LedgerError) -> [OrderRow] in
      try snapshot.orders(
        .deliveryPending, after: OrderPosition(dueAt: .min, number: 0), dueUntil: now.milliseconds, limit: limit)
    }
    for row in due {
      let gap = policy.deliverySchedule.gapMilliseconds(after: row.deliveryAttempts + 1)
      let next = gap.map { now.advanced(milliseconds: $0) }
      guard let isConfirmed = try await tryDelivery(row, nextAt: next) else { continue }
      round.tried += 1
      if isConfirmed { round.confirmed += 1 } else if next == nil { round.exhausted += 1 }
    }
    return round
  }

  /// Tries one order's delivery now, whatever its schedule says, as a person does who has looked into it.
  ///
  /// - Returns: The order after it.
  /// - Throws: `LedgerError` with `order_not_found`.
  public func retryDelivery(of code: PurchaseCode) async throws(LedgerError) -> Order {
    let row = try reading { (snapshot, _) throws(LedgerError) -> OrderRow in
      guard let row = try snapshot.order(code) else { throw .orderNotFound(code) }
      return row
    }
    if row.state == .deliveryPending, delivery != nil {
      _ = try await tryDelivery(row, nextAt: row.dueAt == .max ? nil : Timestamp(milliseconds: row.dueAt))
    }
    return try order(code)
  }

  /// Orders that were paid for and credited and whose delivery nobody confirmed in any of its tries.
  ///
  /// - Throws: `LedgerError` with `limit_exceeded` for a limit that is not 1 to `Limits.historyPage`.
  public func undelivered(limit: Int = 100, after cursor: OrdersPage.Cursor? = nil) throws(LedgerError) -> OrdersPage {
    try Paging.check(page: 1, size: limit)
    return try reading { (snapshot, _) throws(LedgerError) -> OrdersPage in
      // Those without a next try are due never, at the end of the list.
      let start = OrderPosition(dueAt: .max, number: cursor?.position.number ?? 0)
      let rows = try snapshot.orders(.deliveryPending, after: start, dueUntil: .max, limit: limit + 1)
      var orders: [Order] = []
      for row in rows.prefix(limit) { orders.append(try self.order(row, isReplayed: false, in: snapshot)) }
      return OrdersPage(
        orders: orders, next: rows.count > limit ? OrdersPage.Cursor(OrderPosition(of: rows[limit - 1])) : nil)
    }
  }

  /// The first try, right after the credit that has counted it already; how it ends is in the order.
  func deliverFirst(_ code: PurchaseCode) async {
    do throws(LedgerError) {
      let row = try reading { (snapshot, _) throws(LedgerError) in try snapshot.order(code) }
      if let row, row.state == .deliveryPending { _ = try await deliver(row) }
    } catch {
      // The purchase is credited, which is what the caller must hear; the next try is due by itself.
    }
  }

  /// Takes the try and makes it; nil where somebody else took it.
  private func tryDelivery(_ row: OrderRow, nextAt: Timestamp?) async throws(LedgerError) -> Bool? {
    let customer = try customer(of: row.code)
    let step = OrderStep.tryDelivery(attempts: row.deliveryAttempts, nextAt: nextAt)
    let receipt = try await ledger.book(.advanceOrder(row.code, step, customer: customer))
    return receipt.isReplayed ? nil : try await deliver(row)
  }

  private func deliver(_ row: OrderRow) async throws(LedgerError) -> Bool {
    guard let target = delivery else { return false }
    let message = try reading { (snapshot, _) throws(LedgerError) in try self.delivery(of: row, in: snapshot) }
    guard await target.deliver(message) else { return false }
    _ = try await ledger.book(.advanceOrder(row.code, .deliver, customer: message.customer))
    return true
  }

  /// What the order gave, from the journal.
  private func delivery(of row: OrderRow, in snapshot: any StorageSnapshot) throws(LedgerError) -> Delivery {
    guard let number = row.purchase, let purchase = try snapshot.purchase(number: number),
      let parts = try snapshot.parts(of: purchase.transaction, of: purchase.customer)
    else { throw LedgerError(.storageDamaged, "The order \(row.code) names no purchase; run verify.") }
    let owner = try snapshot.id(of: purchase.customer)
    let receipt = try parts.receipt(customer: owner, terms: try ledger.catalog.terms(in: snapshot))
    let currencies = receipt.entries.map { Delivery.Item(id: $0.currency.description, quantity: $0.amount) }
    return Delivery(
      purchaseCode: row.code, customer: owner, product: purchase.product, quantity: purchase.quantity,
      price: purchase.price, items: currencies + receipt.items.map { .init(id: $0.item.text, quantity: $0.quantity) },
      context: try OrderDocument.request(of: row, customer: owner).context,
      storeTransactionID: purchase.identity.transactionID, store: purchase.identity.store)
  }
}
