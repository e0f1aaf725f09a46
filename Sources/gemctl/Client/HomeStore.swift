import GemLedger
import SimulatedStores
import StoreBackend
import StoreClient

/// The simulated store of a home, App-Store-like or Google-Play-like, as the verbs use it.
protocol HomeStore: Sendable {
  var store: Store { get }
  /// The controls of a store of either kind.
  var controls: any StoreControls { get }
  /// The store where it behaves as the App Store does.
  var apple: SimulatedStore? { get }

  func device(account: String, name: String) -> any Storefront
  /// All purchases and attempts of all accounts, oldest first.
  func transactions() -> [HomeTransaction]
  func transaction(_ id: StoreTransactionID) -> HomeTransaction?

  func approve(_ id: StoreTransactionID) throws(LedgerError)
  func decline(_ id: StoreTransactionID) throws(LedgerError)
  func resolve(_ id: StoreTransactionID) throws(LedgerError)
  func redeliver(_ id: StoreTransactionID) throws(LedgerError)
  func refund(_ id: StoreTransactionID, _ extent: StoreTransaction.Revocation.Extent) throws(LedgerError)
  func reverseRefund(_ id: StoreTransactionID) throws(LedgerError)
}

extension HomeStore {
  var storefront: StorefrontCode { controls.storefront }
  /// The faults that can still occur.
  var faults: [StoreFault] { controls.faults }

  func inject(_ fault: StoreFault) throws(LedgerError) { try controls.inject(fault) }
  func clearFaults(on api: StoreAPI?) throws(LedgerError) { try controls.clearFaults(on: api) }
  func pendingNotices() -> [NumberedNotice] { controls.pendingNotices() }
  func acknowledgeNotices(through id: Int64) throws(LedgerError) { try controls.acknowledgeNotices(through: id) }
}

/// A purchase as a home's store knows it.
struct HomeTransaction: Sendable {
  /// The store account that pays.
  let account: String
  /// Its state, in the store's own terms.
  let state: String
  /// Whether a person has to approve or to pay first.
  let isPending: Bool
  /// Whether the customer has to do something at the store first.
  let isInterrupted: Bool
  /// Whether money was taken.
  let isPaid: Bool
  /// Whether the store waits for nothing more.
  let isFinished: Bool
  let transaction: StoreTransaction

  var id: StoreTransactionID { transaction.id }

  /// Whether it is a purchase of the order's product and quantity.
  ///
  /// - Parameter storeProductID: The product's id at the store; nil where the catalog has none.
  func pays(for request: OrderRequest, storeProductID: String?) -> Bool {
    transaction.quantity == request.quantity
      && storeProductID.map { $0.hasBytes(of: transaction.storeProductID) } ?? true
  }
}

// MARK: The App Store

/// A home's store that behaves as the App Store does.
struct AppleHomeStore: HomeStore {
  let shop: SimulatedStore

  var store: Store { .apple }
  var controls: any StoreControls { shop }
  var apple: SimulatedStore? { shop }

  init(
    _ catalog: Catalog, _ state: Home.State, _ clock: VirtualClock, seed: UInt64, signer: any ReceiptSigner,
    eventLog: (any EventLog)?
  ) throws(LedgerError) {
    shop = try SimulatedStore(
      catalog: catalog, switches: state.switches, locale: state.locale, session: state.storeSession, seed: seed,
      clock: clock, signer: signer, eventLog: eventLog)
    if shop.storefront != state.storefront { shop.storefront = state.storefront }
    if shop.locale != state.locale { shop.locale = state.locale }
  }

  func device(account: String, name: String) -> any Storefront { shop.account(account).device(name) }
  func transactions() -> [HomeTransaction] { shop.allTransactions().map(HomeTransaction.init) }
  func transaction(_ id: StoreTransactionID) -> HomeTransaction? {
    shop.transaction(identifier: id).map(HomeTransaction.init)
  }

  func approve(_ id: StoreTransactionID) throws(LedgerError) { try shop.approveAskToBuyTransaction(identifier: id) }
  func decline(_ id: StoreTransactionID) throws(LedgerError) { try shop.declineAskToBuyTransaction(identifier: id) }
  func resolve(_ id: StoreTransactionID) throws(LedgerError) { try shop.resolveIssueForTransaction(identifier: id) }
  func redeliver(_ id: StoreTransactionID) throws(LedgerError) { try shop.redeliverTransaction(identifier: id) }
  func reverseRefund(_ id: StoreTransactionID) throws(LedgerError) { try shop.reverseRefund(identifier: id) }
  func refund(_ id: StoreTransactionID, _ extent: StoreTransaction.Revocation.Extent) throws(LedgerError) {
    try shop.refundTransaction(identifier: id, extent: extent)
  }
}

extension HomeTransaction {
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

// MARK: Google Play

/// A home's store that behaves as Google Play does.
struct GoogleHomeStore: HomeStore {
  let shop: SimulatedPlayStore

  var store: Store { .google }
  var controls: any StoreControls { shop }
  var apple: SimulatedStore? { nil }

  init(
    _ catalog: Catalog, _ state: Home.State, _ clock: VirtualClock, seed: UInt64, signer: any ReceiptSigner,
    eventLog: (any EventLog)?
  ) throws(LedgerError) {
    shop = try SimulatedPlayStore(
      catalog: catalog, session: state.storeSession, seed: seed, clock: clock, signer: signer, eventLog: eventLog)
    if shop.storefront != state.storefront { shop.storefront = state.storefront }
    if shop.locale != state.locale { shop.locale = state.locale }
  }

  func device(account: String, name: String) -> any Storefront { shop.account(account).device(name) }
  func transactions() -> [HomeTransaction] { shop.purchases().map(HomeTransaction.init) }

  /// Finds a purchase by its purchase token, by the ledger's id for it, or by an order id, which users have at hand.
  func transaction(_ id: StoreTransactionID) -> HomeTransaction? {
    let found =
      shop.purchase(token: id)
      ?? shop.purchases().first { bought in
        bought.transaction.creditID == id || bought.orderIDs.contains { $0.hasBytes(of: id.text) }
      }
    return found.map(HomeTransaction.init)
  }

  func approve(_ id: StoreTransactionID) throws(LedgerError) { try shop.approvePendingPurchase(token: id) }
  func decline(_ id: StoreTransactionID) throws(LedgerError) { try shop.declinePendingPurchase(token: id) }

  func refund(_ id: StoreTransactionID, _ extent: StoreTransaction.Revocation.Extent) throws(LedgerError) {
    switch extent {
    case .full: try shop.refund(token: id)
    case .quantity(let units): try shop.refund(token: id, quantity: units)
    case .milliPercent, .totalQuantity:
      throw .invalid("Google Play gives money back by units: take --quantity in place of --percent.")
    }
  }

  func resolve(_ id: StoreTransactionID) throws(LedgerError) {
    throw .invalid("Google Play interrupts no purchase; one that waits for its payment is approved or declined.")
  }

  func redeliver(_ id: StoreTransactionID) throws(LedgerError) {
    throw .invalid("Google Play delivers nothing again by itself: the app asks, as every client verb does.")
  }

  func reverseRefund(_ id: StoreTransactionID) throws(LedgerError) {
    throw .invalid("Google Play takes no refund back.")
  }
}

extension HomeTransaction {
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
