internal import GemLedger
internal import SimulatedStores
internal import StoreBackend
internal import StoreClient

/// The Google-Play-like store.
struct PlayDriver: StoreDriver {
  let shop: SimulatedPlayStore
  let receipts: any SimulatedReceipts
  let paid = PaidList()

  init(
    catalog: Catalog, _ settings: Simulation.Settings, clock: VirtualClock, receipts: Simulation.ReceiptMaker
  ) throws(LedgerError) {
    self.receipts = try receipts(.google, .localTesting(session: "soak-google"))
    shop = try SimulatedPlayStore(
      catalog: catalog, session: "soak-google", seed: settings.seed, clock: clock, signer: self.receipts)
    shop.sendsPurchaseNotices = settings.sendsPurchaseNotices
    shop.onStep = { [paid] step in if case .paid(let id) = step { paid.add(id) } }
  }

  var store: Store { .google }
  var controls: any StoreControls { shop }

  func device(account: String, name: String) -> DriverDevice {
    let device = shop.account(account).device(name)
    return DriverDevice(storefront: device, inbox: { device.inbox() }, relaunch: { device.relaunch() })
  }

  func facts() -> [StoreFact] {
    shop.purchases().flatMap { purchase in
      let isVoided = purchase.transaction.revocation?.extent == .full
      let isConsumable = purchase.transaction.productType == .consumable
      let latest = StoreFact(
        transaction: purchase.transaction,
        isPaid: purchase.state == .purchased || purchase.state == .expired || isVoided,
        isFinished: isVoided || (isConsumable ? purchase.isConsumed : purchase.isAcknowledged))
      return earlierPeriods(of: purchase) + [latest]
    }
  }

  /// Returns the earlier periods of a subscription: the list shows only its current state, but each order was paid
  /// for.
  private func earlierPeriods(of purchase: PlayPurchase) -> [StoreFact] {
    purchase.orderIDs.dropLast().enumerated().map { index, orderID in
      var transaction = purchase.transaction
      transaction.orderID = orderID
      transaction.revocation = nil
      transaction.reason = index == 0 ? .purchase : .renewal
      return StoreFact(transaction: transaction, isPaid: true, isFinished: true)
    }
  }

  func transaction(_ id: StoreTransactionID) -> StoreTransaction? { shop.purchase(token: id)?.transaction }

  func newestPending() -> StoreTransactionID? {
    shop.newestPurchase.flatMap { $0.state == .pending ? $0.purchaseToken : nil }
  }

  func approve(_ id: StoreTransactionID) throws(LedgerError) { try shop.approvePendingPurchase(token: id) }
  func decline(_ id: StoreTransactionID) throws(LedgerError) { try shop.declinePendingPurchase(token: id) }

  /// Does nothing: Google reverses no refunds.
  func reverseRefund(_ id: StoreTransactionID) throws(LedgerError) {}

  /// Does nothing: Google delivers nothing again, since devices query.
  func redeliver(_ id: StoreTransactionID) throws(LedgerError) {}

  func refund(_ id: StoreTransactionID, choice: UInt64) throws(LedgerError) {
    let left = shop.purchase(token: id)?.refundableQuantity ?? 0
    let isPartial = choice % 2 == 0 && left > 1
    try shop.refund(token: id, quantity: isPartial ? 1 + Int64((choice >> 8) % UInt64(left)) : nil)
  }

  func redeem(_ product: String, account: String, device: String, choice: UInt64) async throws(LedgerError) {
    let code = "code-\(choice)"
    try shop.addOfferCode(code, forProduct: product, identifier: "offer-\(choice & 0xFF)")
    // A failed call counts as a customer that gives up.
    try? await shop.account(account).device(device).redeemPromoCode(code)
  }

  /// Does nothing: Google has no family sharing of purchases within apps.
  func share(_ id: StoreTransactionID, with account: String) throws(LedgerError) {}

  /// Does nothing: Google sells nothing without a device.
  func buyElsewhere(_ product: String, account: String, token: AccountToken) throws(LedgerError) {}
}
