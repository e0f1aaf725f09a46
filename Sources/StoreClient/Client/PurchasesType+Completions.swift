public import GemLedger
internal import StoreBackend

/// Receives a value or an error, once, on the main actor.
public typealias Completion<Value> = @MainActor (_ value: Value?, _ error: LedgerError?) -> Void

// The calls with closures, with the argument names of other SDKs.
extension PurchasesType {
  /// Gets the shop window with a closure.
  public func getOfferings(completion: @escaping Completion<Offerings>) {
    answer(completion) { (client) async throws(LedgerError) in try await client.offerings() }
  }

  /// Gets the products with these ids with a closure; omits unknown ids.
  public func getProducts(
    _ productIdentifiers: [String], completion: @escaping @MainActor (_ products: [StoreProduct]) -> Void
  ) {
    Task { await completion(await self.products(productIdentifiers)) }
  }

  /// Gets the balances with a closure.
  public func getVirtualCurrencies(completion: @escaping Completion<VirtualCurrencies>) {
    answer(completion) { (client) async throws(LedgerError) in try await client.virtualCurrencies() }
  }

  /// Gets the customer's state with a closure.
  public func getCustomerInfo(completion: @escaping Completion<CustomerInfo>) {
    answer(completion) { (client) async throws(LedgerError) in try await client.customerInfo() }
  }

  /// Signs in with a closure.
  public func logIn(
    _ id: String,
    completion: @escaping @MainActor (_ customerInfo: CustomerInfo?, _ created: Bool, _ error: LedgerError?) -> Void
  ) {
    Task {
      do throws(LedgerError) {
        let (info, created) = try await self.logIn(id)
        await completion(info, created, nil)
      } catch { await completion(nil, false, error) }
    }
  }

  /// Signs out with a closure.
  public func logOut(completion: @escaping Completion<CustomerInfo>) {
    answer(completion) { (client) async throws(LedgerError) in try await client.logOut() }
  }

  /// Switches to another app user id with a closure.
  public func identify(_ id: String, completion: @escaping Completion<CustomerInfo>) {
    answer(completion) { (client) async throws(LedgerError) in try await client.identify(id) }
  }

  /// Makes the id an alias of the signed-in customer with a closure.
  public func createAlias(_ id: String, completion: @escaping Completion<CustomerInfo>) {
    answer(completion) { (client) async throws(LedgerError) in try await client.createAlias(id) }
  }

  /// Restarts with a new anonymous customer with a closure.
  public func reset(completion: @escaping Completion<CustomerInfo>) {
    answer(completion) { (client) async throws(LedgerError) in try await client.reset() }
  }

  /// Restores the store account's purchases with a closure.
  public func restorePurchases(completion: @escaping Completion<CustomerInfo>) {
    answer(completion) { (client) async throws(LedgerError) in try await client.restorePurchases() }
  }

  /// Restores, and merges signed-in customers, with a closure.
  public func restoreTransactions(completion: @escaping Completion<CustomerInfo>) {
    answer(completion) { (client) async throws(LedgerError) in try await client.restoreTransactions() }
  }

  private func answer<Value: Sendable>(
    _ completion: @escaping Completion<Value>,
    _ work: @escaping @Sendable (Self) async throws(LedgerError) -> Value
  ) {
    Task {
      do throws(LedgerError) {
        let value = try await work(self)
        await completion(value, nil)
      } catch { await completion(nil, error) }
    }
  }
}
