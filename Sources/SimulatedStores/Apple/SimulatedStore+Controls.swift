public import GemLedger
internal import StoreBackend
internal import StoreClient

// Every method that takes an identifier throws `purchase_not_found` if the store has no such transaction.
extension SimulatedStore {
  /// Everything that happened at the store, failed attempts too, oldest first.
  public func allTransactions() -> [SimulatedTransaction] {
    engine.look { shop in
      shop.rows.values.sorted { $0.serial < $1.serial }.map { row in
        SimulatedTransaction(row, shop.subscription(of: row.transaction.id))
      }
    }
  }

  /// Returns the transaction with this id, or nil if there is none.
  public func transaction(identifier id: StoreTransactionID) -> SimulatedTransaction? {
    engine.look { shop in shop.row(id).map { SimulatedTransaction($0, shop.subscription(of: id)) } }
  }

  /// Removes all transactions and subscriptions, as if they had never been; their ids are not used again.
  public func clearTransactions() throws(LedgerError) { try engine.act { shop, _ in shop.clear() } }

  /// Removes a transaction, as if it had never been.
  public func deleteTransaction(identifier id: StoreTransactionID) throws(LedgerError) {
    try control(id) { shop, row, _ in
      shop.delete(row: row)
      return nil
    }
  }

  /// Approves a deferred purchase: it is paid for and delivered through the updates.
  ///
  /// - Throws: `LedgerError` with `invalid_request` if the purchase does not wait for approval.
  public func approveAskToBuyTransaction(identifier id: StoreTransactionID) throws(LedgerError) {
    try control(id) { shop, row, now in
      guard row.state == .deferred else { return "It does not wait for approval." }
      shop.complete(row, now: now)
      return nil
    }
  }

  /// Declines a deferred purchase; the app receives no update.
  ///
  /// - Throws: `LedgerError` with `invalid_request` if the purchase does not wait for approval.
  public func declineAskToBuyTransaction(identifier id: StoreTransactionID) throws(LedgerError) {
    try control(id) { shop, row, _ in
      guard row.state == .deferred else { return "It does not wait for approval." }
      shop.decline(row)
      return nil
    }
  }

  /// Resolves the issue that interrupted a purchase or a renewal's payment; it is delivered through the updates.
  ///
  /// - Throws: `LedgerError` with `invalid_request` if there is no issue.
  public func resolveIssueForTransaction(identifier id: StoreTransactionID) throws(LedgerError) {
    try control(id) { shop, row, now in
      if row.state == .issue {
        shop.complete(row, now: now)
        return nil
      }
      guard let subscription = shop.subscription(of: id),
        subscription.state == .inGracePeriod || subscription.state == .inBillingRetry
      else { return "It has no issue." }
      shop.renew(subscription, at: now, from: now)
      return nil
    }
  }

  /// Shares a non-consumable or a subscription with another account of the buyer's family.
  ///
  /// The account gets a separate transaction, which costs nothing and names no buyer. Renewals of a subscription are
  /// shared too. A full refund of the purchase revokes it, and a reversed refund restores it.
  ///
  /// - Throws: `LedgerError` with `invalid_request` if it cannot be shared with the account.
  @discardableResult
  public func shareWithFamily(
    identifier id: StoreTransactionID, account: String
  ) throws(LedgerError) -> SimulatedTransaction {
    var shared: SimulatedTransaction?
    try control(id) { shop, row, now in
      if let obstacle = shop.lists.obstacle(toSharing: row, with: account) { return obstacle }
      shared = SimulatedTransaction(shop.share(row, with: account, now: now), nil)
      return nil
    }
    guard let shared else { throw .defect("A shared transaction is gone") }
    return shared
  }

  /// Buys without a device and without a dialog; every device of the account learns of it through its updates.
  ///
  /// - Throws: `LedgerError` with `store_error` and detail `failure`: the `StoreFailure` that a purchase on a device
  ///   would fail with.
  @discardableResult
  public func buyProduct(
    identifier: String, options: [SimulatedPurchaseOption] = [], account: String = "default"
  ) throws(LedgerError) -> SimulatedTransaction {
    var request = StorePaymentRequest(productID: identifier)
    var asks = false
    for option in options {
      switch option {
      case .quantity(let quantity): request.quantity = quantity
      case .appAccountToken(let token): request.accountToken = token
      case .simulatesAskToBuyInSandbox(let flag): asks = flag
      }
    }
    let (final, isDeferred) = (request, asks)
    let result = try engine.act { shop, now -> Result<SimulatedTransaction, StoreFailure> in
      let id =
        isDeferred
        ? shop.deferElsewhere(final, account: account, now: now)
        : shop.buyElsewhere(final, account: account, now: now)
      return id.flatMap { id in
        shop.row(id).map { .success(SimulatedTransaction($0, shop.subscription(of: id))) } ?? .failure(.unknown)
      }
    }
    switch result {
    case .success(let transaction): return transaction
    case .failure(let failure):
      throw LedgerError(
        .storeError, "The store does not sell \"\(identifier)\": \(failure.rawValue).",
        details: [.text("failure", failure.rawValue)])
    }
  }
}

extension SimulatedStore {
  /// Changes a transaction, or throws the reason why it cannot be changed.
  func control(
    _ id: StoreTransactionID, refusal: (AppleRow) -> LedgerError? = { _ in nil },
    _ body: (inout AppleStoreState, AppleRow, Timestamp) -> String?
  ) throws(LedgerError) {
    let problem = try engine.act { shop, now -> LedgerError? in
      guard let row = shop.row(id) else { return Self.notFound("\"\(id)\"") }
      if let refusal = refusal(row) { return refusal }
      return body(&shop, row, now).map { .invalid("Transaction \(id): \($0)") }
    }
    if let problem { throw problem }
  }

  func control(
    subscriptionOf id: StoreTransactionID, _ body: (inout AppleSubscription) -> Void
  ) throws(LedgerError) {
    try control(id) { shop, _, _ in
      guard let subscription = shop.subscription(of: id) else { return "It is of no subscription." }
      shop.change(subscription, body)
      return nil
    }
  }

  func control(
    product: String, _ account: String?, _ body: (inout AppleStoreState, AppleSubscription, Timestamp) -> Void
  ) throws(LedgerError) {
    let isFound = try engine.act { shop, now in
      let found = shop.subscriptions(to: product, account: account)
      for subscription in found { body(&shop, subscription, now) }
      return !found.isEmpty
    }
    if !isFound { throw Self.notFound("for a subscription to \"\(product)\"") }
  }

  private static func notFound(_ what: String) -> LedgerError {
    LedgerError(.purchaseNotFound, "The store has no transaction \(what).")
  }
}
