internal import GemLedger

/// Books refunds of the stores, and their reversals.
struct StoreRefunds: Sendable {
  let ledger: Ledger

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
      purchase = try ledger.view { (view) throws(LedgerError) in try view.purchase(of: transaction) }
    }
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
    return try await ledger.book(
      .refund(
        StoreRefund(
          store: transaction.store, environment: transaction.environment, transactionID: transaction.creditID,
          revokedAt: revocation.revokedAt, extent: extent, signedAt: transaction.signedAt)))
  }

  /// Reverses all refunds of a transaction with newer evidence that shows none.
  func reverse(_ transaction: StoreTransaction) async throws(LedgerError) -> Booking {
    try await ledger.book(
      .reverseRefund(
        StoreRefundReversal(
          store: transaction.store, environment: transaction.environment, transactionID: transaction.creditID,
          signedAt: transaction.signedAt)))
  }
}
