internal import GemLedger

/// Hands paid orders to the delivery target, retries by the policy's schedule, and then requests a refund if there is a
/// refund issuer.
struct OrderDeliveries: Sendable {
  let context: BackendContext
  let orders: OrderReading
  let refunds: StoreRefunds

  /// The time between the last try and the refund request: longer than a try, so that they do not overlap.
  static let refundGapMilliseconds: Int64 = 600_000
  /// The time until the next refund request if a request did not result in a refund.
  static let refundRetryMilliseconds: Int64 = 3_600_000

  func retryDue(at instant: Timestamp?, limit: Int) async throws(LedgerError) -> DeliveryRound {
    var round = DeliveryRound()
    guard context.delivery != nil else { return round }
    let now = instant ?? context.clock.now()
    let due = try context.reading { (view, _) throws(LedgerError) -> [LedgerOrder] in
      try view.orders.orders(
        .deliveryPending, after: OrderPosition(dueAt: .min, number: 0), dueUntil: now, limit: limit)
    }
    var failure: LedgerError?
    // A server that stops does not wait for the remaining tries.
    for order in due where !Task.isCancelled {
      do throws(LedgerError) {
        // Earlier tries may have taken some time.
        try await advance(order, at: max(now, context.clock.now()), &round)
      } catch {
        // A damaged order does not hold up the others.
        guard error.code == .storageDamaged else { throw error }
        failure = failure ?? error
      }
    }
    if let failure { throw failure }
    return round
  }

  private func advance(_ order: LedgerOrder, at now: Timestamp, _ round: inout DeliveryRound) async throws(LedgerError)
  {
    guard !order.isRefundRequested, order.deliveryAttempts < tryCount else {
      if try await tryRefund(order, at: now) { round.refunded += 1 }
      return
    }
    let gap = context.policy.deliverySchedule.gapMilliseconds(after: order.deliveryAttempts + 1)
    let next = gap.map { now.advanced(milliseconds: $0) }
    guard let isConfirmed = try await tryDelivery(order, nextAt: next ?? refundDue(after: now)) else { return }
    round.tried += 1
    if isConfirmed { round.confirmed += 1 } else if next == nil { round.exhausted += 1 }
  }

  private var tryCount: Int64 { Int64(context.policy.deliverySchedule.tryCount) }

  /// Tries a manual delivery, which the schedule does not count.
  ///
  /// - Throws: `order_not_found`, `not_available` once the store was asked for a refund.
  func retry(_ code: PurchaseCode) async throws(LedgerError) {
    let order = try context.reading { (view, _) throws(LedgerError) in try view.orders.order(code) }
    guard order.state == .deliveryPending, context.delivery != nil else { return }
    guard !order.isRefundRequested else { throw .refundRequested(order) }
    if order.deliveryAttempts >= tryCount, let dueAt = order.dueAt {
      // The refund is postponed so that it does not overlap with this try.
      let nextAt = max(dueAt, context.clock.now().advanced(milliseconds: Self.refundGapMilliseconds))
      guard try await take(.postponeDelivery(dueAt: dueAt, nextAt: nextAt), order) else {
        throw .refundRequested(order)
      }
    }
    _ = try await deliver(order)
  }

  /// Makes the first try, right after the credit, which has counted it already; the order shows the result.
  func deliverFirst(_ code: PurchaseCode) async {
    do throws(LedgerError) {
      let order = try context.reading { (view, _) throws(LedgerError) in try view.orders.find(code) }
      if let order, order.state == .deliveryPending { _ = try await deliver(order) }
    } catch {
      // The purchase is credited, and the caller must get this answer; the schedule has the next try.
    }
  }

  /// Claims the try and makes it; nil if another backend claimed it.
  private func tryDelivery(_ order: LedgerOrder, nextAt: Timestamp?) async throws(LedgerError) -> Bool? {
    guard try await take(.tryDelivery(attempts: order.deliveryAttempts, nextAt: nextAt), order) else { return nil }
    return try await deliver(order)
  }

  private func deliver(_ order: LedgerOrder) async throws(LedgerError) -> Bool {
    guard let target = context.delivery else { return false }
    let message = try context.reading { (view, productIndex) throws(LedgerError) in
      try delivery(of: order, in: view, productIndex)
    }
    guard let message else {
      _ = try await take(.withdraw, order)
      return false
    }
    guard await target.deliver(message) else { return false }
    return try await take(.deliver, order)
  }

