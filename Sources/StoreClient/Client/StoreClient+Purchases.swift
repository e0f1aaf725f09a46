public import GemLedger
internal import StoreBackend

// MARK: Buying

extension StoreClient {
  private var flow: PurchaseFlow { PurchaseFlow(context: context) }

  /// Buys the product of a package.
  ///
  /// The buyer is durable before the payment, and the receipt before all other steps; the store is informed only after
  /// the credit. So after any interruption, the buyer is credited for the payment, once.
  ///
  /// - Returns: The result, which need not be a success.
  /// - Throws: `LedgerError` with, in order of precedence: `purchase_already_in_progress`, those of the order if the
  ///   style is two-step, those of the event log, `store_error`. There was no payment then, unless the store's network
  ///   failed: such a payment arrives through the updates.
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

  /// Buys in two steps: an order with its purchase code before the payment, and its receipt after the payment.
  ///
  /// One key asks the store for one payment. A paid order returns its first answer, even after the product has left the
  /// shop. While its payment may still arrive, for example before a consent, the result is `pending`: on this device,
  /// on others, and after a new installation. The store does not report a denied consent; buy with a new key then. If
  /// the store reports that no payment was made, the device that announced the order can pay with the same key.
  ///
  /// - Throws: `LedgerError` with `product_not_found`, those of `PurchaseBackend.initPayment(_:)`, and as
  ///   ``purchase(package:)``.
  @discardableResult
  public func purchase(order: PurchaseOrder) async throws(LedgerError) -> PurchaseOutcome {
    try await context.logged("purchase", \.result.description) { () async throws(LedgerError) in
      try await flow.purchase(order: order)
    }
  }

  /// Buys, and returns the result with its details: transaction, receipt, credit.
  ///
  /// - Parameters:
  ///   - productID: The product's code, or its id at the store.
  ///   - quantity: The number of units.
  /// - Throws: `LedgerError` with `product_not_found` and as ``purchase(package:)``.
  public func outcome(
    ofPurchasing productID: String, quantity: Int64 = 1
  ) async throws(LedgerError) -> PurchaseOutcome {
    try await context.logged("purchase", \.result.description) { () async throws(LedgerError) in
      try await flow.outcome(ofPurchasing: productID, quantity: quantity)
    }
  }
}
