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
        answers: [200: Page.schema(of: schema)], work: .now(list)),
      Route(
        method: "GET", path: "\(base)/{purchase_code}", name: "get_order", summary: "One order.",
        access: .secret(.purchases), answers: [200: schema], work: .now(get)),
      Route(
        method: "POST", path: "\(base)/{purchase_code}/actions/redeliver", name: "redeliver_order",
        summary: "Tries the delivery of an order now; a confirmed one stays as it is.",
        access: .secret(Scope.purchases.writing), answers: [200: schema], work: .later(redeliver)),
    ]
  }

  private static let schema = Schema.object([
    Schema.Field("object", .word(["order"]), isRequired: true),
    Schema.Field("purchase_code", .text(), isRequired: true), Schema.Field("customer_id", .text(), isRequired: true),
    Schema.Field("product_id", .text(), "Our code of the product.", isRequired: true),
    Schema.Field("quantity", .integer(1...Int64.max), isRequired: true),
    Schema.Field("amount", .nullable(.decimal), "The price of all units: paid, or else announced.", isRequired: true),
    Schema.Field("currency", .nullable(.text(3...3)), "Of the amount.", isRequired: true),
    Schema.Field("store", .word(Store.all.map(\.description)), isRequired: true),
    Schema.Field("status", .word(Order.Status.allCases.map(\.rawValue)), isRequired: true),
    Schema.Field("store_transaction_id", .nullable(.text()), isRequired: true),
    Schema.Field(
      "delivery_attempts", .integer(0...Int64.max), "Tries by the schedule; those by hand do not count.",
      isRequired: true),
    Schema.Field(
      "next_delivery_at", .nullable(.integer()), "The next try, or the refund after the last: milliseconds since 1970.",
      isRequired: true),
    Schema.Field("is_delivery_exhausted", .boolean, "Whether no tries are left.", isRequired: true),
    Schema.Field("created_at", .integer(), "In milliseconds since 1970.", isRequired: true),
    Schema.Field("updated_at", .integer(), "In milliseconds since 1970.", isRequired: true),
    Schema.Field("expires_at", .integer(), "Until when it is to be paid.", isRequired: true),
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
    return Page(page.orders.map(json), next: page.next?.description).response(to: call)
  }

  private static func get(_ call: Call) throws(LedgerError) -> HTTPResponse {
    .json(200, json(try call.project.backend.order(PurchaseCode(call.name("purchase_code")))))
  }

  private static func redeliver(_ call: Call) async throws(LedgerError) -> HTTPResponse {
    .json(200, json(try await call.project.backend.retryDelivery(of: PurchaseCode(call.name("purchase_code")))))
  }

  private static func json(_ order: Order) -> JSONValue {
    let price = order.paidPrice ?? order.request.price
    return [
      "object": "order", "purchase_code": .string(order.code.text), "customer_id": .string(order.request.customer.text),
      "product_id": .string(order.request.product.text), "quantity": .integer(order.request.quantity),
      "amount": PaymentAmount.json(price), "currency": JSONValue(price?.currency),
      "store": .string(order.request.store.description), "status": .string(order.status.rawValue),
      "store_transaction_id": JSONValue(order.storeTransactionID?.text),
      "delivery_attempts": .integer(order.deliveryAttempts),
      "next_delivery_at": JSONValue(order.nextDeliveryAt?.milliseconds),
      "is_delivery_exhausted": .bool(order.isDeliveryExhausted), "created_at": .integer(order.createdAt.milliseconds),
      "updated_at": .integer(order.updatedAt.milliseconds), "expires_at": .integer(order.deadline.milliseconds),
    ]
  }
}

extension Page {
  /// Returns the form of a page of such items.
  static func schema(of item: Schema) -> Schema {
    .object([
      Schema.Field("object", .word(["list"]), isRequired: true), Schema.Field("items", .list(item), isRequired: true),
      Schema.Field("next_page", .nullable(.text()), "The next page's path; null on the last page.", isRequired: true),
      Schema.Field("url", .text(), isRequired: true),
    ])
  }
}
#endif
