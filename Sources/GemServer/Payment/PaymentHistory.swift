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
    Schema.Field("data", .list(form.schema), "Empty after the last page.", isRequired: true),
    Schema.Field("page", .integer(1...1_000_000), isRequired: true),
    Schema.Field("limit", .integer(1...100), isRequired: true),
  ])

  private struct PricedOrder {
    let order: Order
    let price: Money?
  }

  private static let form = JSONForm<PricedOrder>([
    .always("_id", \.order.code, .anyIdentifier()), .always("code", \.order.code, .anyIdentifier()),
    .always("gameUserId", \.order.request.customer, .anyIdentifier()),
    .always("productId", \.order.storeProductID, .nullable(.text())), .always("bundleId", \.order.bundleID, .text()),
    .always("type", { PaymentMethod.word(for: $0.order.request.store) }, .text()),
    .always("rechargeType", \.order.request.context.rechargeType, .nullable(.text())),
    .always(
      "paymentStatus", { status(of: $0.order) }, .word(Order.Status.allCases, \.rawValue), "The status of the order."),
    .always(
      "amount", \.price, .amount, "The price of all units: paid, else announced, else the catalog's."),
    .always("currency", \.price?.currency, .nullable(.text(3...3)), "Of the amount."),
    .always("transactionId", \.order.storeTransactionID, .nullable(.anyIdentifier())),
    .always("originalTransactionId", \.order.originalTransactionID, .nullable(.anyIdentifier())),
    .always("roleId", \.order.request.context.roleID, .nullable(.text())),
    .always("roleName", \.order.request.context.roleName, .nullable(.text())),
    .always("serverGameId", \.order.request.context.serverID, .nullable(.text())),
    .always("gameId", \.order.request.context.gameID, .nullable(.text())),
    .always("createdAt", \.order.createdAt.description, .text()),
    .always("updatedAt", \.order.updatedAt.description, .text()),
  ])

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
    answer["data"] = .array(orders.map { form.json(PricedOrder(order: $0, price: price(of: $0, products: products))) })
    answer["page"] = .integer(Int64(page))
    answer["limit"] = .integer(Int64(call.limit))
    return .json(200, .object(answer))
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
