package import GemLedger

// Purchases that are held, for operators.
extension LocalBackend {
  /// The largest count of held purchases for one reason.
  package static let heldCountMax = 100_000

  /// Returns the purchases that are held for a reason, in the order of their due times.
  ///
  /// - Parameters:
  ///   - place: The place of the last purchase of the page before; nil for the first page.
  ///   - limit: The most purchases to return.
  package func heldPurchases(
    for reason: HoldReason, after place: IndexPlace? = nil, limit: Int = Limits.historyPage
  ) throws(LedgerError) -> [HeldPurchase] {
    try context.reading { (view, _) throws(LedgerError) in
      try view.evidence.held(for: reason, after: place, limit: limit)
    }
  }

  /// Returns the counts of held purchases by reason, including those that are not open; at most `limit` each.
  ///
  /// Reasons without purchases are omitted.
  package func heldCounts(limit: Int = heldCountMax) throws(LedgerError) -> [HoldReason: Int] {
    var counts: [HoldReason: Int] = [:]
    for reason in HoldReason.allCases {
      let count = try context.reading { (view, _) throws(LedgerError) in
        try view.evidence.count(of: reason, limit: limit)
      }
      if count > 0 { counts[reason] = count }
    }
    return counts
  }

  /// The counts of foreign receipts, of other apps and environments, that this process received, stored or not.
  package var foreignCounts: [(key: ForeignReceipts.Key, count: Int64)] { context.foreign.counts }

  /// Returns the held purchases with an id at any store; several if stores have equal ids.
  package func heldPurchases(with id: StoreTransactionID) throws(LedgerError) -> [HeldPurchase] {
    try context.reading { (view, _) throws(LedgerError) in try view.evidence.held(with: id) }
  }

  /// Credits a held purchase by an operator's decision.
  ///
  /// - Parameters:
  ///   - customer: The customer to credit; nil for the customer of its token, or else its poster.
  ///   - product: The product to credit; nil for the product with its id at the store.
  ///   - details: The reason and the actor.
  /// - Throws: `LedgerError` with `invalid_request` (not paid), `receipt_malformed` (the store's statement is not
  ///   known), `product_not_found`, `invalid_request` (no customer to credit), and those of
  ///   `Ledger.creditPurchase(_:customer:key:)`.
  package func credit(
    _ purchase: HeldPurchase, to customer: CustomerID? = nil, as product: ProductCode? = nil, details: CommandDetails
  ) async throws(LedgerError) -> Booking {
    try await ledger.book(creditCommand(purchase, to: customer, as: product, details: details))
  }

  /// Returns the command of ``credit(_:to:as:details:)``, for a preview.
  ///
  /// - Throws: `LedgerError` as ``credit(_:to:as:details:)`` without those of the booking.
  package func creditCommand(
    _ purchase: HeldPurchase, to customer: CustomerID?, as product: ProductCode?, details: CommandDetails
  ) throws(LedgerError) -> LedgerCommand {
    try held.creditCommand(purchase, to: customer, as: product, details: details)
  }

  /// Withdraws the undelivered order of a refunded purchase, and resumes it after a reversed refund.
  ///
  /// Call it after booking an operator's refund; notices of stores include this step.
  package func advanceOrder(paidBy purchase: Purchase) async throws(LedgerError) {
    try await deliveries.refunds.advanceOrder(
      paidBy: purchase.store, purchase.environment, purchase.storeTransactionID)
  }

  /// Whether paid orders are delivered to a game server.
  package var deliversOrders: Bool { context.delivery != nil }

  /// Decides again about held purchases that are due or that a change of the catalog may concern.
  ///
  /// - Returns: How many purchases it credited.
  @discardableResult
  package func decideHeld() async throws(LedgerError) -> Int {
    try await held.decideDue(now: context.clock.now()).credited + held.decideAfterCatalogChange().credited
  }

  /// Stores a store's statement of an unpaid purchase.
  ///
  /// Once the store confirms the payment, the poster is credited, unless the purchase names its buyer.
  ///
  /// - Parameters:
  ///   - isDeclined: Whether the payment was declined for good.
  ///   - customer: The poster; nil if the evidence is a store's notice.
  ///   - order: The order that the post names.
  /// - Throws: `LedgerError` with `invalid_identifier`, `invalid_user_id` and `order_not_found` for an invalid poster
  ///   or order; the purchase is then stored without them.
  package func keep(
    unpaid transaction: StoreTransaction, isDeclined: Bool, postedBy customer: CustomerID?,
    order: PurchaseCode? = nil
  ) async throws(LedgerError) {
    do throws(LedgerError) {
      try customer?.checkUsable()
      if let order { _ = try self.order(order) }
    } catch {
      switch error.code {
      case .invalidUserID, .invalidIdentifier, .orderNotFound:
        try await keep(unpaid: transaction, isDeclined: isDeclined, postedBy: nil)
      default: break
      }
      throw error
    }
    var evidence = Evidence(transaction: transaction)
    evidence.namesErased = try context.namesErased(transaction)
    let hold = ReceiptHold(
      store: transaction.store, environment: transaction.environment, transactionID: transaction.creditID,
      kind: isDeclined ? .cancelled : .pending, statedAt: transaction.signedAt,
      statement: evidence.statement, reason: isDeclined ? .declined : .pending,
      subject: evidence.namesErased ? nil : transaction.accountToken?.description, note: HoldNote(order: order).text)
    _ = try await context.ledger.book(.holdReceipt(hold, customer: customer))
    guard customer != nil else { return }
    // The purchase may already be paid and waiting for a poster.
    let kept = try context.reading { (view, _) throws(LedgerError) in try view.evidence.held(transaction) }
    if let kept, kept.reason != .pending, kept.reason != .declined { _ = try await held.decide(kept) }
  }
}

extension HeldPurchase {
  /// The store's newest statement, if its content is known.
  package var transaction: StoreTransaction? { evidence?.transaction }
}
