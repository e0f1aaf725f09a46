#if Server
internal import GemLedger
internal import StoreBackend
internal import SystemHTTP

/// Orders announced before payment; the receipt routes complete them.
enum OrderRoutes {
  static var all: [Route] { [open, payment, cancel, list] }

  private static let answer = Schema.object([.always("order", Order.schema)])

  private static let open = Route.sdk(
    "POST", "/v1/orders", "open_order", "The first step of a purchase: opens an order before the payment.",
    body: OrderRequest.schema, answers: [200: answer, 201: answer],
    work: .later { (call) async throws(LedgerError) in
      let request = try OrderRequest(wire: call.wire)
      let order = try await call.open(request)
      return .json(order.isReplayed ? 200 : 201, ["order": order.wire])
    })

  private static let payment = Route.sdk(
    "GET", "/v1/orders/{purchase_code}/payment", "get_order_payment",
    "The first answer of an order that was paid for; null before it is paid for.",
    query: [Parameter("app_user_id", .customerID, "The customer that asks.", isRequired: true)],
    answers: [200: .object([.always("receipt", .nullable(ReceiptAnswer.schema))])],
    work: .later { (call) async throws(LedgerError) in
      let customer = try call.permitted(CustomerID(call.query["app_user_id"]?.text ?? ""), for: .useOrder)
      var answer = try await call.project.backend.payment(of: call.orderCode(), customer: customer)
      answer?.requestID = call.request.id
      return .json(200, ["receipt": answer?.wire ?? .null])
    })

  private static let cancel = Route.sdk(
    "POST", "/v1/orders/{purchase_code}/cancel", "cancel_order",
    "Cancels an unpaid order; a receipt posted later is still credited.",
    answers: [200: answer],
    work: .later { (call) async throws(LedgerError) in
      let order = try await call.project.backend.cancelPayment(call.orderCode())
      return .json(200, ["order": order.wire])
    })

  private static let list = Route.sdk(
    "GET", "/v1/subscribers/{app_user_id}/orders", "list_subscriber_orders",
    "The orders that a customer announced, in every state, newest first.", query: SDKRoutes.paging,
    answers: [200: .object([.always("orders", .list(Order.schema))])],
    work: .later { (call) async throws(LedgerError) in
      let (page, size) = call.page
      let customer = try call.subscriber(for: .listOrders)
      let orders = try await call.project.backend.announcedOrders(of: customer, page: page, size: size)
      return .json(200, ["orders": orders.wire])
    })
}

extension Call {
  /// Opens an order for its customer, and holds its price in virtual currency.
  ///
  /// - Throws: `LedgerError` with `forbidden`; then as `LocalBackend.initPayment(_:)`.
  func open(_ request: OrderRequest) async throws(LedgerError) -> Order {
    let backend = project.backend
    let isCostly = backend.policy.currencyPrices[request.product]?.isEmpty == false
    _ = try permitted(request.customer, for: isCostly ? .openCostlyOrder : .openOrder)
    return try await asSession { (whileAnonymous) async throws(LedgerError) in
      try await backend.initPayment(request, whileAnonymous: whileAnonymous)
    }
  }

  /// Returns the order in the path.
  ///
  /// - Throws: `LedgerError` with `invalid_identifier`, `order_not_found`; `forbidden` if the order belongs to another
  ///   customer than the session.
  fileprivate func orderCode() throws(LedgerError) -> PurchaseCode {
    let code = try PurchaseCode(name("purchase_code"))
    if case .session = caller.kind { _ = try permitted(project.backend.order(code).request.customer, for: .useOrder) }
    return code
  }
}
#endif
