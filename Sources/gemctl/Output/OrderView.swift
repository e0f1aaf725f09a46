import GemLedger
import StoreBackend

/// Orders as `orders`, `order` and `deliveries` print them.
enum OrderView {
  static func json(_ order: Order) -> JSONValue {
    [
      "purchase_code": .string(order.code.text), "status": .string(order.status.rawValue),
      "product_id": .string(order.request.product.text), "quantity": .integer(order.request.quantity),
      "store_transaction_id": JSONValue(order.storeTransactionID?.text),
      "created_at": .string(order.createdAt.description), "deadline": .string(order.deadline.description),
      "customer_id": .string(order.request.customer.text), "bundle_id": .string(order.bundleID),
      "store": .string(order.request.store.description), "store_product_id": JSONValue(order.storeProductID),
      "original_transaction_id": JSONValue(order.originalTransactionID?.text),
      "updated_at": .string(order.updatedAt.description), "delivery_attempts": .integer(order.deliveryAttempts),
      "next_delivery_at": JSONValue(order.nextDeliveryAt?.description),
    ]
  }

  static func json(_ page: OrdersPage) -> JSONValue {
    ["orders": .array(page.orders.map(json)), "next": JSONValue(page.next?.description)]
  }

  static func text(_ orders: [Order], style: Style) -> String {
    guard !orders.isEmpty else { return "No orders.\n" }
    var table = Table([
      .id("PURCHASE CODE"), .init(title: "STATUS"), .init(title: "PRODUCT"),
      .id("STORE TRANSACTION"), .time("CREATED AT"),
    ])
    for order in orders {
      table.add([
        order.code.text, order.status.rawValue, order.request.product.text, order.storeTransactionID?.text ?? "",
        order.createdAt.description,
      ])
    }
    return table.text(style: style)
  }

  /// Orders of several customers, with the instant at which each failed.
  static func report(_ page: OrdersPage, style: Style) -> String {
    guard !page.orders.isEmpty else { return "No order failed in that time.\n" }
    var table = Table([
      .time("FAILED AT"), .id("CUSTOMER"), .id("PURCHASE CODE"), .left("PRODUCT"), .right("QUANTITY"),
      .time("CREATED AT"),
    ])
    for order in page.orders {
      table.add([
        order.updatedAt.description, order.request.customer.text, order.code.text, order.request.product.text,
        AmountText.grouped(order.request.quantity), order.createdAt.description,
      ])
    }
    return table.text(style: style) + next(page, style: style)
  }

  /// Paid orders with their tries.
  static func deliveries(_ page: OrdersPage, none: String, style: Style) -> String {
    guard !page.orders.isEmpty else { return none + "\n" }
    var table = Table([
      .id("PURCHASE CODE"), .id("CUSTOMER"), .left("PRODUCT"), .right("TRIES"), .time("NEXT TRY"),
      .id("STORE TRANSACTION"),
    ])
    for order in page.orders {
      table.add([
        order.code.text, order.request.customer.text, order.request.product.text, String(order.deliveryAttempts),
        order.nextDeliveryAt?.description ?? "none", order.storeTransactionID?.text ?? "",
      ])
    }
    return table.text(style: style) + next(page, style: style)
  }

  private static func next(_ page: OrdersPage, style: Style) -> String {
    page.next.map { style.dim("More: --after \($0)") + "\n" } ?? ""
  }
}
