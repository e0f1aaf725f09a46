#if Server
internal import GemLedger
internal import StoreBackend
internal import SystemHTTP

/// The single-call purchase, which older apps still use.
///
/// **It still credits.** The player has already paid, so refusing the receipt would lose the purchase. The order is
/// announced here with the app's data, so that the purchase is delivered and listed like any other. The answer's
/// `Deprecation` field (RFC 9745) and its message mark the path as deprecated.
enum SingleCallPayment {
  static var apple: Route { route("apple", "purchase_apple", .apple) }
  static var google: Route { route("google", "purchase_google", .google) }

  private static func route(_ path: String, _ name: String, _ store: Store) -> Route {
    Route(
      method: "POST", path: "\(PaymentRoutes.base)/\(path)", name: name,
      summary: "Credits a receipt without an announced order. Use init-payment and complete-payment.",
      access: .app, style: .payment, body: .object(fields), answers: [200: PaymentCompletion.answer],
      takesPurchase: true, isDeprecated: true,
      work: PaymentStatusCode.Step.completePayment.work { (call) throws(LedgerError) in
        try await credit(call, at: store)
      })
  }

  private static let fields =
    [
      PaymentPlayer.field,
      Schema.Field(
        "receiptData", .text(1...PaymentCompletion.receiptLengthMax), "The evidence as the store gave it.",
        isRequired: true),
      Schema.Field("externalTransactionId", .text(1...200), "The store transaction; a retry has the same one."),
      Schema.Field("productId", .text(1...255), "The product's id at the store."),
      Schema.Field("productName", .text(0...1000), "Ignored."),
      Schema.Field("bundleId", .text(1...255), "The app."),
      Schema.Field("amount", .decimal, "Ignored: the receipt states the price."),
      Schema.Field("currency", .text(3...3), "Ignored."),
      Schema.Field("paymentMethod", PaymentMethod.schema, "Ignored: the path determines it."),
    ] + PaymentOpening.context

  /// The date of the deprecation: 2026-05-04.
  private static let deprecatedSince = "@1777852800"

  private static func credit(_ call: Call, at store: Store) async throws(LedgerError) -> HTTPResponse {
    let player = try PaymentPlayer.required(call.body["sdkUserId"], for: .postReceipt, in: call)
    let code = try await announce(call, at: store, by: player)
    let post = ReceiptPost(
      receipt: StoreReceipt(call.body["receiptData"]?.text ?? ""), customer: player, source: .purchase,
      orderSearch: .findOrOpen)
    let answer = try await ReceiptIntake(call, order: code, store: store).answer(post)
    var body = PaymentCompletion.json(answer)
    body["message"] = .string(
      "This path is deprecated and stays for old apps: use init-payment and complete-payment.")
    var response = HTTPResponse.json(200, .object(body))
    response.headers.append(("Deprecation", deprecatedSince))
    response.headers.append(("Link", "<\(PaymentRoutes.base)/init-payment>; rel=\"successor-version\""))
    return response
  }

  /// Returns the order that the call pays, announced now or by an earlier try of the call.
  ///
  /// Returns nil if the order cannot be announced, since that must not prevent the credit of the receipt.
  private static func announce(
    _ call: Call, at store: Store, by player: CustomerID
  ) async throws(LedgerError) -> PurchaseCode? {
    let body = call.body
    guard let transaction = body["externalTransactionId"]?.text, let id = body["productId"]?.text,
      let bundleID = body["bundleId"]?.text
    else { return nil }
    do throws(LedgerError) {
      let product = try PaymentOpening.product(id, at: store, in: call.project.ledger)
      let request = OrderRequest(
        customer: player, product: product, store: store, bundleID: bundleID, context: PaymentOpening.context(of: body),
        key: try IdempotencyKey("single-call/\(store)/\(transaction)"))
      return try await call.open(request).code
    } catch {
      guard error.isRefusal else { throw error }
      return nil
    }
  }
}
#endif
