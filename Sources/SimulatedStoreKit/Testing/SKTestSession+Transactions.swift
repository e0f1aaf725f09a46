internal import GemLedger
internal import SimulatedStores
internal import StoreBackend
internal import StoreClient

// Every method that takes an identifier throws `SKTestError` with `noTransactionFound` where the store has no such
// transaction.
extension SKTestSession {
  /// Everything that happened on the store account, failed attempts too, oldest first.
  public func allTransactions() -> [SKTestTransaction] {
    device.account.transactions().map(SKTestTransaction.init)
  }

  /// Removes all transactions and subscriptions, as if they had never been.
  public func clearTransactions() {
    // Only a store with kept state can fail here; its next caller gets the error.
    try? store.clearTransactions()
  }

  /// Removes a transaction, as if it had never been.
  public func deleteTransaction(identifier: UInt) throws {
    try control(identifier, store.deleteTransaction)
  }

  /// Gives all money back; the app learns of it through ``Transaction/updates``.
  ///
  /// - Throws: ``SKTestError`` with `invalidAction` where nothing was paid, or the money was given back.
  public func refundTransaction(identifier: UInt) throws {
    try control(identifier, store.refundTransaction(identifier:))
  }

  /// Resolves the issue that interrupted a purchase or kept a renewal unpaid: it comes through the updates.
  ///
  /// - Throws: ``SKTestError`` with `invalidAction` where there is no issue.
  public func resolveIssueForTransaction(identifier: UInt) throws {
    try control(identifier, store.resolveIssueForTransaction)
  }

  /// Approves a deferred purchase: it is paid for, and comes through the updates.
  ///
  /// - Throws: ``SKTestError`` with `invalidAction` where no approval was asked for.
  public func approveAskToBuyTransaction(identifier: UInt) throws {
    try control(identifier, store.approveAskToBuyTransaction)
  }

  /// Declines a deferred purchase; the app is told nothing.
  ///
  /// - Throws: ``SKTestError`` with `invalidAction` where no approval was asked for.
  public func declineAskToBuyTransaction(identifier: UInt) throws {
    try control(identifier, store.declineAskToBuyTransaction)
  }

  /// Buys outside of the app, without a sheet and without a question; it comes through the updates.
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
  /// - Throws: ``SKTestError`` with `invalidProductIdentifier` where the store does not sell it.
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
  /// The store's reason, where the error names one.
  fileprivate var storeFailure: StoreFailure? { text("failure").flatMap(StoreFailure.init(rawValue:)) }

  /// The same as StoreKitTest throws it.
  var testError: SKTestError {
    switch code {
    case .purchaseNotFound: SKTestError(.noTransactionFound, message)
    case .productNotFound: SKTestError(.invalidProductIdentifier, message)
    default: SKTestError(.invalidAction, message)
    }
  }
}
