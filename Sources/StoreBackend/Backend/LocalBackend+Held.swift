package import GemLedger

// Purchases that are held, for operators.
extension LocalBackend {
  /// How many purchases of one reason are counted at most.
  package static let heldCountMax = 100_000

  /// The purchases that are held for a reason, in the order in which they are due.
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

  /// How many purchases are held, by reason, those that are not open included; at most ``heldCountMax`` each.
  ///
  /// Reasons without purchases are left out.
  package func heldCounts() throws(LedgerError) -> [HoldReason: Int] {
    var counts: [HoldReason: Int] = [:]
    for reason in HoldReason.allCases {
      let count = try context.reading { (view, _) throws(LedgerError) in
        try view.evidence.count(of: reason, limit: Self.heldCountMax)
      }
      if count > 0 { counts[reason] = count }
    }
    return counts
  }

  /// How many receipts of apps and environments that are not credited came to this process, kept or not.
  package var foreignCounts: [(key: ForeignReceipts.Key, count: Int64)] { context.foreign.counts }

  /// The held purchases with an id at any store; several where stores have equal ids.
  package func heldPurchases(with id: StoreTransactionID) throws(LedgerError) -> [HeldPurchase] {
    try context.reading { (view, _) throws(LedgerError) in try view.evidence.held(with: id) }
  }

  /// Credits a held purchase by a person's decision.
  ///
  /// - Parameters:
  ///   - customer: Whom to credit; nil for whom its token names, or else who posted it.
  ///   - product: As which product; nil for the one with its id at the store.
  ///   - details: The reason and the actor.
  /// - Throws: `LedgerError` with `invalid_request` (nobody has paid), `receipt_malformed` (what the store stated is
  ///   not known), `product_not_found`, `invalid_request` (nobody to credit), and those of
  ///   `Ledger.creditPurchase(_:customer:key:)`.
  package func credit(
    _ purchase: HeldPurchase, to customer: CustomerID? = nil, as product: ProductCode? = nil, details: CommandDetails
  ) async throws(LedgerError) -> Booking {
    try await held.credit(purchase, to: customer, as: product, details: details)
  }

  /// Decides again about held purchases that are due, and after a change of the catalog about those it may concern.
  ///
  /// - Returns: How many purchases it credited.
  @discardableResult
  package func decideHeld() async throws(LedgerError) -> Int {
    try await held.decideDue(now: context.clock.now()).credited + held.decideAfterCatalogChange().credited
  }

  /// Keeps what a store says of a purchase that nobody has paid for.
  ///
  /// Once its store says that it is paid, whoever posted it is credited, unless it names its buyer.
  ///
  /// - Parameters:
  ///   - isDeclined: Whether nobody will pay for it.
  ///   - customer: Who posted it; nil where the store told of it.
  ///   - order: The order that the post names.
  /// - Throws: `LedgerError` with `invalid_identifier`, `invalid_user_id` and `order_not_found` for a poster or an
  ///   order that is none; then it is kept without them.
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
    // It may be paid by now, and have waited for somebody who posts it.
    let kept = try context.reading { (view, _) throws(LedgerError) in try view.evidence.held(transaction) }
    if let kept, kept.reason != .pending, kept.reason != .declined { _ = try await held.decide(kept) }
  }
}

extension HeldPurchase {
  /// What the store stated, as far as it is known.
  package var facts: (productID: String?, quantity: Int64?, purchasedAt: Timestamp?) {
    let transaction = evidence?.transaction
    return (transaction?.storeProductID, transaction?.quantity, transaction?.purchasedAt)
  }
}
