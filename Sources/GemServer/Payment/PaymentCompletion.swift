#if Server
internal import GemLedger
internal import StoreBackend
internal import SystemHTTP

/// The second step of a two-step purchase: verifies, credits and delivers the receipt.
enum PaymentCompletion {
  static var route: Route {
    Route(
      method: "POST", path: "\(PaymentRoutes.base)/complete-payment", name: "complete_payment",
      summary: "Verifies and credits the receipt of an announced purchase, and delivers it.", access: .app,
      style: .payment, body: .object(fields), answers: [200: answer], takesPurchase: true,
      work: PaymentStatusCode.Step.completePayment.work(complete))
  }

  /// The longest receipt, in characters.
  static let receiptLengthMax = 32_768

  private static let fields = [
    PaymentPlayer.field, PaymentAnswer.purchaseCode,
    Schema.Field("receiptData", .text(1...receiptLengthMax), "The evidence as the store gave it.", isRequired: true),
    Schema.Field("externalTransactionId", .text(1...255), "Ignored: the receipt proves it."),
    Schema.Field("paymentMethod", PaymentMethod.schema, "Ignored: the order determines it."),
    Schema.Field("extraData", .text(0...8192), "Ignored: the announcement's value is passed through."),
  ]

  static let answer = Schema.object([
    PaymentAnswer.statusCode, PaymentAnswer.message,
    Schema.Field("purchaseCode", .nullable(.text()), "Names the order; null without one.", isRequired: true),
    PaymentAnswer.paymentStatus,
    Schema.Field("deliveryPending", .boolean, "Whether the game server is still to confirm.", isRequired: true),
    Schema.Field("productId", .nullable(.text()), "The product's id at the store.", isRequired: true),
    Schema.Field(
      "transactionId", .text(), "The store transaction; on Google Play the purchase token.", isRequired: true),
    Schema.Field("originalTransactionId", .text(), "The first one of the subscription.", isRequired: true),
  ])

  private static func complete(_ call: Call) async throws(LedgerError) -> HTTPResponse {
    let backend = call.project.backend
    let code = PurchaseCode(unchecked: call.body["purchaseCode"]?.text ?? "")
    let named = try PaymentPlayer.named(call.body["sdkUserId"], for: .postReceipt, in: call)
    let receipt = StoreReceipt(call.body["receiptData"]?.text ?? "")
    let order: Order
    do throws(LedgerError) { order = try backend.order(code) } catch {
      try await keep(receipt, of: named, for: code, call)
      throw error
    }
    // The receipt alone proves the purchase, so the sender does not matter. The order's player is credited, or the
    // buyer that the receipt names. A receipt that does not match the order is delivered under a separate order.
    let post = ReceiptPost(
      receipt: receipt, customer: named ?? order.request.customer, source: .purchase, orderSearch: .findOrOpen)
    let answer = try await ReceiptIntake(call, order: code, store: order.request.store).answer(post)
    try await giveUp(order, answer, backend)
    return .json(200, .object(json(answer)))
  }

  /// Stores a receipt for an unknown order, since it may have been paid.
  ///
  /// - Throws: Errors after which the receipt may be lost.
  private static func keep(
    _ receipt: StoreReceipt, of player: CustomerID?, for code: PurchaseCode, _ call: Call
  ) async throws(LedgerError) {
    let post = ReceiptPost(receipt: receipt, customer: player ?? CustomerID(unchecked: "nobody"), source: .purchase)
    do throws(LedgerError) { _ = try await ReceiptIntake(call, order: code).answer(post) } catch {
      guard !error.code.meansNothingIsKnown else { throw error }
    }
  }

  /// Fails an order that an app announced to replay a payment for an earlier order.
  ///
  /// If a receipt for the failed order is posted later, it is still credited, and the order succeeds.
  private static func giveUp(
    _ order: Order, _ answer: ReceiptAnswer, _ backend: LocalBackend
  ) async throws(LedgerError) {
    guard order.status == .pending, let paid = answer.order, paid.isReplayed, paid.code != order.code,
      paid.request.product == order.request.product, paid.request.quantity == order.request.quantity,
      paid.request.customer == order.request.customer
    else { return }
    _ = try await backend.cancelPayment(order.code)
  }

  static func json(_ answer: ReceiptAnswer) -> JSONObject {
    let (order, purchase) = (answer.order, answer.purchase)
    var object = PaymentAnswer.object(PaymentStatusCode(completed: answer))
    object["purchaseCode"] = JSONValue(order?.code.text)
    object["paymentStatus"] = .string((order?.status ?? .success).rawValue)
    object["deliveryPending"] = .bool(order?.status == .deliveryPending)
    object["productId"] = JSONValue(order?.storeProductID ?? purchase.storeProductID)
    object["transactionId"] = .string(purchase.clientTransactionID.text)
    object["originalTransactionId"] = .string(purchase.originalTransactionID.text)
    return object
  }
}
#endif
