public import GemLedger
public import StoreBackend

// MARK: Orders

extension StoreClient {
  /// Returns a page of the signed-in customer's orders in every state, including pending and failed orders, newest
  /// first.
  ///
  /// ``purchaseHistory(page:size:)`` lists the paid purchases, with or without an order.
  ///
  /// - Parameters:
  ///   - page: The number of the page, from 1.
  ///   - size: The number of orders on a page.
  /// - Returns: The orders; empty after the last page, and for a customer that the backend does not know yet.
  /// - Throws: `LedgerError` of the backend: `forbidden` if it lists no orders, `limit_exceeded`.
  public func orders(page: Int = 1, size: Int = 20) async throws(LedgerError) -> [Order] {
    do throws(LedgerError) {
      return try await context.backend.announcedOrders(of: customerID, page: page, size: size)
    } catch  where error.code == .customerNotFound {
      return []
    }
  }

  /// Cancels an order: it counts as failed from now on, and its virtual currency is released to the customer.
  ///
  /// A later payment, for example after a consent on the next day, is credited to its buyer, and the order succeeds
  /// then. Receipts of this device are posted first: an order that is paid by one of them is not cancelled.
  ///
  /// - Returns: The order; a paid order stays as it is, as its status shows.
  /// - Throws: `LedgerError` with `order_not_found`, and those of the backend.
  @discardableResult
  public func cancelOrder(_ code: PurchaseCode) async throws(LedgerError) -> Order {
    if queue.read({ $0.receipt(of: code) }) != nil { await pipeline.drain() }
    let order = try await context.backend.cancelPayment(code)
    if !order.costs.isEmpty {
      balanceSource.invalidate()
      balanceSource.refreshForListeners()
    }
    return order
  }
}
