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
    orders.table([
      .id("PURCHASE CODE", \.code.text), .left("STATUS", \.status.rawValue),
      .left("PRODUCT", \.request.product.text), .id("STORE TRANSACTION", \.storeTransactionID?.text),
      .time("CREATED AT", \.createdAt),
    ]).text(style: style, none: "No orders.")
  }

  /// Orders of several customers, with the instant at which each failed.
  static func report(_ page: OrdersPage, style: Style) -> String {
    page.orders.table([
      .time("FAILED AT", \.updatedAt), .id("CUSTOMER", \.request.customer.text), .id("PURCHASE CODE", \.code.text),
      .left("PRODUCT", \.request.product.text), .amount("QUANTITY", \.request.quantity),
      .time("CREATED AT", \.createdAt),
    ]).text(style: style, none: "No order failed in that time.") + next(page, style: style)
  }

  /// Paid orders with their tries.
  static func deliveries(_ page: OrdersPage, none: String, style: Style) -> String {
    page.orders.table([
      .id("PURCHASE CODE", \.code.text), .id("CUSTOMER", \.request.customer.text),
      .left("PRODUCT", \.request.product.text), .right("TRIES") { String($0.deliveryAttempts) },
      .time("NEXT TRY", none: "none", \.nextDeliveryAt), .id("STORE TRANSACTION", \.storeTransactionID?.text),
    ]).text(style: style, none: none) + next(page, style: style)
  }

  private static func next(_ page: OrdersPage, style: Style) -> String {
    page.next.map { style.dim("More: --after \($0)") + "\n" } ?? ""
  }
}