  /// Advances the order by a step; false if another backend was first.
  private func take(_ step: OrderStep, _ order: LedgerOrder) async throws(LedgerError) -> Bool {
    let customer = try orders.customer(of: order.code)
    return try await !context.ledger.book(.advanceOrder(order.code, step, customer: customer)).isReplayed
  }

  /// Builds the order's delivery from the journal; nil if its payment is refunded.
  private func delivery(
    of order: LedgerOrder, in view: LedgerView, _ productIndex: ProductIndex
  ) throws(LedgerError) -> Delivery? {
    let purchase = try view.payment(of: order)
    guard !purchase.isRefunded else { return nil }
    let receipt = try view.purchases.booking(of: purchase, customer: purchase.customer)
    let currencies = receipt.entries.map { Delivery.Item(id: $0.currency.description, quantity: $0.amount) }
    return Delivery(
      purchaseCode: order.code, customer: purchase.customer, product: purchase.product,
      quantity: purchase.quantity, price: purchase.price,
      items: currencies + receipt.items.map { .init(id: $0.item.text, quantity: $0.quantity) },
      context: try OrderDocument.request(of: order, customer: purchase.customer).context,
      storeTransactionID: purchase.storeTransactionID, store: purchase.store,
      storeProductID: productIndex.product(purchase.product)?.storeIDs[purchase.store.description])
  }
}

// MARK: Refunds

extension OrderDeliveries {
  /// Returns when the refund is due after a last try at this instant; nil without a refund issuer.
  func refundDue(after instant: Timestamp) -> Timestamp? {
    context.refundIssuer.map { _ in instant.advanced(milliseconds: Self.refundGapMilliseconds) }
  }

  /// Claims the refund of an order without tries left, and asks the store for it.
  ///
  /// - Returns: Whether all of the purchase is refunded now.
  private func tryRefund(_ order: LedgerOrder, at now: Timestamp) async throws(LedgerError) -> Bool {
    guard let issuer = context.refundIssuer else {
      _ = try await take(.giveUpRefund, order)
      return false
    }
    let nextAt = now.advanced(milliseconds: Self.refundRetryMilliseconds)
    guard let dueAt = order.dueAt, try await take(.requestRefund(dueAt: dueAt, nextAt: nextAt), order) else {
      return false
    }
    let purchase = try payment(of: order)
    guard !purchase.isRefunded else { return try await take(.withdraw, order) }
    let transaction: StoreTransaction?
    do throws(LedgerError) { transaction = try await issuer.refund(purchase) } catch {
      // The issuer has reported the failure.
      if error.code == .notAvailable { _ = try await take(.giveUpRefund, order) }
      return false
    }
    guard let transaction, transaction.isOf(purchase), let revocation = transaction.revocation else { return false }
    do throws(LedgerError) { _ = try await refunds.refund(Evidence(transaction: transaction), revocation) } catch {
      // A failed order does not stop the others.
      guard error.isRefusal else { throw error }
      return false
    }
    return try payment(of: order).isRefunded
  }

  private func payment(of order: LedgerOrder) throws(LedgerError) -> Purchase {
    try context.reading { (view, _) throws(LedgerError) in try view.payment(of: order) }
  }
}

extension StoreTransaction {
  fileprivate func isOf(_ purchase: Purchase) -> Bool {
    store == purchase.store && environment == purchase.environment && creditID == purchase.storeTransactionID
  }
}

extension LedgerError {
  fileprivate static func refundRequested(_ order: LedgerOrder) -> Self {
    LedgerError(
      .notAvailable, "The store was asked to refund the order \(order.code), so it is no longer delivered.")
  }
}

extension LedgerView {
  /// Returns the purchase that paid for a paid order.
  ///
  /// - Throws: `storage_damaged` if the purchase is missing.
  func payment(of order: LedgerOrder) throws(LedgerError) -> Purchase {
    guard let purchase = try purchases.purchase(payingFor: order) else {
      throw LedgerError(.storageDamaged, "The order \(order.code) names no purchase. Run \"gemctl verify\".")
    }
    return purchase
  }
}
