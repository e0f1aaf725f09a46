public import GemLedger

// Purchases announced before payment, and their delivery.
extension LocalBackend {
  /// Opens an order with its purchase code before the payment: the first step of a two-step purchase.
  ///
  /// The same request under the same key is one order. A request may name the store transaction that already paid for
  /// it. The answer is then that transaction's order, or a new order that succeeds at once if the transaction is
  /// credited. Both are successes; ``Order/isReplayed`` distinguishes them from a new order.
  ///
  /// The product's cost in virtual currency (``BackendPolicy/currencyPrices``) is held before the answer; the order
  /// fails if the hold is refused.
  ///
  /// The key is looked up before the offer: an announced order is answered even after a change of the catalog.
  ///
  /// - Throws: `LedgerError` with, in order of precedence: `limit_exceeded` (the context passes 8 KiB, the claim 100
  ///   bytes), `invalid_user_id`, `bundle_mismatch`, `product_not_found` (also: not at this store), `not_available`
  ///   (not on sale); `amount_mismatch` (the price is not one of the catalog's), `amount_out_of_range`, `key_conflict`;
  ///   and, if the product costs currency, those of `Ledger.hold(_:customer:for:key:)`. The detail `request_id` names
  ///   the request.
  public func initPayment(_ request: OrderRequest) async throws(LedgerError) -> Order {
    try await initPayment(request, whileAnonymous: false)
  }

  /// Opens an order; with `whileAnonymous`, currency is held only if the customer has only anonymous ids.
  ///
  /// - Throws: `LedgerError` as ``initPayment(_:)``, and with `condition_failed` for a signed-in customer.
  package func initPayment(_ request: OrderRequest, whileAnonymous: Bool) async throws(LedgerError) -> Order {
    let requestID = context.newRequestID()
    do throws(LedgerError) { return try await openings.open(request, whileAnonymous: whileAnonymous) } catch {
      throw error.adding(.text("request_id", requestID))
    }
  }

  /// Completes the second step: verifies, credits and delivers the receipt for the order.
  ///
  /// The order is marked in the commit that credits. A receipt for a failed order is credited too, and the order
  /// succeeds. A repeated call returns the first answer. A receipt for another product, store, quantity or buyer is
  /// credited without the order, which stays as it is. With ``ReceiptPost/orderSearch``, the order that the receipt
  /// does pay for is found or opened.
  ///
  /// - Throws: `LedgerError` as ``post(_:)``, with `order_not_found` after `receipt_unverified`.
  public func completePayment(
    _ code: PurchaseCode, post: ReceiptPost
  ) async throws(LedgerError) -> ReceiptAnswer { try await credits.answer(post, order: code) }

  /// Returns the first answer of a paid order, as a replay; nil before the payment.
  ///
  /// - Throws: `LedgerError` with `order_not_found`.
  public func payment(of code: PurchaseCode, customer: CustomerID) async throws(LedgerError) -> ReceiptAnswer? {
    try await credits.payment(of: code, customer: customer)
  }

  /// Cancels the order because it will not be paid; a later receipt is still credited.
  ///
  /// - Returns: The order; a paid order stays as it is, as its status shows.
  /// - Throws: `LedgerError` with `order_not_found`.
  public func cancelPayment(_ code: PurchaseCode) async throws(LedgerError) -> Order {
    try await openings.cancel(code)
  }

  /// Returns one order.
  ///
  /// - Throws: `LedgerError` with `order_not_found`.
  public func order(_ code: PurchaseCode) throws(LedgerError) -> Order { try orders.order(code) }

  /// Returns the customer's orders, newest first; pages count from 1.
  ///
  /// - Throws: `LedgerError` with, in order of precedence, `limit_exceeded` for a page below 1 or a size that is not 1
  ///   to `Limits.historyPage`, `customer_not_found`.
  public func orders(of customer: CustomerID, page: Int = 1, size: Int = 20) throws(LedgerError) -> [Order] {
    try orders.orders(of: customer, page: page, size: size)
  }

