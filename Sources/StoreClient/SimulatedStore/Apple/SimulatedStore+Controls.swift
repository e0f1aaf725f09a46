public import GemLedger
public import StoreBackend

// Every method that takes an identifier throws `purchase_not_found` where the store has no such transaction.
extension SimulatedStore {
  /// Everything that happened at the store, failed attempts too, oldest first.
  public func allTransactions() -> [SimulatedTransaction] {
    keeper.look { shop in
      shop.rows.values.sorted { $0.serial < $1.serial }.map { row in
        SimulatedTransaction(row, shop.subscription(of: row.transaction.id))
      }
    }
  }

  /// The transaction with this id, or nil where there is none.
  public func transaction(identifier id: StoreTransactionID) -> SimulatedTransaction? {
    keeper.look { shop in shop.row(id).map { SimulatedTransaction($0, shop.subscription(of: id)) } }
  }

  /// Removes all transactions and subscriptions, as if they had never been; their ids are not used again.
  public func clearTransactions() throws(LedgerError) { try keeper.act { shop, _ in shop.clear() } }

  /// Removes a transaction, as if it had never been.
  public func deleteTransaction(identifier id: StoreTransactionID) throws(LedgerError) {
    try control(id) { shop, row, _ in
      shop.delete(row: row)
      return nil
    }
  }

  /// Agrees to a deferred purchase: it is paid for, and comes through the updates.
  ///
  /// - Throws: `LedgerError` with `invalid_request` where nobody was asked.
  public func approveAskToBuyTransaction(identifier id: StoreTransactionID) throws(LedgerError) {
    try control(id) { shop, row, now in
      guard row.state == .deferred else { return "It waits for nobody's consent." }
      shop.complete(row, now: now)
      return nil
    }
  }

  /// Does not agree to a deferred purchase; the app is told nothing.
  ///
  /// - Throws: `LedgerError` with `invalid_request` where nobody was asked.
  public func declineAskToBuyTransaction(identifier id: StoreTransactionID) throws(LedgerError) {
    try control(id) { shop, row, _ in
      guard row.state == .deferred else { return "It waits for nobody's consent." }
      shop.decline(row)
      return nil
    }
  }

  /// Settles what interrupted a purchase, or what kept a renewal from being paid for: it comes through the updates.
  ///
  /// - Throws: `LedgerError` with `invalid_request` where there is nothing to settle.
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

  /// Buys without a device and without a dialog; every device of the account learns of it through its updates.
  ///
  /// - Throws: `LedgerError` with `store_error` and detail `failure`: the ``StoreFailure`` that a purchase on a device
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
    let result = try keeper.act { shop, now -> Result<SimulatedTransaction, StoreFailure> in
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
  /// Gives all money back; the devices learn of it through their updates, the backend by a notice.
  ///
  /// - Throws: `LedgerError` with `invalid_request` where nothing was paid, `already_refunded`.
  public func refundTransaction(identifier id: StoreTransactionID) throws(LedgerError) {
    try refund(id, .full, isAppIssue: false)
  }

  /// Gives part of the money back, or all of it, as the extent says.
  ///
  /// - Parameters:
  ///   - id: The transaction.
  ///   - extent: How much: 1 to 100,000 thousandths of a percent, or 1 to as many units as were bought; the App Store
  ///     states units as a percentage of the quantity, and so does this store.
  ///   - isAppIssue: Whether the app was at fault.
  /// - Throws: `LedgerError` with `invalid_request` where nothing was paid or the extent is out of bounds,
  ///   `already_refunded`.
  public func refundTransaction(
    identifier id: StoreTransactionID, extent: StoreTransaction.Revocation.Extent, isAppIssue: Bool = false
  ) throws(LedgerError) {
    try refund(id, extent, isAppIssue: isAppIssue)
  }

  /// Takes a refund back: the money is the store's again, and the transaction shows no refund any more.
  ///
  /// - Throws: `LedgerError` with `invalid_request` where there is no refund.
  public func reverseRefund(identifier id: StoreTransactionID) throws(LedgerError) {
    try control(id) { shop, row, now in
      guard row.transaction.revocation != nil else { return "It is not refunded." }
      shop.revoke(row, nil, isAppIssue: false, now: now)
      return nil
    }
  }

  /// Does not give money back that somebody asked for; the backend is told.
  ///
  /// - Throws: `LedgerError` with `invalid_request` where nobody asked, or it was given back.
  public func declineRefundRequest(identifier id: StoreTransactionID) throws(LedgerError) {
    try control(id) { shop, row, _ in
      guard row.hasRefundRequest, row.transaction.revocation == nil else { return "No request for a refund is open." }
      shop.post(.refundDeclined, row.transaction)
      return nil
    }
  }

  /// Delivers a transaction once more, to every device of its account, finished or not.
  ///
  /// - Throws: `LedgerError` with `invalid_request` where nothing was paid.
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
    let wasRefunded = try keeper.act { shop, _ in shop.row(id)?.transaction.revocation?.extent == .full }
    guard !wasRefunded else {
      throw LedgerError(.alreadyRefunded, "The store gave all money for \(id) back already.")
    }
    try control(id) { shop, row, now in
      guard row.isPurchased else { return "Nothing was paid." }
      guard let extent = extent.asPercentage(of: row.transaction.quantity) else { return "So much was never paid." }
      shop.revoke(row, extent, isAppIssue: isAppIssue, now: now)
      return nil
    }
  }
}

