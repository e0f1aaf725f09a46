package import GemLedger
package import StoreBackend
package import StoreClient

/// The local shop that behaves as the App Store does.
package struct AppleShop: LocalShop {
  let shop: SimulatedStore

  package var store: Store { .apple }
  package var controls: any StoreControls { shop }
  package var apple: SimulatedStore? { shop }
  package var play: SimulatedPlayStore? { nil }

  init(
    _ setUp: ShopSetUp, _ catalog: Catalog, clock: VirtualClock, signer: any ReceiptSigner,
    eventLog: (any EventLog)?
  ) throws(LedgerError) {
    shop = try SimulatedStore(
      catalog: catalog, switches: setUp.switches, locale: setUp.locale, session: setUp.session, seed: setUp.seed,
      clock: clock, signer: signer, eventLog: eventLog)
    setUp.place(shop)
  }

  package func device(account: String, name: String) -> any Storefront { shop.account(account).device(name) }
  package func transactions() -> [ShopTransaction] { shop.allTransactions().map(ShopTransaction.init) }
  package func transaction(_ id: StoreTransactionID) -> ShopTransaction? {
    shop.transaction(identifier: id).map(ShopTransaction.init)
  }

  package func receipt(of transaction: StoreTransaction) -> StoreReceipt { shop.engine.evidence(transaction).receipt }

  package func approve(_ id: StoreTransactionID) throws(LedgerError) {
    try shop.approveAskToBuyTransaction(identifier: id)
  }
  package func decline(_ id: StoreTransactionID) throws(LedgerError) {
    try shop.declineAskToBuyTransaction(identifier: id)
  }
  package func resolve(_ id: StoreTransactionID) throws(LedgerError) {
    try shop.resolveIssueForTransaction(identifier: id)
  }
  package func redeliver(_ id: StoreTransactionID) throws(LedgerError) { try shop.redeliverTransaction(identifier: id) }
  package func reverseRefund(_ id: StoreTransactionID) throws(LedgerError) { try shop.reverseRefund(identifier: id) }
  package func refund(_ id: StoreTransactionID, _ extent: StoreTransaction.Revocation.Extent) throws(LedgerError) {
    try shop.refundTransaction(identifier: id, extent: extent)
  }
}

extension ShopTransaction {
  init(_ bought: SimulatedTransaction) {
    account = bought.account
    state =
      if bought.pendingAskToBuyConfirmation {
        "ask_to_buy"
      } else if bought.hasPurchaseIssue {
        "interrupted"
      } else {
        bought.transaction.revocation == nil ? bought.state.rawValue : "refunded"
      }
    isPending = bought.pendingAskToBuyConfirmation
    isInterrupted = bought.hasPurchaseIssue && bought.state != .purchased
    isPaid = bought.state == .purchased
    isFinished = bought.isFinished
    transaction = bought.transaction
  }
}
