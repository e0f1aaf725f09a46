public import GemLedger
public import StoreBackend

// MARK: Orders

extension StoreClient {
  /// Returns a page of the signed-in customer's orders in every state, pending and failed ones too, newest first.
  ///
  /// The app's own view of ``purchaseHistory(page:size:)`` lists what was paid for, with or without an order.
  ///
  /// - Parameters:
  ///   - page: Counts from 1.
  ///   - size: How many on a page.
  /// - Returns: An empty list behind the last page, and for a customer that the backend does not know yet.
  /// - Throws: `LedgerError` of the backend: `forbidden` where it lists no orders, `limit_exceeded`.
  public func orders(page: Int = 1, size: Int = 20) async throws(LedgerError) -> [Order] {
    do throws(LedgerError) {
      return try await context.backend.announcedOrders(of: customerID, page: page, size: size)
    } catch  where error.code == .customerNotFound {
      return []
    }
  }

  /// Gives an order up: it counts as failed from now on, and its virtual currency is the customer's again.
  ///
  /// A payment that comes all the same, such as a consent on the next day, is credited to its buyer, and the order
  /// succeeds then. Receipts of this device go first: an order that one of them pays for is not given up.
  ///
  /// - Returns: The order; one that was paid for stays as it is, which its status says.
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
