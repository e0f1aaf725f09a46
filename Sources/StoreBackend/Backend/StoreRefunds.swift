internal import GemLedger

/// Books refunds of the stores, and their reversals, and takes the paid orders along.
struct StoreRefunds: Sendable {
  let context: BackendContext

  /// Books the refund that a credited transaction shows.
  ///
  /// - Parameter known: The purchase, where it is read already.
  /// - Returns: Whether anything was booked.
  func applyGivenBack(of transaction: StoreTransaction, known: Purchase?) async throws(LedgerError) -> Bool {
    if let revocation = transaction.revocation {
      _ = try await refund(transaction, revocation)
      return true
    }
    var purchase = known
    if known == nil {
      purchase = try context.reading { (view, _) throws(LedgerError) in try view.purchase(of: transaction) }
    }
    // A reversal may have been booked by a process that ended right after it.
    if let purchase, purchase.refundEvidenceAt != nil { try await advanceOrder(paidBy: transaction) }
    // Evidence from before the refund, delivered again, says nothing of it.
    guard let purchase, purchase.refundedMilliPercent > 0, let evidenceAt = purchase.refundEvidenceAt,
      transaction.signedAt > evidenceAt
    else { return false }
    _ = try await reverse(transaction)
    return true
  }

  func refund(
    _ transaction: StoreTransaction, _ revocation: StoreTransaction.Revocation
  ) async throws(LedgerError) -> Booking {
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
          revokedAt: revocation.revokedAt, extent: extent, signedAt: transaction.signedAt)))
    try await advanceOrder(paidBy: transaction)
    return booking
  }

  /// Reverses all refunds of a transaction with newer evidence that shows none.
  func reverse(_ transaction: StoreTransaction) async throws(LedgerError) -> Booking {
    let booking = try await context.ledger.book(
      .reverseRefund(
        StoreRefundReversal(
          store: transaction.store, environment: transaction.environment, transactionID: transaction.creditID,
          signedAt: transaction.signedAt)))
    try await advanceOrder(paidBy: transaction)
    return booking
  }

  /// Withdraws an undelivered order whose payment is refunded, and resumes one whose refund is reversed.
  ///
  /// Where the process ends before it, the store's next notice makes it good: stores repeat what was not answered.
  private func advanceOrder(paidBy transaction: StoreTransaction) async throws(LedgerError) {
    // Again after each step: another notice may have changed the purchase meanwhile.
    while let (code, step, customer) = try nextStep(ofOrderPaidBy: transaction) {
      let booking = try await context.ledger.book(.advanceOrder(code, step, customer: customer))
      guard !booking.isReplayed else { return }
    }
  }

  private func nextStep(
    ofOrderPaidBy transaction: StoreTransaction
  ) throws(LedgerError) -> (code: PurchaseCode, step: OrderStep, customer: CustomerID)? {
    try context.reading { (view, _) throws(LedgerError) in
      guard let purchase = try view.purchase(of: transaction), let order = try view.orders.order(paidBy: purchase)
      else { return nil }
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
