public import GemLedger

// Purchases announced before payment, and their delivery.
extension LocalBackend {
  /// The first step of a two-step purchase: an order with its purchase code, before anybody pays.
  ///
  /// The same request under the same key is one order. A request that names what paid for it already is answered with
  /// the order of that store transaction, or with a new one that is settled at once if the transaction is credited;
  /// both are successes. ``Order/isReplayed`` tells them from a new order.
  ///
  /// What the product costs in virtual currency (``BackendPolicy/currencyPrices``) is set aside before the answer; an
  /// order that it cannot be set aside for fails.
  ///
  /// The key is looked up before the offer: an order that was announced is answered whatever the catalog says by now.
  ///
  /// - Throws: `LedgerError` with, in order of precedence, `limit_exceeded` (the context passes 8 KiB, the claim 100
  ///   bytes), `invalid_user_id`, `bundle_mismatch`, `product_not_found` (also: not at this store), `not_available`
  ///   (not on sale), `amount_mismatch` (the price is not one of the catalog's), `amount_out_of_range`,
  ///   `key_conflict`, and where it costs currency those of `Ledger.hold(_:customer:for:key:)`. Its detail `request_id`
  ///   names the request.
  public func initPayment(_ request: OrderRequest) async throws(LedgerError) -> Order {
    let requestID = context.newRequestID()
    do throws(LedgerError) { return try await openings.open(request) } catch {
      throw error.adding(.text("request_id", requestID))
    }
  }

  /// The second step: the receipt for the order is verified, credited, and delivered.
  ///
  /// The order is marked in the commit that credits. A receipt that comes after the order failed is credited too, and
  /// the order succeeds. A repeated call gives the first answer again. A receipt for another product, store or quantity
  /// is credited for itself and leaves the order as it is.
  ///
  /// - Throws: `LedgerError` as ``post(_:)``, with `order_not_found` after `receipt_unverified`.
  public func completePayment(
    _ code: PurchaseCode, post: ReceiptPost
  ) async throws(LedgerError) -> ReceiptAnswer { try await credits.answer(post, order: code) }

  /// The first answer of an order that was paid for, as a replay; nil before it is paid for.
  ///
  /// - Throws: `LedgerError` with `order_not_found`.
  public func payment(of code: PurchaseCode, customer: CustomerID) async throws(LedgerError) -> ReceiptAnswer? {
    try await credits.payment(of: code, customer: customer)
  }

  /// Says that the order will not be paid; a receipt that comes all the same is still credited.
  ///
  /// - Returns: The order; one that was paid for stays as it is, which its status says.
  /// - Throws: `LedgerError` with `order_not_found`.
  public func cancelPayment(_ code: PurchaseCode) async throws(LedgerError) -> Order {
    try await openings.cancel(code)
  }

  /// One order.
  ///
  /// - Throws: `LedgerError` with `order_not_found`.
  public func order(_ code: PurchaseCode) throws(LedgerError) -> Order { try orders.order(code) }

  /// The customer's orders, newest first; pages count from 1.
  ///
  /// - Throws: `LedgerError` with, in order of precedence, `limit_exceeded` for a page below 1 or a size that is not 1
  ///   to `Limits.historyPage`, `customer_not_found`.
  public func orders(of customer: CustomerID, page: Int = 1, size: Int = 20) throws(LedgerError) -> [Order] {
    try orders.orders(of: customer, page: page, size: size)
  }

  /// A page of what was attempted and not completed: orders that failed, at their deadline or given up before it, at an
  /// instant from `from` until just before `until`; in the order of those instants.
  ///
  /// - Throws: `LedgerError` with `limit_exceeded` for a limit that is not 1 to `Limits.historyPage`.
  public func ordersReport(
    from: Timestamp, until: Timestamp, limit: Int = 100, after cursor: OrdersPage.Cursor? = nil
  ) throws(LedgerError) -> OrdersPage { try orders.failed(from: from, until: until, limit: limit, after: cursor) }

  // MARK: Currency that orders hold

  /// Brings the currency that an order costs to where the order's state wants it: spent where it was paid for, released
  /// where it failed.
  ///
  /// Every step of an order does so by itself; this is for an order whose last step was cut off, or whose currency was
  /// not there when it was due.
  ///
  /// - Returns: What became of it; nil where the order costs none.
  /// - Throws: `LedgerError` with `order_not_found`.
  public func settleOrder(_ code: PurchaseCode) async throws(LedgerError) -> OrderHold? {
    try await holds.settleHold(of: orders.order(code))
  }

  /// Does the same for every order that holds currency, as after a restart or once an hour.
  ///
  /// - Parameter cursor: What the call before returned, kept across restarts; nil to look through the whole journal.
  /// - Returns: What was found; look at those that are not settled.
  /// - Throws: `LedgerError` where the feed cannot be read.
  public func settleOrders(after cursor: FeedCursor? = nil) async throws(LedgerError) -> SettledOrders {
    try await holds.settleAll(after: cursor)
  }

  // MARK: Delivery

  /// Tries the deliveries that are due, oldest first, one after the other.
  ///
  /// Several backends may do so at once: each try is taken by one of them. An order whose tries are used up stays
  /// `delivery_pending` for a person to look at (``undelivered(limit:after:)``); it is not failed, and nothing that was
  /// credited is taken back.
  ///
  /// - Parameters:
  ///   - now: What is due then; nil for the clock's time.
  ///   - limit: At most so many orders.
  /// - Returns: How it went; nothing where there is nobody to deliver to.
  /// - Throws: `LedgerError` where the storage fails.
  @discardableResult
  public func retryDeliveries(now: Timestamp? = nil, limit: Int = 1000) async throws(LedgerError) -> DeliveryRound {
    try await deliveries.retryDue(at: now, limit: limit)
  }

  /// Tries one order's delivery now, whatever its schedule says, as a person does who has looked into it.
  ///
  /// - Returns: The order after it.
  /// - Throws: `LedgerError` with `order_not_found`.
  public func retryDelivery(of code: PurchaseCode) async throws(LedgerError) -> Order {
    try await deliveries.retry(code)
    return try orders.order(code)
  }

  /// Orders that were paid for and credited and whose delivery nobody confirmed in any of its tries.
  ///
  /// - Throws: `LedgerError` with `limit_exceeded` for a limit that is not 1 to `Limits.historyPage`.
  public func undelivered(limit: Int = 100, after cursor: OrdersPage.Cursor? = nil) throws(LedgerError) -> OrdersPage {
    try orders.undelivered(limit: limit, after: cursor)
  }
}
