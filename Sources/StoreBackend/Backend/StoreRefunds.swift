internal import GemLedger

/// Books the stores' refunds and their reversals, and updates the paid orders.
struct StoreRefunds: Sendable {
  let context: BackendContext

  /// Stores the evidence of a refund, and books it if the purchase is credited.
  func refund(
    _ evidence: Evidence, _ revocation: StoreTransaction.Revocation
  ) async throws(LedgerError) -> Booking {
    let transaction = evidence.transaction
    let extent: StoreRefund.Extent =
      switch revocation.extent {
      case .full: .full
      case .milliPercent(let share): .milliPercent(share)
      case .quantity(let units): .quantity(units)
      case .totalQuantity(let units): .totalQuantity(units)
      }
    let booking = try await context.ledger.book(
      .refund(
        StoreRefund(
          store: transaction.store, environment: transaction.environment, transactionID: transaction.creditID,
          revokedAt: revocation.revokedAt, extent: extent, signedAt: transaction.signedAt,
          statement: evidence.statement)))
    try await advanceOrder(paidBy: transaction)
    return booking
  }

  /// Reverses all refunds of a transaction with newer evidence that shows none.
  func reverse(_ evidence: Evidence) async throws(LedgerError) -> Booking {
    let transaction = evidence.transaction
    let booking = try await context.ledger.book(
      .reverseRefund(
        StoreRefundReversal(
          store: transaction.store, environment: transaction.environment, transactionID: transaction.creditID,
          signedAt: transaction.signedAt, statement: evidence.statement)))
    try await advanceOrder(paidBy: transaction)
    return booking
  }

  /// Withdraws an undelivered order after the refund of its payment, and resumes it after a reversed refund.
  ///
  /// If the process ends before this step, the store's next notice completes it: stores repeat unanswered notices.
  func advanceOrder(paidBy transaction: StoreTransaction) async throws(LedgerError) {
    try await advanceOrder(paidBy: transaction.store, transaction.environment, transaction.creditID)
  }

  func advanceOrder(
    paidBy store: Store, _ environment: StoreEnvironment, _ id: StoreTransactionID
  ) async throws(LedgerError) {
    // Repeated after each step: another notice may have changed the purchase in the meantime.
    while let (code, step, customer) = try nextStep(ofOrderPaidBy: store, environment, id) {
      let booking = try await context.ledger.book(.advanceOrder(code, step, customer: customer))
      guard !booking.isReplayed else { return }
    }
  }

  private func nextStep(
    ofOrderPaidBy store: Store, _ environment: StoreEnvironment, _ id: StoreTransactionID
  ) throws(LedgerError) -> (code: PurchaseCode, step: OrderStep, customer: CustomerID)? {
    try context.reading { (view, _) throws(LedgerError) in
      let purchase = try view.purchases.purchase(store: store, environment: environment, transactionID: id)
      guard let purchase, let order = try view.orders.order(paidBy: purchase) else { return nil }
      let step: OrderStep
      switch order.state {
      case .deliveryPending where purchase.isRefunded: step = .withdraw
      case .failed where !purchase.isRefunded: step = .resume
      case .pending, .success, .failed, .deliveryPending: return nil
      }
      return (order.code, step, try view.orders.customer(of: order))
    }
  }
}
