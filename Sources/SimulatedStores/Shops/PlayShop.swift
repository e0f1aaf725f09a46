package import GemLedger
package import StoreBackend
package import StoreClient

/// The local shop that behaves as Google Play does.
package struct PlayShop: LocalShop {
  let shop: SimulatedPlayStore

  package var store: Store { .google }
  package var controls: any StoreControls { shop }
  package var apple: SimulatedStore? { nil }
  package var play: SimulatedPlayStore? { shop }

  init(
    _ setUp: ShopSetUp, _ catalog: Catalog, clock: VirtualClock, signer: any ReceiptSigner,
    eventLog: (any EventLog)?
  ) throws(LedgerError) {
    shop = try SimulatedPlayStore(
      catalog: catalog, session: setUp.session, seed: setUp.seed, clock: clock, signer: signer, eventLog: eventLog)
    setUp.place(shop)
  }

  package func device(account: String, name: String) -> any Storefront { shop.account(account).device(name) }
  package func transactions() -> [ShopTransaction] { shop.purchases().map(ShopTransaction.init) }

  /// Finds a purchase by its purchase token, by the ledger's id for it, or by an order id, which users have at hand.
  package func transaction(_ id: StoreTransactionID) -> ShopTransaction? {
    let found =
      shop.purchase(token: id)
      ?? shop.purchases().first { bought in
        bought.transaction.creditID == id || bought.orderIDs.contains { $0.hasBytes(of: id.text) }
      }
    return found.map(ShopTransaction.init)
  }

  package func receipt(of transaction: StoreTransaction) -> StoreReceipt { shop.engine.evidence(transaction).receipt }

  package func approve(_ id: StoreTransactionID) throws(LedgerError) { try shop.approvePendingPurchase(token: id) }
  package func decline(_ id: StoreTransactionID) throws(LedgerError) { try shop.declinePendingPurchase(token: id) }

  package func refund(_ id: StoreTransactionID, _ extent: StoreTransaction.Revocation.Extent) throws(LedgerError) {
    switch extent {
    case .full: try shop.refund(token: id)
    case .quantity(let units): try shop.refund(token: id, quantity: units)
    case .milliPercent, .totalQuantity:
      throw .invalid("Google Play gives money back by units: name a quantity in place of a percentage.")
    }
  }

  package func resolve(_ id: StoreTransactionID) throws(LedgerError) {
    throw .invalid("Google Play interrupts no purchase; one that waits for its payment is approved or declined.")
  }

  package func redeliver(_ id: StoreTransactionID) throws(LedgerError) {
    throw .invalid("Google Play delivers nothing again by itself: the app asks for its purchases.")
  }

  package func reverseRefund(_ id: StoreTransactionID) throws(LedgerError) {
    throw .invalid("Google Play takes no refund back.")
  }
}

extension ShopTransaction {
  init(_ bought: PlayPurchase) {
    account = bought.account
    state = bought.transaction.revocation == nil ? bought.state.rawValue : "refunded"
    isPending = bought.state == .pending
    isInterrupted = false
    isPaid = bought.state == .purchased || bought.state == .expired
    isFinished = bought.transaction.productType == .consumable ? bought.isConsumed : bought.isAcknowledged
    transaction = bought.transaction
  }
}