extension StoreTransaction.Revocation.Extent {
  /// The same as the App Store states it; nil where it is out of bounds.
  fileprivate func asPercentage(of quantity: Int64) -> Self? {
    switch self {
    case .full, .milliPercent(100_000): .full
    case .milliPercent(let share): (1..<100_000).contains(share) ? self : nil
    case .quantity(let units):
      // Rounded up, so that what the ledger takes back covers the units.
      units == quantity
        ? .full : (1..<quantity).contains(units) ? .milliPercent((units * 100_000 + quantity - 1) / quantity) : nil
    }
  }
}

extension SimulatedStore {
  /// Ends the subscriptions to a product now, of one account or of all.
  ///
  /// - Throws: `LedgerError` with `purchase_not_found` where there is none.
  public func expireSubscription(
    productIdentifier: String, account: String? = nil
  ) throws(LedgerError) {
    try control(product: productIdentifier, account) { shop, subscription, now in
      shop.expireNow(subscription, now: now)
    }
  }

  /// Renews the subscriptions to a product now, of one account or of all; ended ones begin again.
  ///
  /// - Throws: `LedgerError` with `purchase_not_found` where there is none.
  public func forceRenewalOfSubscription(
    productIdentifier: String, account: String? = nil
  ) throws(LedgerError) {
    try control(product: productIdentifier, account) { shop, subscription, now in
      shop.renewNow(subscription, now: now)
    }
  }

  /// Lets the transaction's subscription end with its period.
  public func disableAutoRenewForTransaction(identifier id: StoreTransactionID) throws(LedgerError) {
    try control(subscriptionOf: id) { $0.willAutoRenew = false }
  }

  /// Lets the transaction's subscription go on by itself, where it has not ended.
  public func enableAutoRenewForTransaction(identifier id: StoreTransactionID) throws(LedgerError) {
    try control(subscriptionOf: id) { if $0.nextDue != nil { $0.willAutoRenew = true } }
  }

  /// Asks the customer to agree to a higher price; without an answer the subscription ends with its period.
  public func requestPriceIncreaseConsentForTransaction(identifier id: StoreTransactionID) throws(LedgerError) {
    try control(subscriptionOf: id) { $0.priceIncrease = .pending }
  }

  /// The customer agrees to a higher price.
  public func consentToPriceIncreaseForTransaction(identifier id: StoreTransactionID) throws(LedgerError) {
    try control(subscriptionOf: id) { $0.priceIncrease = .agreed }
  }

  /// The customer does not agree to a higher price: the subscription ends with its period.
  public func declinePriceIncreaseForTransaction(identifier id: StoreTransactionID) throws(LedgerError) {
    try control(subscriptionOf: id) { subscription in
      subscription.priceIncrease = .declined
      subscription.willAutoRenew = false
    }
  }
}

extension SimulatedStore {
  /// Makes the store misbehave, on top of what it does already.
  ///
  /// - Throws: `LedgerError` with `invalid_request` where a fault could never strike; then none is taken.
  public func inject(_ plan: FaultPlan) throws(LedgerError) { try keeper.inject(plan) }

  /// Makes the store misbehave in one way more.
  ///
  /// - Throws: `LedgerError` with `invalid_request` where the fault could never strike.
  public func inject(_ fault: StoreFault) throws(LedgerError) { try keeper.inject(FaultPlan([fault])) }

  /// The faults that can still strike.
  public var faults: [StoreFault] { keeper.look { $0.desk.faults.armed.map(\.fault) } }

  /// Ends all faults.
  public func clearFaults() throws(LedgerError) { try keeper.act { shop, _ in shop.record(.faults([])) } }

  /// What the store tells the backend from now on; each call starts a stream of its own, and takes nothing away.
  public func notices() -> AsyncStream<StoreNotice> { keeper.notices() }

  /// What waits for the backend, oldest first; it waits until it is taken, across processes, the last 10,000 at most.
  public func pendingNotices(limit: Int = 100) -> [NumberedNotice] { keeper.pendingNotices(limit: limit) }

  /// The backend has taken everything up to the notice with this number.
  public func settleNotices(through id: Int64) throws(LedgerError) { try keeper.settleNotices(through: id) }

  /// Takes what waits for the backend, oldest first.
  public func takeNotices(limit: Int = 100) throws(LedgerError) -> [StoreNotice] {
    try keeper.takeNotices(limit: limit)
  }
}

extension SimulatedStore {
  /// Does something to a transaction, or says why it cannot be done.
  private func control(
    _ id: StoreTransactionID, _ body: (inout AppleShop, AppleRow, Timestamp) -> String?
  ) throws(LedgerError) {
    let problem = try keeper.act { shop, now -> LedgerError? in
      guard let row = shop.row(id) else { return Self.notFound("\"\(id)\"") }
      return body(&shop, row, now).map { .invalid("Transaction \(id): \($0)") }
    }
    if let problem { throw problem }
  }

  private func control(
    subscriptionOf id: StoreTransactionID, _ body: (inout AppleSubscription) -> Void
  ) throws(LedgerError) {
    try control(id) { shop, _, _ in
      guard let subscription = shop.subscription(of: id) else { return "It is of no subscription." }
      shop.change(subscription, body)
      return nil
    }
  }

  private func control(
    product: String, _ account: String?, _ body: (inout AppleShop, AppleSubscription, Timestamp) -> Void
  ) throws(LedgerError) {
    let isFound = try keeper.act { shop, now in
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
