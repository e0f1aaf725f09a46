public import GemLedger
internal import StoreBackend

// MARK: Buying

extension StoreClient {
  private var flow: PurchaseFlow { PurchaseFlow(context: context) }

  /// Buys what stands in a place of the shop window.
  ///
  /// The buyer is durable before anybody pays, and the receipt before anything else is done with it; the store is told
  /// only after the credit. So whatever happens in between, what was paid for is credited, to who bought, once.
  ///
  /// - Returns: How it ended; not every end is a success.
  /// - Throws: `LedgerError` with, in order of precedence, `purchase_already_in_progress`, those of the order where the
  ///   style is two-step, those of the journal, `store_error`. Nobody paid then, unless the store's network failed:
  ///   what was paid for all the same comes by itself.
  @discardableResult
  public func purchase(package: Package) async throws(LedgerError) -> PurchaseResult {
    try await outcome(ofPurchasing: package.storeProduct.code.text).result
  }

  /// Buys units of a product; otherwise as ``purchase(package:)``.
  ///
  /// - Throws: `LedgerError` as ``purchase(package:)``.
  @discardableResult
  public func purchase(product: StoreProduct, quantity: Int64 = 1) async throws(LedgerError) -> PurchaseResult {
    try await outcome(ofPurchasing: product.code.text, quantity: quantity).result
  }

  /// Buys units of the product with this code; otherwise as ``purchase(package:)``.
  ///
  /// - Throws: `LedgerError` with `product_not_found` and as ``purchase(package:)``.
  @discardableResult
  public func purchase(_ code: ProductCode, quantity: Int64 = 1) async throws(LedgerError) -> PurchaseResult {
    try await outcome(ofPurchasing: code.text, quantity: quantity).result
  }

  /// Buys in two steps: an order with its purchase code before anybody pays, the receipt to complete it afterwards.
  ///
  /// One key asks the store for one payment. An order that was paid for gives its first answer, also where the product
  /// has left the shop since. While its payment may
  /// still come, as before a consent, the result is `pending`: on this device, on others, and after a new installation.
  /// The store does not tell that a consent was denied; buy under a new key then. A payment that the store says nobody
  /// made can be made up for under the same key, by the device that announced the order.
  ///
  /// - Throws: `LedgerError` with `product_not_found`, those of `PurchaseBackend.initPayment(_:)`, and as
  ///   ``purchase(package:)``.
  @discardableResult
  public func purchase(order: PurchaseOrder) async throws(LedgerError) -> PurchaseOutcome {
    try await flow.purchase(order: order)
  }

  /// Buys, and gives everything that stands behind the result: transaction, receipt, credit.
  ///
  /// - Parameters:
  ///   - productID: Our code of the product, or its id at the store.
  ///   - quantity: How many units.
  /// - Throws: `LedgerError` with `product_not_found` and as ``purchase(package:)``.
  public func outcome(
    ofPurchasing productID: String, quantity: Int64 = 1
  ) async throws(LedgerError) -> PurchaseOutcome {
    try await flow.outcome(ofPurchasing: productID, quantity: quantity)
  }
}
