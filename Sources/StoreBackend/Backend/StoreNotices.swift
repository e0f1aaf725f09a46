internal import GemLedger

/// Applies the stores' notices about transactions.
struct StoreNotices: Sendable {
  let context: BackendContext
  let credits: ReceiptCredits
  let refunds: StoreRefunds

  func apply(_ transaction: StoreTransaction) async throws(LedgerError) -> NoticeAnswer {
    try ReceiptRules.check(
      datesOf: transaction, now: context.clock.now(), skewMilliseconds: context.policy.futureSkewMilliseconds)
    let (settings, isKnown, buyer) = try context.reading {
      (view, productIndex) throws(LedgerError) -> (CatalogSettings, Bool, CustomerID?) in
      let buyer = try transaction.accountToken.flatMap { (token) throws(LedgerError) in
        try view.customers.buyer(token.number, at: transaction.purchasedAt)
      }
      return (productIndex.catalog.settings, try view.purchase(of: transaction) != nil, buyer)
    }
    try ReceiptRules(policy: context.policy, settings: settings).check(bundleID: transaction.bundleID)
    if let revocation = transaction.revocation, isKnown || revocation.extent == .full {
      let booking = try await refunds.refund(transaction, revocation)
      if booking.isReplayed { return NoticeAnswer(outcome: .unchanged, booking: booking) }
      return NoticeAnswer(outcome: booking.isAwaitingPurchase ? .kept : .refunded, booking: booking)
    }
    if isKnown {
      let booking = try await refunds.reverse(transaction)
      let isNew = !booking.isReplayed && booking.transactionID != nil
      return NoticeAnswer(outcome: isNew ? .refundReversed : .unchanged, booking: booking)
    }
    guard let buyer else { return NoticeAnswer(outcome: .unattributed) }
    let answer = try await credits.credit(
      transaction, customer: buyer, order: nil, search: .find, requestID: context.newRequestID())
    return NoticeAnswer(outcome: answer.booking.isReplayed ? .unchanged : .credited, booking: answer.booking)
  }
}
