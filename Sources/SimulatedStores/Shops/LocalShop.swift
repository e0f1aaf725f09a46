package import GemLedger
package import StoreBackend
package import StoreClient

/// The simulated store of this machine, like the App Store or like Google Play, behind one protocol.
///
/// Ids are those of store transactions; on Google Play purchase tokens.
package protocol LocalShop: Sendable {
  /// The store that it simulates.
  var store: Store { get }
  /// The controls of a store of either kind.
  var controls: any StoreControls { get }
  /// The store if it simulates the App Store.
  var apple: SimulatedStore? { get }
  /// The store if it simulates Google Play.
  var play: SimulatedPlayStore? { get }

  func device(account: String, name: String) -> any Storefront
  /// All purchases and attempts of all accounts, oldest first.
  func transactions() -> [ShopTransaction]
  func transaction(_ id: StoreTransactionID) -> ShopTransaction?

  /// The receipt of a transaction as it is signed now.
  func receipt(of transaction: StoreTransaction) -> StoreReceipt

  func approve(_ id: StoreTransactionID) throws(LedgerError)
  func decline(_ id: StoreTransactionID) throws(LedgerError)
  func resolve(_ id: StoreTransactionID) throws(LedgerError)
  func redeliver(_ id: StoreTransactionID) throws(LedgerError)
  func refund(_ id: StoreTransactionID, _ extent: StoreTransaction.Revocation.Extent) throws(LedgerError)
  func reverseRefund(_ id: StoreTransactionID) throws(LedgerError)
}

extension LocalShop {
  package var storefront: StorefrontCode { controls.storefront }
  /// The faults that can still occur.
  package var faults: [StoreFault] { controls.faults }

  package func inject(_ fault: StoreFault) throws(LedgerError) { try controls.inject(fault) }
  package func clearFaults(on api: StoreAPI?) throws(LedgerError) { try controls.clearFaults(on: api) }
  package func pendingNotices() -> [NumberedNotice] { controls.pendingNotices() }
  package func acknowledgeNotices(through id: Int64) throws(LedgerError) {
    try controls.acknowledgeNotices(through: id)
  }
}

/// A purchase as the simulated store knows it.
package struct ShopTransaction: Sendable {
  /// The store account that pays.
  package let account: String
  /// Its state, as the store names it.
  package let state: String
  /// Whether a person has to approve or to pay first.
  package let isPending: Bool
  /// Whether the customer has to do something at the store first.
  package let isInterrupted: Bool
  /// Whether money was taken.
  package let isPaid: Bool
  /// Whether the store expects no further call for it.
  package let isFinished: Bool
  package let transaction: StoreTransaction

  package var id: StoreTransactionID { transaction.id }

  /// Returns whether this is a purchase of the order's product and quantity.
  ///
  /// - Parameter storeProductID: The product's id at the store; nil if the catalog has none.
  package func pays(for request: OrderRequest, storeProductID: String?) -> Bool {
    transaction.quantity == request.quantity
      && storeProductID.map { $0.hasBytes(of: transaction.storeProductID) } ?? true
  }
}
