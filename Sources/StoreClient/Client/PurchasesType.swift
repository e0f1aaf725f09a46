public import GemLedger
public import StoreBackend

/// The calls of a client, for an app with a test double in place of the client.
///
/// A type with the asynchronous calls also has the calls with closures.
public protocol PurchasesType: AnyObject, Sendable {
  /// As ``StoreClient/offerings()``.
  func offerings() async throws(LedgerError) -> Offerings
  /// As ``StoreClient/products(_:)``.
  func products(_ productIdentifiers: [String]) async -> [StoreProduct]
  /// As ``StoreClient/outcome(ofPurchasing:quantity:)``.
  func outcome(ofPurchasing productID: String, quantity: Int64) async throws(LedgerError) -> PurchaseOutcome
  /// As ``StoreClient/purchase(order:)``.
  func purchase(order: PurchaseOrder) async throws(LedgerError) -> PurchaseOutcome
  /// As ``StoreClient/virtualCurrencies()``.
  func virtualCurrencies() async throws(LedgerError) -> VirtualCurrencies
  /// As ``StoreClient/customerInfo()``.
  func customerInfo() async throws(LedgerError) -> CustomerInfo
  /// As ``StoreClient/lastKnownCustomerInfo``.
  var lastKnownCustomerInfo: CustomerInfo { get }
  /// As ``StoreClient/purchaseHistory(page:size:)``.
  func purchaseHistory(page: Int, size: Int) async throws(LedgerError) -> [PurchaseRecord]
  /// As ``StoreClient/logIn(_:)``.
  func logIn(_ id: String) async throws(LedgerError) -> (customerInfo: CustomerInfo, created: Bool)
  /// As ``StoreClient/logOut()``.
  func logOut() async throws(LedgerError) -> CustomerInfo
  /// As ``StoreClient/identify(_:)``.
  func identify(_ id: String) async throws(LedgerError) -> CustomerInfo
  /// As ``StoreClient/createAlias(_:)``.
  func createAlias(_ id: String) async throws(LedgerError) -> CustomerInfo
  /// As ``StoreClient/reset()``.
  func reset() async throws(LedgerError) -> CustomerInfo
  /// As ``StoreClient/restorePurchases()``.
  func restorePurchases() async throws(LedgerError) -> CustomerInfo
  /// As ``StoreClient/restoreTransactions()``.
  func restoreTransactions() async throws(LedgerError) -> CustomerInfo
  /// As ``StoreClient/getProductCatalog()``.
  func getProductCatalog() async throws(LedgerError) -> [StoreProduct]
}

extension StoreClient: PurchasesType {
  /// The last known state of the signed-in customer; stale, with only the id, if no state is known.
  public var lastKnownCustomerInfo: CustomerInfo { cachedCustomerInfo ?? infoSource.last(of: customerID) }
}
