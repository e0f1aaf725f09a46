internal import GemLedger

/// Applies the stores' notices about transactions.
struct StoreNotices: Sendable {
  let context: BackendContext
  let credits: ReceiptCredits
  let refunds: StoreRefunds

  /// Stores the evidence, and books the state that all evidence about the purchase shows.
  func apply(_ evidence: Evidence) async throws(LedgerError) -> NoticeAnswer {
    var evidence = evidence
    let (transaction, now) = (evidence.transaction, context.clock.now())
    try ReceiptRules.check(
      datesOf: transaction, now: now, skewMilliseconds: context.policy.futureSkewMilliseconds)
    let (settings, isKnown, buyer) = try context.reading {
      (view, productIndex) throws(LedgerError) -> (CatalogSettings, Bool, CustomerID?) in
      var buyer = try transaction.accountToken.flatMap { (token) throws(LedgerError) in
        try view.customers.buyer(token, at: transaction.purchasedAt)
      }
      if buyer == nil {
        // The first poster, from before the payment or the refund.
        let held = try view.evidence.held(transaction)
        if let held, [.pending, .declined, .refunded].contains(held.reason) { buyer = held.customer }
      }
      return (productIndex.catalog.settings, try view.purchase(of: transaction) != nil, buyer)
    }
    evidence.namesErased = buyer?.isOfErased ?? false
    do throws(LedgerError) {
      // Notices about credited purchases are accepted even if the setting has changed since.
      if !isKnown { try ReceiptRules(policy: context.policy, settings: settings).check(bundleID: transaction.bundleID) }
    } catch {
      try await credits.hold(evidence, .app, customer: nil)
      throw error
    }
    if let revocation = transaction.revocation, isKnown || revocation.extent == .full {
      let booking = try await refunds.refund(evidence, revocation)
      if booking.isReplayed { return NoticeAnswer(outcome: .unchanged, booking: booking) }
      return NoticeAnswer(outcome: booking.isAwaitingPurchase ? .kept : .refunded, booking: booking)
    }
    if isKnown {
      let booking = try await refunds.reverse(evidence)
      let isNew = !booking.isReplayed && booking.transactionID != nil
      return NoticeAnswer(outcome: isNew ? .refundReversed : .unchanged, booking: booking)
    }
    guard let buyer else {
      try await credits.hold(evidence, transaction.accountToken == nil ? .unattributed : .buyer, customer: nil)
      return NoticeAnswer(outcome: .unattributed)
    }
    do throws(LedgerError) {
      let answer = try await credits.credit(
        evidence, customer: buyer, order: nil, search: .find, requestID: context.newRequestID())
      return NoticeAnswer(outcome: answer.booking.isReplayed ? .unchanged : .credited, booking: answer.booking)
    } catch {
      guard [.validationPending, .receiptRevoked].contains(error.code) else { throw error }
      return NoticeAnswer(outcome: .held)
    }
  }
}
