public import GemLedger
public import StoreBackend

/// Receives the result of a purchase, once, on the main actor.
///
/// Every result except a success has an error, as in RevenueCat's SDK: `purchase_cancelled` for a cancelled purchase,
/// `purchase_pending` for one that waits for an approval, `validation_pending` for a waiting receipt, and
/// `validation_failed` for a refused one.
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
  ///   - productID: The product's code, or its id at the store.
  ///   - quantity: The number of units.
  ///   - price: The price of all units as the app showed it, if it is to be checked.
  ///   - context: The game, character and server of the purchase.
  ///   - completion: Receives true if the purchase is paid for and credited, delivered or not; the outcome with its
  ///     order; and the error of any other result.
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
  /// - Parameter completion: Receives whether there was an answer, the products, and the error if there was no answer.
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

  /// Returns a page of the credited purchases, as ``purchaseHistory(page:size:)`` does.
  public func listSuccessfulTransactions(atPage page: Int, size: Int) async throws(LedgerError) -> [PurchaseRecord] {
    try await purchaseHistory(page: page, size: size)
  }

  /// Gets a page of the credited purchases with a closure.
  ///
  /// - Parameters:
  ///   - page: The number of the page, from 1.
  ///   - size: The number of purchases on a page.
  ///   - completion: Receives whether there was an answer, the purchases, and the error if there was no answer.
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
  /// The result as an error; nil for a success.
  package var failure: LedgerError? {
    switch self {
    case .success: nil
    case .cancelled: LedgerError(.purchaseCancelled, "The customer cancelled the purchase; no payment was made.")
    case .pending: LedgerError(.purchasePending, "The payment waits for an approval; it may arrive later.")
    case .pendingServerValidation:
      LedgerError(.validationPending, "It is paid for; the receipt is in the queue and is posted again by itself.")
    case .failedServerValidation(let errorCode, let message, let requestID):
      LedgerError(
        .validationFailed, message,
        details: [.text("error_code", errorCode)] + (requestID.map { [.text("request_id", $0)] } ?? []))
    }
  }
}
