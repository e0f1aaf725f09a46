#if Server
package import GemLedger
package import SimulatedStores
package import StoreBackend

/// Refunds purchases at a simulated store of either kind; store notices deliver the refunds to the backend.
package struct ShopRefunds: RefundIssuer {
  private let shop: any LocalShop

  package init(_ shop: any LocalShop) { self.shop = shop }

  package func refund(_ purchase: Purchase) async throws(LedgerError) -> StoreTransaction? {
    guard let sold = shop.transaction(purchase.storeTransactionID) else {
      throw LedgerError(.notAvailable, "The simulated store did not sell this purchase.")
    }
    do throws(LedgerError) { try shop.refund(sold.id, .full) } catch {
      guard error.code == .alreadyRefunded else { throw error }
    }
    return nil
  }
}
#endif
