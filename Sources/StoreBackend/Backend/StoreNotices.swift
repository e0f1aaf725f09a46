internal import GemLedger

/// Applies what stores say of transactions by themselves.
struct StoreNotices: Sendable {
  let context: BackendContext
  let credits: ReceiptCredits
  let refunds: StoreRefunds

  func apply(_ transaction: StoreTransaction) async throws(LedgerError) -> NoticeAnswer {
    try ReceiptRules.check(
      datesOf: transaction, now: context.clock.now(), skewMilliseconds: context.policy.futureSkewMilliseconds)
    let (settings, isKnown, buyer) = try context.reading {
      (view, shelf) throws(LedgerError) -> (CatalogSettings, Bool, CustomerID?) in
      let buyer = try transaction.accountToken.flatMap { (token) throws(LedgerError) in
        try view.customers.buyer(token.number, at: transaction.purchasedAt)
      }
      return (shelf.catalog.settings, try view.purchase(of: transaction) != nil, buyer)
    }
    try ReceiptRules(policy: context.policy, settings: settings).check(bundleID: transaction.bundleID)
    if let revocation = transaction.revocation, isKnown || revocation.extent == .full {
      let receipt = try await refunds.refund(transaction, revocation)
      if receipt.isReplayed { return NoticeAnswer(outcome: .unchanged, receipt: receipt) }
      return NoticeAnswer(outcome: receipt.isAwaitingPurchase ? .kept : .refunded, receipt: receipt)
    }
    if isKnown {
      let receipt = try await refunds.reverse(transaction)
      let isNews = !receipt.isReplayed && receipt.transactionID != nil
      return NoticeAnswer(outcome: isNews ? .refundReversed : .unchanged, receipt: receipt)
    }
    guard let buyer else { return NoticeAnswer(outcome: .unattributed) }
    let answer = try await credits.credit(
      transaction, customer: buyer, order: nil, search: .find, requestID: context.newRequestID())
    return NoticeAnswer(outcome: answer.receipt.isReplayed ? .unchanged : .credited, receipt: answer.receipt)
  }
}
