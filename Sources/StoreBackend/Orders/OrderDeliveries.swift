internal import GemLedger

/// Hands paid orders to the delivery target, and tries again by the policy's schedule.
struct OrderDeliveries: Sendable {
  let context: BackendContext
  let orders: OrderReading

  func retryDue(at instant: Timestamp?, limit: Int) async throws(LedgerError) -> DeliveryRound {
    var round = DeliveryRound()
    guard context.delivery != nil else { return round }
    let now = instant ?? context.clock.now()
    let due = try context.reading { (view, _) throws(LedgerError) -> [LedgerOrder] in
      try view.orders.orders(
        .deliveryPending, after: OrderPosition(dueAt: .min, number: 0), dueUntil: now, limit: limit)
    }
    var failure: LedgerError?
    for order in due {
      let gap = context.policy.deliverySchedule.gapMilliseconds(after: order.deliveryAttempts + 1)
      let next = gap.map { now.advanced(milliseconds: $0) }
      do throws(LedgerError) {
        guard let isConfirmed = try await tryDelivery(order, nextAt: next) else { continue }
        round.tried += 1
        if isConfirmed { round.confirmed += 1 } else if next == nil { round.exhausted += 1 }
      } catch {
        // A damaged order does not hold up the others.
        guard error.code == .storageDamaged else { throw error }
        failure = failure ?? error
      }
    }
    if let failure { throw failure }
    return round
  }

  func retry(_ code: PurchaseCode) async throws(LedgerError) {
    let order = try context.reading { (view, _) throws(LedgerError) in try view.orders.order(code) }
    guard order.state == .deliveryPending, context.delivery != nil else { return }
    _ = try await tryDelivery(order, nextAt: order.dueAt)
  }

  /// The first try, right after the credit that has counted it already; how it ends is in the order.
  func deliverFirst(_ code: PurchaseCode) async {
    do throws(LedgerError) {
      let order = try context.reading { (view, _) throws(LedgerError) in try view.orders.find(code) }
      if let order, order.state == .deliveryPending { _ = try await deliver(order) }
    } catch {
      // The purchase is credited, which the caller must learn; the schedule holds the next try.
    }
  }

  /// Claims the try and makes it; nil where another backend claimed it.
  private func tryDelivery(_ order: LedgerOrder, nextAt: Timestamp?) async throws(LedgerError) -> Bool? {
    let customer = try orders.customer(of: order.code)
    let step = OrderStep.tryDelivery(attempts: order.deliveryAttempts, nextAt: nextAt)
    let receipt = try await context.ledger.book(.advanceOrder(order.code, step, customer: customer))
    return receipt.isReplayed ? nil : try await deliver(order)
  }

  private func deliver(_ order: LedgerOrder) async throws(LedgerError) -> Bool {
    guard let target = context.delivery else { return false }
    let message = try context.reading { (view, productIndex) throws(LedgerError) in
      try delivery(of: order, in: view, productIndex)
    }
    guard await target.deliver(message) else { return false }
    _ = try await context.ledger.book(.advanceOrder(order.code, .deliver, customer: message.customer))
    return true
  }

  /// Builds the order's delivery from the journal.
  private func delivery(
    of order: LedgerOrder, in view: LedgerView, _ productIndex: ProductIndex
  ) throws(LedgerError) -> Delivery {
    guard let purchase = try view.purchases.purchase(payingFor: order) else { throw .unpaid(order) }
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

extension LedgerError {
  /// An order that says that it is paid for, by a purchase that is not there.
  static func unpaid(_ order: LedgerOrder) -> Self {
    LedgerError(.storageDamaged, "The order \(order.code) names no purchase; run verify.")
  }
}
