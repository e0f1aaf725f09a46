#if Server
internal import GemLedger
internal import SimulatedStores
internal import StoreBackend

extension Simulator {
  /// An action on a purchase at the store.
  enum Action: Sendable {
    case approve
    case decline
    case resolve
    case refund(StoreTransaction.Revocation.Extent)
    case reverseRefund
    case redeliver
    case finish(device: String)
  }

  /// Returns the purchase with this id; on Google Play the id is a purchase token or an order id.
  ///
  /// - Throws: `LedgerError` with `purchase_not_found`.
  func purchase(_ id: StoreTransactionID) throws(LedgerError) -> ShopTransaction {
    guard let one = shop.transaction(id) else {
      throw LedgerError(.purchaseNotFound, "The simulated store has no such transaction.")
    }
    return one
  }

  /// Applies the action, delivers the notices to the backend, and returns the resulting purchase.
  ///
  /// - Throws: `LedgerError` with `purchase_not_found`; `not_available` if the purchase or the store does not allow the
  ///   action; `already_refunded`; `store_error` if a fault of the store prevents it.
  func act(_ action: Action, on id: StoreTransactionID) async throws(LedgerError) -> Outcome<ShopTransaction> {
    try await control { () async throws(LedgerError) in
      let one = try self.purchase(id)
      do throws(LedgerError) {
        try await self.perform(action, on: one)
      } catch {
        // The request is well formed, but the purchase's state does not allow it.
        guard error.code == .invalidRequest else { throw error }
        throw LedgerError(.notAvailable, error.message, details: error.details)
      }
      return try self.purchase(one.id)
    }
  }

  private func perform(_ action: Action, on one: ShopTransaction) async throws(LedgerError) {
    switch action {
    case .approve: try shop.approve(one.id)
    case .decline: try shop.decline(one.id)
    case .resolve: try shop.resolve(one.id)
    case .refund(let extent): try shop.refund(one.id, extent)
    case .reverseRefund: try shop.reverseRefund(one.id)
    case .redeliver: try shop.redeliver(one.id)
    case .finish(let device):
      guard one.isPaid else { throw .invalid("Nothing was paid: there is nothing to finish.") }
      try await finish(one.id, account: one.account, device: device)
    }
  }
}
#endif
