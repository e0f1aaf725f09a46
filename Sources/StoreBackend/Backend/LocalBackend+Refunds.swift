public import GemLedger

/// What became of a store's notice.
public struct NoticeAnswer: Hashable, Sendable {
  /// What it came to.
  public enum Outcome: String, Hashable, Sendable, CaseIterable {
    /// A purchase that nobody had posted was credited.
    case credited
    /// What the purchase gave was clawed back.
    case refunded
    /// What a refund took was given back.
    case refundReversed = "refund_reversed"
    /// A refund came before its purchase; it is kept, and booked with it.
    case kept
    /// The notice says nothing that was not known.
    case unchanged
    /// A purchase whose buyer nobody here knows; it is credited when the app posts its receipt.
    case unattributed
  }

  /// What it came to.
  public var outcome: Outcome
  /// What was booked, now or before, where anything was.
  public var receipt: Receipt?

  /// An answer.
  public init(outcome: Outcome, receipt: Receipt? = nil) {
    self.outcome = outcome
    self.receipt = receipt
  }
}

extension LocalBackend {
  /// Applies what the store says of a transaction by itself: a purchase, a refund, a refund taken back.
  ///
  /// The transaction must come from verified evidence. Notices may come in any order and any number of times: the
  /// store's own date of the evidence decides. A transaction without a refund takes back all refunds that its date is
  /// not before, since stores drop the refund from the evidence when they reverse it.
  ///
  /// - Throws: `LedgerError` with, in order of precedence, `receipt_future_dated`, `bundle_mismatch`, and for a
  ///   purchase that is not credited yet those of ``post(_:)``.
  @discardableResult
  public func apply(_ transaction: StoreTransaction) async throws(LedgerError) -> NoticeAnswer {
    try ReceiptRules.check(
      datesOf: transaction, now: clock.now(), skewMilliseconds: policy.futureSkewMilliseconds)
    let (settings, isKnown, buyer) = try reading {
      (snapshot, shelf) throws(LedgerError) -> (CatalogSettings, Bool, CustomerID?) in
      let number = try transaction.accountToken.flatMap { (token) throws(LedgerError) in
        try snapshot.customer(token, at: transaction.purchasedAt)
      }
      return (
        shelf.catalog.settings, try snapshot.purchase(of: transaction) != nil,
        try number.map { (number) throws(LedgerError) in try snapshot.id(of: number) }
      )
    }
    try ReceiptRules(policy: policy, settings: settings).check(bundleID: transaction.bundleID)
    if let revocation = transaction.revocation, isKnown || revocation.extent == .full {
      let receipt = try await refund(transaction, revocation)
      if receipt.isReplayed { return NoticeAnswer(outcome: .unchanged, receipt: receipt) }
      return NoticeAnswer(outcome: receipt.isAwaitingPurchase ? .kept : .refunded, receipt: receipt)
    }
    if isKnown {
      let receipt = try await reverseRefunds(of: transaction)
      let isNews = !receipt.isReplayed && receipt.transactionID != nil
      return NoticeAnswer(outcome: isNews ? .refundReversed : .unchanged, receipt: receipt)
    }
    guard let buyer else { return NoticeAnswer(outcome: .unattributed) }
    let answer = try await settle(
      transaction, customer: buyer, order: nil, search: .find, requestID: newRequestID())
    return NoticeAnswer(outcome: answer.receipt.isReplayed ? .unchanged : .credited, receipt: answer.receipt)
  }

  /// Books what a transaction that is credited says of money given back.
  func applyGivenBack(of transaction: StoreTransaction) async throws(LedgerError) {
    if let revocation = transaction.revocation {
      _ = try await refund(transaction, revocation)
      return
    }
    let refund = try reading { (snapshot, _) throws(LedgerError) in
      try snapshot.purchase(of: transaction)?.refund
    }
    // Evidence from before the refund, delivered again, says nothing of it.
    guard let refund, refund.share > .none, transaction.signedAt > refund.evidenceAt else { return }
    _ = try await reverseRefunds(of: transaction)
  }

  func refund(
    _ transaction: StoreTransaction, _ revocation: StoreTransaction.Revocation
  ) async throws(LedgerError) -> Receipt {
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

  private func reverseRefunds(of transaction: StoreTransaction) async throws(LedgerError) -> Receipt {
    try await ledger.book(
      .reverseRefund(
        StoreRefundReversal(
          store: transaction.store, environment: transaction.environment, transactionID: transaction.creditID,
          signedAt: transaction.signedAt)))
  }
}
