#if Server
internal import GemLedger
internal import StoreBackend
internal import SystemHTTP

/// The orders with unconfirmed deliveries, for operators.
enum UndeliveredOrderRoutes {
  private static let base = "/v2/projects/{project_id}/orders"

  static var all: [Route] {
    [
      Route(
        method: "GET", path: base, name: "list_undelivered_orders",
        summary: "The credited orders that no game server has confirmed.", access: .secret(.purchases),
        query: [
          Parameter(
            "delivery", .word(["exhausted", "pending"]),
            "Those left to a person, the default, or those that are still tried or refunded."),
          Parameter("starting_after", .text(1...50), "The cursor in the previous page's next_page."),
          Parameter("limit", .integer(1...100), "The number of orders per page; 20 by default."),
        ],
        answers: [200: .page(of: form.schema)], work: .now(list)),
      Route(
        method: "GET", path: "\(base)/{purchase_code}", name: "get_order", summary: "One order.",
        access: .secret(.purchases), answers: [200: form.schema], work: .now(get)),
      Route(
        method: "POST", path: "\(base)/{purchase_code}/actions/redeliver", name: "redeliver_order",
        summary: "Tries the delivery of an order now; a confirmed one stays as it is.",
        access: .secret(Scope.purchases.writing), answers: [200: form.schema], work: .later(redeliver)),
    ]
  }

  private static let form = JSONForm<Order>([
    .object("order"), .always("purchase_code", \.code, .anyIdentifier()),
    .always("customer_id", \.request.customer, .anyIdentifier()),
    .always("product_id", \.request.product, .anyIdentifier(), "Our code of the product."),
    .always("quantity", \.request.quantity, .integer(1...Int64.max)),
    .always("amount", \.price, .amount, "The price of all units: paid, or else announced."),
    .always("currency", \.price?.currency, .nullable(.text(3...3)), "Of the amount."),
    .always("store", \.request.store, .store), .always("status", \.status, .word(Order.Status.allCases, \.rawValue)),
    .always("store_transaction_id", \.storeTransactionID, .nullable(.anyIdentifier())),
    .always(
      "delivery_attempts", \.deliveryAttempts, .integer(0...Int64.max),
      "Tries by the schedule; those by hand do not count."),
    .always(
      "next_delivery_at", \.nextDeliveryAt, .nullable(.instant),
      "The next try, or the refund after the last: milliseconds since 1970."),
    .always("is_delivery_exhausted", \.isDeliveryExhausted, .boolean, "Whether no tries are left."),
    .always("created_at", \.createdAt, .instant, "In milliseconds since 1970."),
    .always("updated_at", \.updatedAt, .instant, "In milliseconds since 1970."),
    .always("expires_at", \.deadline, .instant, "Until when it is to be paid."),
  ])

  private static func list(_ call: Call) throws(LedgerError) -> HTTPResponse {
    let cursor = try call.query["starting_after"]?.text.map { (text) throws(LedgerError) in
      guard let cursor = OrdersPage.Cursor(text) else {
        throw .parameter("starting_after", "is no cursor of this list")
      }
      return cursor
    }
    let backend = call.project.backend
    let page =
      call.query["delivery"]?.text == "pending"
      ? try backend.pendingDeliveries(limit: call.limit, after: cursor)
      : try backend.undelivered(limit: call.limit, after: cursor)
    return Page(page.orders.map(form.json), next: page.next?.description).response(to: call)
  }

  private static func get(_ call: Call) throws(LedgerError) -> HTTPResponse {
    .json(200, form.json(try call.project.backend.order(PurchaseCode(call.name("purchase_code")))))
  }

  private static func redeliver(_ call: Call) async throws(LedgerError) -> HTTPResponse {
    .json(200, form.json(try await call.project.backend.retryDelivery(of: PurchaseCode(call.name("purchase_code")))))
  }
}

extension Order {
  fileprivate var price: Money? { paidPrice ?? request.price }
}
#endif
