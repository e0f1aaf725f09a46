#if Server
internal import GemLedger
internal import StoreBackend
internal import SystemHTTP

/// The orders announced by a player, in the form of two-step SDKs.
enum PaymentHistory {
  static var route: Route {
    Route(
      method: "GET", path: "\(PaymentRoutes.base)/", name: "list_payments",
      summary: "The orders that the player announced, newest first.", access: .app, style: .payment,
      query: [
        Parameter("page", .integer(1...1_000_000), "From 1, the default."),
        Parameter("limit", .integer(1...100), "The number of orders per page; 20 by default."), PaymentPlayer.parameter,
      ],
      answers: [200: answer],
      work: PaymentStatusCode.Step.history.work { (call) throws(LedgerError) in try list(call) })
  }

  private static let answer = Schema.object([
    PaymentAnswer.statusCode, PaymentAnswer.message,
    Schema.Field("data", .list(.object(fields)), "Empty after the last page.", isRequired: true),
    Schema.Field("page", .integer(1...1_000_000), isRequired: true),
    Schema.Field("limit", .integer(1...100), isRequired: true),
  ])

  private static let fields =
    ["_id", "code", "gameUserId", "bundleId", "type", "createdAt", "updatedAt"].map {
      Schema.Field($0, .text(), isRequired: true)
    }
    + [
      "productId", "rechargeType", "transactionId", "originalTransactionId", "roleId", "roleName", "serverGameId",
      "gameId",
    ].map { Schema.Field($0, .nullable(.text()), isRequired: true) } + [
      PaymentAnswer.paymentStatus,
      Schema.Field(
        "amount", .nullable(.decimal), "The price of all units: paid, else announced, else the catalog's.",
        isRequired: true),
      Schema.Field("currency", .nullable(.text(3...3)), "Of the amount.", isRequired: true),
    ]

  private static func list(_ call: Call) throws(LedgerError) -> HTTPResponse {
    let player = try PaymentPlayer.required(call.query["sdkUserId"], for: .listOrders, in: call)
    let page = Int(call.query["page"]?.integer ?? 1)
    var (orders, code): ([Order], PaymentStatusCode) = ([], .success)
    do throws(LedgerError) {
      orders = try call.project.backend.orders(of: player, page: page, size: call.limit)
    } catch {
      // A player without orders is not an error.
      guard error.code == .customerNotFound else { throw error }
      code = .notFound
    }
    let products = try call.project.ledger.currentCatalog().products
    var answer = PaymentAnswer.object(code)
    answer["data"] = .array(orders.map { json($0, products: products) })
    answer["page"] = .integer(Int64(page))
    answer["limit"] = .integer(Int64(call.limit))
    return .json(200, .object(answer))
  }

  private static func json(_ order: Order, products: [Product]) -> JSONValue {
    let (context, price) = (order.request.context, price(of: order, products: products))
    return [
      "_id": .string(order.code.text), "code": .string(order.code.text),
      "gameUserId": .string(order.request.customer.text), "productId": JSONValue(order.storeProductID),
      "bundleId": .string(order.bundleID), "type": .string(PaymentMethod.word(for: order.request.store)),
      "rechargeType": JSONValue(context.rechargeType), "paymentStatus": .string(status(of: order).rawValue),
      "amount": PaymentAmount.json(price), "currency": JSONValue(price?.currency),
      "transactionId": JSONValue(order.storeTransactionID?.text),
      "originalTransactionId": JSONValue(order.originalTransactionID?.text), "roleId": JSONValue(context.roleID),
      "roleName": JSONValue(context.roleName), "serverGameId": JSONValue(context.serverID),
      "gameId": JSONValue(context.gameID), "createdAt": .string(order.createdAt.description),
      "updatedAt": .string(order.updatedAt.description),
    ]
  }

  /// Returns the status for two-step SDKs, which expect `failed` if the game server confirmed none of the tries.
  ///
  /// The credit remains, and a delivery started by an operator can still succeed.
  static func status(of order: Order) -> Order.Status { order.isDeliveryExhausted ? .failed : order.status }

  /// Returns the paid price of the order, else the announced price, else the catalog's.
  private static func price(of order: Order, products: [Product]) -> Money? {
    if let price = order.paidPrice ?? order.request.price { return price }
    guard let storefront = StorefrontCode(exactly: PaymentAmount.storefront),
      let price = products.first(where: { $0.code == order.request.product })?.prices[storefront]
    else { return nil }
    let (total, overflow) = price.minorUnits.multipliedReportingOverflow(by: order.request.quantity)
    return overflow ? nil : Money(minorUnits: total, currency: price.currency.code)
  }
}
#endif
