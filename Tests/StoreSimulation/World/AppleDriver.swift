internal import GemLedger
internal import SimulatedStores
internal import StoreBackend
internal import StoreClient

/// The App-Store-like store.
struct AppleDriver: StoreDriver {
  let shop: SimulatedStore
  let receipts: any SimulatedReceipts
  let paid = PaidList()

  init(
    catalog: Catalog, _ settings: Simulation.Settings, clock: VirtualClock, receipts: Simulation.ReceiptMaker
  ) throws(LedgerError) {
    self.receipts = try receipts(.apple, .localTesting(session: "soak-apple"))
    shop = try SimulatedStore(
      catalog: catalog, session: "soak-apple", seed: settings.seed, clock: clock, signer: self.receipts)
    shop.sendsOneTimeChargeNotices = settings.sendsPurchaseNotices
    shop.onStep = { [paid] step in if case .paid(let id) = step { paid.add(id) } }
  }

  var store: Store { .apple }
  var controls: any StoreControls { shop }

  func device(account: String, name: String) -> DriverDevice {
    let device = shop.account(account).device(name)
    return DriverDevice(storefront: device, inbox: { device.inbox() }, relaunch: { device.relaunch() })
  }

  func facts() -> [StoreFact] {
    shop.allTransactions().map {
      StoreFact(transaction: $0.transaction, isPaid: $0.state == .purchased, isFinished: $0.isFinished)
    }
  }

  func transaction(_ id: StoreTransactionID) -> StoreTransaction? { shop.transaction(identifier: id)?.transaction }

  func newestPending() -> StoreTransactionID? {
    shop.newestTransaction.flatMap { $0.pendingAskToBuyConfirmation ? $0.identifier : nil }
  }

  func approve(_ id: StoreTransactionID) throws(LedgerError) { try shop.approveAskToBuyTransaction(identifier: id) }
  func decline(_ id: StoreTransactionID) throws(LedgerError) { try shop.declineAskToBuyTransaction(identifier: id) }
  func reverseRefund(_ id: StoreTransactionID) throws(LedgerError) { try shop.reverseRefund(identifier: id) }
  func redeliver(_ id: StoreTransactionID) throws(LedgerError) { try shop.redeliverTransaction(identifier: id) }

  func refund(_ id: StoreTransactionID, choice: UInt64) throws(LedgerError) {
    let known = transaction(id)
    let quantity = known?.quantity ?? 1
    // The refunded part only grows: a second refund is added to the first.
    let isSecond = known?.revocation != nil
    let extent: StoreTransaction.Revocation.Extent =
      switch isSecond ? 0 : choice % 4 {
      case 0, 1: .full
      case 2: .milliPercent(1 + Int64((choice >> 8) % 100_000))
      default: .quantity(1 + Int64((choice >> 8) % UInt64(quantity)))
      }
    try shop.refundTransaction(identifier: id, extent: extent)
  }

  func redeem(_ product: String, account: String, device: String, choice: UInt64) async throws(LedgerError) {
    let currency = shop.storefront.currency
    let price = choice & 1 == 0 ? nil : try Price("\(1 + choice >> 8 & 7).99", in: currency)
    let code = "code-\(choice)"
    try shop.addOfferCode(code, forProduct: product, identifier: "offer-\(choice & 0xFF)", price: price)
    // A failed call counts as a customer that gives up.
    try? await shop.account(account).device(device).redeemOfferCode(code)
  }

  func share(_ id: StoreTransactionID, with account: String) throws(LedgerError) {
    try shop.shareWithFamily(identifier: id, account: account)
  }

  func buyElsewhere(_ product: String, account: String, token: AccountToken) throws(LedgerError) {
    try shop.buyProduct(identifier: product, options: [.appAccountToken(token)], account: account)
  }
}
