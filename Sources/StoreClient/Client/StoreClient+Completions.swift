public import GemLedger
public import StoreBackend

// The same with closures: each is called once, on any thread.
extension StoreClient {
  /// As ``purchase(package:)``, with a closure.
  public func purchase(
    package: Package, completion: @escaping @Sendable (Result<PurchaseResult, LedgerError>) -> Void
  ) {
    complete(completion) { (client) async throws(LedgerError) in try await client.purchase(package: package) }
  }

  /// As ``purchase(product:quantity:)``, with a closure.
  public func purchase(
    product: StoreProduct, quantity: Int64 = 1,
    completion: @escaping @Sendable (Result<PurchaseResult, LedgerError>) -> Void
  ) {
    complete(completion) { (client) async throws(LedgerError) in
      try await client.purchase(product: product, quantity: quantity)
    }
  }

  /// As ``purchase(order:)``, with a closure.
  public func purchasePackage(
    withProductID productID: String, quantity: Int64 = 1, price: Money? = nil, context: OrderContext = OrderContext(),
    completion: @escaping @Sendable (Result<PurchaseOutcome, LedgerError>) -> Void
  ) {
    let order = PurchaseOrder(productID: productID, quantity: quantity, price: price, context: context)
    complete(completion) { (client) async throws(LedgerError) in try await client.purchase(order: order) }
  }

  /// As ``offerings()``, with a closure.
  public func getOfferings(completion: @escaping @Sendable (Result<Offerings, LedgerError>) -> Void) {
    complete(completion) { (client) async throws(LedgerError) in try await client.offerings() }
  }

  /// As ``virtualCurrencies()``, with a closure.
  public func getVirtualCurrencies(completion: @escaping @Sendable (Result<VirtualCurrencies, LedgerError>) -> Void) {
    complete(completion) { (client) async throws(LedgerError) in try await client.virtualCurrencies() }
  }

  /// As ``customerInfo()``, with a closure.
  public func getCustomerInfo(completion: @escaping @Sendable (Result<CustomerInfo, LedgerError>) -> Void) {
    complete(completion) { (client) async throws(LedgerError) in try await client.customerInfo() }
  }

  /// As ``identify(_:)``, with a closure.
  public func identify(_ id: String, completion: @escaping @Sendable (Result<CustomerInfo, LedgerError>) -> Void) {
    complete(completion) { (client) async throws(LedgerError) in try await client.identify(id) }
  }

  /// As ``createAlias(_:)``, with a closure.
  public func createAlias(_ id: String, completion: @escaping @Sendable (Result<CustomerInfo, LedgerError>) -> Void) {
    complete(completion) { (client) async throws(LedgerError) in try await client.createAlias(id) }
  }

  /// As ``restoreTransactions()``, with a closure.
  public func restoreTransactions(completion: @escaping @Sendable (Result<CustomerInfo, LedgerError>) -> Void) {
    complete(completion) { (client) async throws(LedgerError) in try await client.restoreTransactions() }
  }

  /// As ``getProductCatalog()``, with a closure.
  public func getProductCatalog(completion: @escaping @Sendable (Result<[StoreProduct], LedgerError>) -> Void) {
    complete(completion) { (client) async throws(LedgerError) in try await client.getProductCatalog() }
  }

  /// As ``listSuccessfulTransactions(atPage:size:)``, with a closure.
  public func listSuccessfulTransactions(
    atPage page: Int, size: Int, completion: @escaping @Sendable (Result<[PurchaseRecord], LedgerError>) -> Void
  ) {
    complete(completion) { (client) async throws(LedgerError) in
      try await client.listSuccessfulTransactions(atPage: page, size: size)
    }
  }

  private func complete<T: Sendable>(
    _ completion: @escaping @Sendable (Result<T, LedgerError>) -> Void,
    _ work: @escaping @Sendable (StoreClient) async throws(LedgerError) -> T
  ) {
    Task {
      let result: Result<T, LedgerError>
      do throws(LedgerError) { result = .success(try await work(self)) } catch { result = .failure(error) }
      completion(result)
    }
  }
}
