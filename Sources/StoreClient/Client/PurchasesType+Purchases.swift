public import GemLedger
public import StoreBackend

/// Gets a purchase's end, once, on the main actor.
///
/// Every end but a success has an error, as RevenueCat's readers expect it: a cancelled purchase
/// `purchase_cancelled`, one that waits for an approval `purchase_pending`, a receipt that waits `validation_pending`,
/// a refused one `validation_failed`.
public typealias PurchaseCompletion =
  @MainActor (
    _ transaction: StoreTransaction?, _ customerInfo: CustomerInfo?, _ error: LedgerError?, _ userCancelled: Bool
  ) -> Void

// Purchases with closures, and the two-step SDK's calls.
extension PurchasesType {
  /// Buys the product of a package with a closure.
  public func purchase(package: Package, completion: @escaping PurchaseCompletion) {
    purchase(package.storeProduct.code.text, quantity: 1, completion)
  }

  /// Buys units of a product with a closure.
  public func purchase(product: StoreProduct, quantity: Int64 = 1, completion: @escaping PurchaseCompletion) {
    purchase(product.code.text, quantity: quantity, completion)
  }

  /// Buys units of a product by its code, or its id at the store.
  ///
  /// - Throws: `LedgerError` with `product_not_found`, and as ``StoreClient/purchase(package:)``.
  @discardableResult
  public func purchase(_ productID: String, quantity: Int64 = 1) async throws(LedgerError) -> PurchaseResult {
    try await outcome(ofPurchasing: productID, quantity: quantity).result
  }

  private func purchase(_ productID: String, quantity: Int64, _ completion: @escaping PurchaseCompletion) {
    Task {
      do throws(LedgerError) {
        let outcome = try await self.outcome(ofPurchasing: productID, quantity: quantity)
        let result = outcome.result
        await completion(outcome.transaction, result.customerInfo, result.failure, result.userCancelled)
      } catch { await completion(nil, nil, error, false) }
    }
  }

  /// Buys in two steps with a closure.
  ///
  /// - Parameters:
  ///   - productID: Our code of the product, or its id at the store.
  ///   - quantity: How many units.
  ///   - price: The price of all units as the app showed it, where it is to be checked.
  ///   - context: The game, character and server that it is for.
  ///   - completion: Gets true where the purchase is paid for and credited, delivered or not; the outcome with its
  ///     order; and the error of any other end.
  public func purchasePackage(
    withProductID productID: String, quantity: Int64 = 1, price: Money? = nil, context: OrderContext = OrderContext(),
    completion: @escaping @MainActor (_ status: Bool, _ outcome: PurchaseOutcome?, _ error: LedgerError?) -> Void
  ) {
    let order = PurchaseOrder(productID: productID, quantity: quantity, price: price, context: context)
    Task {
      do throws(LedgerError) {
        let outcome = try await self.purchase(order: order)
        let failure = outcome.failure ?? outcome.result.failure
        await completion(failure == nil, outcome, failure)
      } catch { await completion(false, nil, error) }
    }
  }

  /// Gets the products of the shop window with a closure.
  ///
  /// - Parameter completion: Gets whether there was an answer, the products, and the error where there was none.
  public func getProductCatalog(
    completion: @escaping @MainActor (_ status: Bool, _ products: [StoreProduct]?, _ error: LedgerError?) -> Void
  ) {
    Task {
      do throws(LedgerError) {
        let products = try await self.getProductCatalog()
        await completion(true, products, nil)
      } catch { await completion(false, nil, error) }
    }
  }

  /// The same as ``purchaseHistory(page:size:)``.
  public func listSuccessfulTransactions(atPage page: Int, size: Int) async throws(LedgerError) -> [PurchaseRecord] {
    try await purchaseHistory(page: page, size: size)
  }

  /// Gets a page of the credited purchases with a closure.
  ///
  /// - Parameters:
  ///   - page: Counts from 1.
  ///   - size: How many on a page.
  ///   - completion: Gets whether there was an answer, the purchases, and the error where there was none.
  public func listSuccessfulTransactions(
    atPage page: Int, size: Int,
    completion: @escaping @MainActor (_ status: Bool, _ purchases: [PurchaseRecord]?, _ error: LedgerError?) -> Void
  ) {
    Task {
      do throws(LedgerError) {
        let purchases = try await self.purchaseHistory(page: page, size: size)
        await completion(true, purchases, nil)
      } catch { await completion(false, nil, error) }
    }
  }
}

extension PurchaseResult {
  /// The same end as an error; nil for a success.
  package var failure: LedgerError? {
    switch self {
    case .success: nil
    case .cancelled: LedgerError(.purchaseCancelled, "The customer turned back; no payment was made.")
    case .pending: LedgerError(.purchasePending, "The payment waits for an approval; it may come without a call.")
    case .pendingServerValidation:
      LedgerError(.validationPending, "It is paid for; the receipt is in the queue and is posted again by itself.")
    case .failedServerValidation(let errorCode, let message, let requestID):
      LedgerError(
        .validationFailed, message,
        details: [.text("error_code", errorCode)] + (requestID.map { [.text("request_id", $0)] } ?? []))
    }
  }
}
