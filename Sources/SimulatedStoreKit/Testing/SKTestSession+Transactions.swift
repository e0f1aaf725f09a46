internal import GemLedger
internal import SimulatedStores
internal import StoreBackend
internal import StoreClient

// Every method that takes an identifier throws `SKTestError` with `noTransactionFound` if the store has no such
// transaction.
extension SKTestSession {
  /// Everything that happened on the store account, failed attempts too, oldest first.
  public func allTransactions() -> [SKTestTransaction] {
    device.account.transactions().map(SKTestTransaction.init)
  }

  /// Removes all transactions and subscriptions, as if they had never been.
  public func clearTransactions() {
    // Only a store with an event log can fail here; its next caller gets the error.
    try? store.clearTransactions()
  }

  /// Removes a transaction, as if it had never been.
  public func deleteTransaction(identifier: UInt) throws {
    try control(identifier, store.deleteTransaction)
  }

  /// Refunds all money; the app receives an update through ``Transaction/updates``.
  ///
  /// - Throws: ``SKTestError`` with `invalidAction` if nothing was paid, or the money was refunded.
  public func refundTransaction(identifier: UInt) throws {
    try control(identifier, store.refundTransaction(identifier:))
  }

  /// Resolves the issue that interrupted a purchase or a renewal's payment; it is delivered through the updates.
  ///
  /// - Throws: ``SKTestError`` with `invalidAction` if there is no issue.
  public func resolveIssueForTransaction(identifier: UInt) throws {
    try control(identifier, store.resolveIssueForTransaction)
  }

  /// Approves a deferred purchase: it is paid for and delivered through the updates.
  ///
  /// - Throws: ``SKTestError`` with `invalidAction` if the purchase does not wait for approval.
  public func approveAskToBuyTransaction(identifier: UInt) throws {
    try control(identifier, store.approveAskToBuyTransaction)
  }

  /// Declines a deferred purchase; the app receives no update.
  ///
  /// - Throws: ``SKTestError`` with `invalidAction` if the purchase does not wait for approval.
  public func declineAskToBuyTransaction(identifier: UInt) throws {
    try control(identifier, store.declineAskToBuyTransaction)
  }

  /// Buys outside of the app, without a sheet or a question; the purchase is delivered through the updates.
  ///
  /// - Throws: ``StoreKitError`` or ``Product/PurchaseError``, as ``Product/purchase(options:)`` would.
  @discardableResult
  public func buyProduct(
    identifier: String, options: Set<Product.PurchaseOption> = []
  ) async throws -> Transaction {
    let request = PurchaseRequest(options)
    var wishes: [SimulatedPurchaseOption] = [.quantity(request.quantity)]
    if let token = request.accountToken { wishes.append(.appAccountToken(token)) }
    do throws(LedgerError) {
      let bought = try device.account.buyProduct(identifier: identifier, options: wishes)
      return Transaction(evidence: store.evidence(of: bought.transaction))
    } catch {
      guard let failure = error.storeFailure else { throw error.testError }
      throw attached.error(failure, by: .purchase)
    }
  }

  /// Buys outside of the app, as ``buyProduct(identifier:options:)``.
  ///
  /// - Throws: ``SKTestError`` with `invalidProductIdentifier` if the store does not sell it.
  public func buyProduct(productIdentifier: String) throws {
    do throws(LedgerError) { try device.account.buyProduct(identifier: productIdentifier) } catch {
      throw error.storeFailure == nil
        ? error.testError : SKTestError(.invalidProductIdentifier, error.message)
    }
  }

  func control(_ identifier: UInt, _ body: (StoreTransactionID) throws(LedgerError) -> Void) throws(SKTestError) {
    let id: StoreTransactionID
    do throws(LedgerError) {
      id = try StoreTransactionID(String(identifier))
      try body(id)
    } catch {
      throw error.testError
    }
  }
}

extension LedgerError {
  /// The store's failure, if the error names one.
  fileprivate var storeFailure: StoreFailure? { text("failure").flatMap(StoreFailure.init(rawValue:)) }

  /// The error as StoreKitTest throws it.
  var testError: SKTestError {
    switch code {
    case .purchaseNotFound: SKTestError(.noTransactionFound, message)
    case .productNotFound: SKTestError(.invalidProductIdentifier, message)
    default: SKTestError(.invalidAction, message)
    }
  }
}
