public import GemLedger
internal import StoreBackend

// Every method that takes a token throws `purchase_not_found` if the store has no such purchase.
extension SimulatedPlayStore {
  /// Completes a pending payment: the updates deliver the purchase, and the three days begin.
  ///
  /// - Throws: `LedgerError` with `invalid_request` if the purchase is not pending.
  public func approvePendingPurchase(token: StoreTransactionID) throws(LedgerError) {
    try control(token) { shop, row, now in
      guard row.state == .pending else { return "It is not pending." }
      shop.approve(row, now: now)
      return nil
    }
  }

  /// Cancels a pending payment: the purchase is gone, and the app receives no update.
  ///
  /// - Throws: `LedgerError` with `invalid_request` if the purchase is not pending.
  public func declinePendingPurchase(token: StoreTransactionID) throws(LedgerError) {
    try control(token) { shop, row, now in
      guard row.state == .pending else { return "It is not pending." }
      shop.decline(row, now: now)
      return nil
    }
  }

  /// Refunds units, and removes the purchase if none is left; the backend receives a notice.
  ///
  /// - Parameters:
  ///   - token: The purchase.
  ///   - quantity: How many units; nil for all that are left.
  ///   - source: The party that refunds.
  ///   - reason: The reason.
  /// - Throws: `LedgerError` with `invalid_request` if it is not paid for or has fewer units, `already_refunded`.
  public func refund(
    token: StoreTransactionID, quantity: Int64? = nil, source: VoidedPurchase.Source = .developer,
    reason: VoidedPurchase.Reason = .other
  ) throws(LedgerError) {
    let refusal = { (row: PlayRow) -> LedgerError? in
      guard PlayPurchase(row).state == .canceled, row.transaction.revocation != nil else { return nil }
      return LedgerError(.alreadyRefunded, "The store gave all money for the purchase back already.")
    }
    try control(token, refusal: refusal) { shop, row, now in
      guard row.isPaid else { return "It is not paid for." }
      let units = quantity ?? row.refundableQuantity
      guard units > 0, units <= row.refundableQuantity else {
        return "\(row.refundableQuantity) units can be refunded."
      }
      shop.void(row, units: units, source: source, reason: reason, now: now)
      return nil
    }
  }

  /// Lets a subscription end with its period.
  ///
  /// - Throws: `LedgerError` with `invalid_request` if it is no running subscription.
  public func cancelSubscription(token: StoreTransactionID) throws(LedgerError) {
    try control(token) { shop, row, _ in
      guard row.isPaid, row.period != nil else { return "It is no running subscription." }
      var row = row
      row.willAutoRenew = false
      shop.record(.row(row))
      return nil
    }
  }

  /// Removes all purchases, as if they had never been; their tokens are not used again.
  public func clearPurchases() throws(LedgerError) { try engine.act { shop, _ in shop.clear() } }

  private func control(
    _ token: StoreTransactionID, refusal: (PlayRow) -> LedgerError? = { _ in nil },
    _ body: (inout PlayStoreState, PlayRow, Timestamp) -> String?
  ) throws(LedgerError) {
    let problem = try engine.act { shop, now -> LedgerError? in
      guard let row = shop.row(token) else { return Self.notFound }
      if let refusal = refusal(row) { return refusal }
      return body(&shop, row, now).map { .invalid("The purchase: \($0)") }
    }
    if let problem { throw problem }
  }
}