  /// Returns the customer's orders to clients, as ``orders(of:page:size:)`` does.
  ///
  /// - Throws: `LedgerError` as ``orders(of:page:size:)``.
  public func announcedOrders(of customer: CustomerID, page: Int, size: Int) async throws(LedgerError) -> [Order] {
    try orders(of: customer, page: page, size: size)
  }

  /// Returns a page of the orders that were announced and never paid, in the order in which they failed.
  ///
  /// An order fails at its deadline, or when it is cancelled before it. The page covers the instants from `from` until
  /// just before `until`.
  ///
  /// - Throws: `LedgerError` with `limit_exceeded` for a limit that is not 1 to `Limits.historyPage`.
  public func ordersReport(
    from: Timestamp, until: Timestamp, limit: Int = 100, after cursor: OrdersPage.Cursor? = nil
  ) throws(LedgerError) -> OrdersPage { try orders.failed(from: from, until: until, limit: limit, after: cursor) }

  // MARK: Currency that orders hold

  /// Completes the hold of an order: spends it if the order was paid for, releases it if the order failed.
  ///
  /// Every step of an order does so by itself. Call this for an order with an interrupted last step, or if currency was
  /// missing when it was due.
  ///
  /// - Returns: The state of the hold; nil if the order costs no currency.
  /// - Throws: `LedgerError` with `order_not_found`.
  public func resolveOrder(_ code: PurchaseCode) async throws(LedgerError) -> OrderHold? {
    try await holds.endHold(of: orders.order(code))
  }

  /// Completes the holds of all orders that hold currency; call it after a restart or once an hour.
  ///
  /// The first call reads the whole journal. The ledger stores the position and the waiting orders, so later calls read
  /// only newer bookings, also after restarts. A cancelled task stops between two pages or orders.
  ///
  /// - Returns: The unresolved orders in the order of their announcement, including those that wait for their payment.
  /// - Throws: `LedgerError` if the storage fails.
  @discardableResult
  public func resolveOrders() async throws(LedgerError) -> [ResolvedOrder] { try await holds.postAll() }

  // MARK: Delivery

  /// Tries the due deliveries, oldest first, one after the other.
  ///
  /// Several backends may do so at once: one of them claims each try. An order without tries left is refunded if the
  /// backend has a ``RefundIssuer`` that can refund at the order's store. Otherwise it stays `delivery_pending` for an
  /// operator (``undelivered(limit:after:)``), and its credit stays.
  ///
  /// - Parameters:
  ///   - now: The instant up to which deliveries are due; nil for the clock's time.
  ///   - limit: The most orders to try.
  /// - Returns: The counts of the round; zeros without a delivery target.
  /// - Throws: `LedgerError` if the storage fails; with `storage_damaged` for a damaged order after all others were
  ///   tried.
  @discardableResult
  public func retryDeliveries(now: Timestamp? = nil, limit: Int = 1000) async throws(LedgerError) -> DeliveryRound {
    try await deliveries.retryDue(at: now, limit: limit)
  }

  /// Tries one order's delivery now, for an operator; the schedule does not count the try.
  ///
  /// - Returns: The order after the try.
  /// - Throws: `LedgerError` with, in order of precedence, `order_not_found`, `not_available` (the store was asked to
  ///   refund it).
  public func retryDelivery(of code: PurchaseCode) async throws(LedgerError) -> Order {
    try await deliveries.retry(code)
    return try orders.order(code)
  }

  /// Returns a page of the credited orders with a pending delivery or refund, those with the next step first.
  ///
  /// - Throws: `LedgerError` with `limit_exceeded` for a limit that is not 1 to `Limits.historyPage`.
  public func pendingDeliveries(
    limit: Int = 100, after cursor: OrdersPage.Cursor? = nil
  ) throws(LedgerError) -> OrdersPage { try orders.pendingDeliveries(limit: limit, after: cursor) }

  /// Returns a page of the credited orders with no confirmed delivery after all tries.
  ///
  /// - Throws: `LedgerError` with `limit_exceeded` for a limit that is not 1 to `Limits.historyPage`.
  public func undelivered(limit: Int = 100, after cursor: OrdersPage.Cursor? = nil) throws(LedgerError) -> OrdersPage {
    try orders.undelivered(limit: limit, after: cursor)
  }
}
