#if Server
package import GemLedger
package import StoreBackend
internal import StoreReceipts

/// Refunds purchases at Google Play, the only store with refunds by the seller.
package struct PlayRefunds: RefundIssuer {
  private let api: PlayDeveloperAPI
  private let ledger: Ledger
  private let packageName: String?
  private let onFailure: @Sendable (Purchase, LedgerError) -> Void

  /// - Parameters:
  ///   - api: The API, with a service account that may manage orders.
  ///   - ledger: The ledger with the catalog that names the app.
  ///   - packageName: The app; nil for the app in the catalog's settings.
  ///   - onFailure: Receives purchases that were not refunded.
  package init(
    api: PlayDeveloperAPI, ledger: Ledger, packageName: String? = nil,
    onFailure: @escaping @Sendable (Purchase, LedgerError) -> Void
  ) {
    self.api = api
    self.ledger = ledger
    self.packageName = packageName
    self.onFailure = onFailure
  }

  package func refund(_ purchase: Purchase) async throws(LedgerError) -> StoreTransaction? {
    do throws(LedgerError) {
      return try await refunded(purchase)
    } catch {
      onFailure(purchase, error)
      throw error
    }
  }

  private func refunded(_ purchase: Purchase) async throws(LedgerError) -> StoreTransaction? {
    guard purchase.store == .google else {
      throw LedgerError(
        .notAvailable, "The store \(purchase.store) refunds nothing for sellers: its buyers ask for refunds.")
    }
    let app = try app()
    let before = try await stated(purchase, app)
    // An earlier call may have refunded the purchase and died before the booking.
    guard !before.isRefundedInFull else { return before }
    guard let order = before.orderID else {
      throw LedgerError(.notAvailable, "Google Play names no order of the purchase, so it cannot be refunded.")
    }
    var refusal: LedgerError?
    do throws(LedgerError) { try await api.refund(order: order, of: app) } catch {
      guard error.code == .purchaseNotFound else { throw error }
      refusal = error
    }
    let after: StoreTransaction?
    do throws(LedgerError) { after = try await stated(purchase, app) } catch {
      guard refusal == nil else { throw error }
      after = nil
    }
    if let after, after.isRefundedInFull { return after }
    if let refusal {
      throw LedgerError(.notAvailable, "Google Play does not refund the order \(order): \(refusal.message)")
    }
    // Google may show the refund later; its notification or the next call then books it.
    return nil
  }

  private func app() throws(LedgerError) -> String {
    if let packageName { return packageName }
    guard let bundleID = try ledger.currentCatalog().settings.bundleID else {
      throw LedgerError(.configuration, "Name the app at Google Play: bundle_id in the catalog's settings.")
    }
    return bundleID
  }

  /// The purchase as Google states it, with the environment of its credit.
  private func stated(_ purchase: Purchase, _ app: String) async throws(LedgerError) -> StoreTransaction {
    let token = purchase.storeTransactionID.purchaseToken(
      at: .google, isSubscription: purchase.productType.isSubscription, storeProductID: purchase.storeProductID)
    let answer: PlayProductPurchase
    do throws(LedgerError) {
      answer = try await api.purchase(
        PlayLookUp(
          packageName: app, token: token, productIDs: purchase.storeProductID.map { [$0] } ?? [],
          first: purchase.productType.isSubscription ? .subscriptions : .products, askedAt: ledger.clock.now()))
    } catch {
      guard error.code == .purchaseNotFound else { throw error }
      throw LedgerError(.notAvailable, "\(app): \(error.message)")
    }
    guard answer.lines.count == 1, purchase.isAlone(withToken: token) else {
      throw LedgerError(
        .notAvailable, "The order paid for several products, and Google Play refunds it as a whole: refund it there.")
    }
    guard var transaction = answer.transactions.first else {
      throw LedgerError(.notAvailable, "The purchase is not paid according to Google Play.")
    }
    guard transaction.creditID == purchase.storeTransactionID else {
      throw LedgerError(
        .notAvailable, "Google Play names the newest order of a subscription, which is not this one: refund it there.")
    }
    transaction.environment = purchase.environment
    return transaction
  }
}

extension Purchase {
  /// Whether its token paid for no other product, as far as its identity shows.
  fileprivate func isAlone(withToken token: StoreTransactionID) -> Bool {
    productType.isSubscription || storeTransactionID == token
  }
}

extension StoreTransaction {
  fileprivate var isRefundedInFull: Bool { revocation?.extent == .full }
}
#endif
