#if Server
internal import GemLedger
internal import StoreBackend
internal import SystemHTTP

/// The first step of a two-step purchase: the order, before the payment.
enum PaymentOpening {
  static var route: Route {
    Route(
      method: "POST", path: "\(PaymentRoutes.base)/init-payment", name: "init_payment",
      summary: "Announces a purchase before its payment, and names it.", access: .app, style: .payment,
      headers: [
        Parameter(
          Call.keyField, .text(1...IdempotencyKeyKind.byteCountMax), "The same request under the same key is one order."
        )
      ],
      body: .object(fields), answers: [200: answer], work: PaymentStatusCode.Step.initPayment.work(open))
  }

  private static let fields =
    [
      PaymentPlayer.field,
      Schema.Field("productId", .text(1...255), "The product's id at the store, or its code.", isRequired: true),
      Schema.Field("bundleId", .text(1...255), "The app.", isRequired: true),
      Schema.Field("paymentMethod", PaymentMethod.schema, "The store, if the key does not determine it."),
      Schema.Field("quantity", .integer(1...Limits.quantity), "The number of units; 1 by default."),
      Schema.Field("amount", .decimal, "The price of all units as shown by the app, to be checked."),
      Schema.Field("currency", .text(3...3, pattern: "^[A-Z]{3}$"), "Of the amount; VND by default."),
      Schema.Field("productName", .text(0...1000), "Ignored: the catalog has the name."),
      Schema.Field(
        "externalTransactionId", .text(1...255),
        "The store transaction that has paid already, as after a replay at launch; on Google Play the purchase token."),
      Schema.Field(
        "environment", .word(["Production", "Sandbox", "Xcode", "LocalTesting"]),
        "Of that transaction; without it the one in which the player has it, or else Production."),
      Schema.Field("testSession", .text(1...255), "Of that transaction, for Xcode and LocalTesting."),
    ] + context

  /// Data that is passed through to the history and the delivery, 8 KiB in total.
  static let context = [
    Schema.Field("gameId", .text(0...8192)), Schema.Field("roleId", .text(0...8192), "The character."),
    Schema.Field("roleName", .text(0...8192)), Schema.Field("serverGameId", .text(0...8192), "The game's server."),
    Schema.Field("rechargeType", .text(0...8192), "Such as IN_GAME."),
    Schema.Field("extraData", .text(0...8192), "Anything else."),
  ]

  private static let answer = Schema.object([
    PaymentAnswer.statusCode, PaymentAnswer.message, PaymentAnswer.purchaseCode, PaymentAnswer.paymentStatus,
    Schema.Field("expiresAt", .text(), "Until when it is to be paid.", isRequired: true),
  ])

  private static func open(_ call: Call) async throws(LedgerError) -> HTTPResponse {
    let order = try await call.open(try request(call))
    var answer = PaymentAnswer.object(PaymentStatusCode(opened: order))
    answer["purchaseCode"] = .string(order.code.text)
    answer["paymentStatus"] = .string(order.status.rawValue)
    answer["expiresAt"] = .string(order.deadline.description)
    return .json(200, .object(answer))
  }

  private static func request(_ call: Call) throws(LedgerError) -> OrderRequest {
    let body = call.body
    let store = try PaymentMethod.store(body["paymentMethod"], "paymentMethod", in: call)
    let player = try PaymentPlayer.required(body["sdkUserId"], for: .openOrder, in: call)
    let product = try product(body["productId"]?.text ?? "", at: store, in: call.project.ledger)
    return OrderRequest(
      customer: player, product: product, quantity: body["quantity"]?.integer ?? 1, store: store,
      bundleID: body["bundleId"]?.text ?? "", price: try PaymentAmount.read(body["amount"], currency: body["currency"]),
      context: context(of: body),
      key: try call.idempotencyKey(), paidBy: try paidTransaction(body, of: player, at: store, in: call.project.ledger))
  }

  static func context(of body: JSONObject) -> OrderContext {
    OrderContext(
      gameID: body["gameId"]?.text, roleID: body["roleId"]?.text, roleName: body["roleName"]?.text,
      serverID: body["serverGameId"]?.text, rechargeType: body["rechargeType"]?.text,
      extraData: body["extraData"]?.text)
  }

  /// Returns the product with this id at the store, or else with this code.
  static func product(_ id: String, at store: Store, in ledger: Ledger) throws(LedgerError) -> ProductCode {
    let products = try ledger.currentCatalog().products
    let sold = products.first { $0.storeIDs[store.description]?.hasBytes(of: id) == true }
    if let sold { return sold.code }
    return try ProductCode(id)
  }

  /// Returns the transaction in the body.
  ///
  /// SDKs that replay a transaction at launch do not send its environment; most replays are in the sandbox.
  private static func paidTransaction(
    _ body: JSONObject, of player: CustomerID, at store: Store, in ledger: Ledger
  ) throws(LedgerError) -> OrderRequest.PaidTransaction? {
    guard let text = body["externalTransactionId"]?.text else { return nil }
    let id = try StoreTransactionID(text)
    let session = body["testSession"]?.text ?? ""
    let environment: StoreEnvironment =
      switch body["environment"]?.text {
      case "Sandbox": .sandbox
      case "Xcode": try .xcode(session: session)
      case "LocalTesting": try .localTesting(session: session)
      case .some: .production
      case nil:
        try ledger.view { (view) throws(LedgerError) -> StoreEnvironment? in
          guard let customer = try view.customers.find(player) else { return nil }
          return try view.purchases.purchase(store: store, transactionID: id, of: customer)?.environment
        } ?? .production
      }
    return OrderRequest.PaidTransaction(environment: environment, id: id)
  }
}
#endif
