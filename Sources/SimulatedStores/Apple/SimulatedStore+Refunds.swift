public import GemLedger
public import StoreBackend

extension SimulatedStore {
  /// Refunds all money; devices receive an update, the backend a notice.
  ///
  /// - Throws: `LedgerError` with `invalid_request` if nothing was paid, `already_refunded`.
  public func refundTransaction(identifier id: StoreTransactionID) throws(LedgerError) {
    try refund(id, .full, isAppIssue: false)
  }

  /// Refunds part of the money, or all of it, as the extent specifies.
  ///
  /// - Parameters:
  ///   - id: The transaction.
  ///   - extent: How much: 1 to 100,000 thousandths of a percent, or 1 to as many units as were bought; the App Store
  ///     states units as a percentage of the quantity, and so does this store.
  ///   - isAppIssue: Whether the app was at fault.
  /// - Throws: `LedgerError` with `invalid_request` if nothing was paid or the extent is out of bounds,
  ///   `already_refunded`.
  public func refundTransaction(
    identifier id: StoreTransactionID, extent: StoreTransaction.Revocation.Extent, isAppIssue: Bool = false
  ) throws(LedgerError) {
    try refund(id, extent, isAppIssue: isAppIssue)
  }

  /// Reverses a refund: the store has the money again, and the transaction shows no refund.
  ///
  /// - Throws: `LedgerError` with `invalid_request` if there is no refund.
  public func reverseRefund(identifier id: StoreTransactionID) throws(LedgerError) {
    try control(id) { shop, row, now in
      guard row.transaction.revocation != nil, row.sharedSerial == nil else { return "It is not refunded." }
      shop.revoke(row, nil, isAppIssue: false, now: now)
      return nil
    }
  }

  /// Declines a refund request of a customer; the backend receives a notice.
  ///
  /// - Throws: `LedgerError` with `invalid_request` if there was no request, or the refund was made.
  public func declineRefundRequest(identifier id: StoreTransactionID) throws(LedgerError) {
    try control(id) { shop, row, now in
      guard row.hasRefundRequest, row.transaction.revocation == nil else { return "No request for a refund is open." }
      shop.post(.refundDeclined, row.transaction, of: row.account, now: now)
      return nil
    }
  }

  /// Delivers a transaction once more, to every device of its account, finished or not.
  ///
  /// - Throws: `LedgerError` with `invalid_request` if nothing was paid.
  public func redeliverTransaction(identifier id: StoreTransactionID) throws(LedgerError) {
    try control(id) { shop, row, now in
      guard row.isPurchased else { return "Nothing was paid." }
      shop.redeliver(row, now: now)
      return nil
    }
  }

  private func refund(
    _ id: StoreTransactionID, _ extent: StoreTransaction.Revocation.Extent, isAppIssue: Bool
  ) throws(LedgerError) {
    let refusal = { (row: AppleRow) -> LedgerError? in
      guard row.transaction.revocation?.extent == .full else { return nil }
      return LedgerError(.alreadyRefunded, "The store gave all money for \(id) back already.")
    }
    try control(id, refusal: refusal) { shop, row, now in
      guard row.isPurchased, row.sharedSerial == nil else { return "Nothing was paid." }
      guard let extent = extent.asPercentage(of: row.transaction.quantity) else { return "So much was never paid." }
      shop.revoke(row, extent, isAppIssue: isAppIssue, now: now)
      return nil
    }
  }
}

extension StoreTransaction.Revocation.Extent {
  /// Returns the extent as the App Store states it; nil if it is out of bounds.
  fileprivate func asPercentage(of quantity: Int64) -> Self? {
    switch self {
    case .full, .milliPercent(100_000): .full
    case .milliPercent(let share): (1..<100_000).contains(share) ? self : nil
    case .quantity(let units), .totalQuantity(let units):
      // Rounded down, as Apple's documentation has 33.333 % for one of three: the ledger's clawback rounds up.
      units == quantity ? .full : (1..<quantity).contains(units) ? .milliPercent(units * 100_000 / quantity) : nil
    }
  }
}
