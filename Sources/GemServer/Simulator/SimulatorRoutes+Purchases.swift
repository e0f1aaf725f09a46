#if Server
internal import GemLedger
internal import SimulatedStores
internal import StoreBackend
internal import SystemHTTP

extension SimulatorRoutes {
  static let purchasePath = "/purchases/{store_transaction_id}"

  var purchases: [Route] { [pay, list, get] }

  private var pay: Route {
    route(
      "POST", "/purchases", "simulate_purchase",
      "Lets a customer pay. Nothing is credited until the receipt is posted, and nothing is finished.",
      body: .object([
        Schema.Field("product_id", .text(1...255), "The catalog's code of the product.", isRequired: true),
        Schema.Field("app_user_id", .text(1...1500), "The buying customer.", isRequired: true),
        Schema.Field("quantity", .integer(1...Limits.quantity), "1 by default; stores sell fewer at once."),
        Schema.Field("store_account", .text(1...255), "The account that pays; by default one of the customer's id."),
        Schema.Field("device", .text(1...255), "The device's name; \"device\" by default."),
        Schema.Field("ask_to_buy", .boolean, "Whether the purchase waits for approval or for a late payment."),
        Schema.Field("fail", .word(StoreFault.Effect.paymentWords), "The fault of this payment."),
        Schema.Field("deliver", .boolean, "Whether the server posts the receipt and finishes the purchase."),
      ]), answer: SimulatorSchemas.receipt
    ) { (simulator, call) async throws(LedgerError) in
      let payment = try Self.payment(in: call.body)
      let receipt = try await simulator.pay(payment)
      let outcome = try await simulator.control { receipt }
      return .json(200, SimulatorDocument.receipt(outcome, of: payment))
    }
  }

  private static func payment(in body: JSONObject) throws(LedgerError) -> Simulator.Payment {
    let customer = try CustomerID(body["app_user_id"]?.text ?? "")
    var fault = body["fail"]?.text.flatMap { StoreFault.Effect(word: $0, delay: .zero) }
    if body["ask_to_buy"]?.bool == true {
      guard fault == nil else { throw .parameter("fail", "and \"ask_to_buy\" exclude each other") }
      fault = .askToBuy
    }
    return Simulator.Payment(
      product: try ProductCode(body["product_id"]?.text ?? ""), customer: customer,
      quantity: body["quantity"]?.integer ?? 1, account: body["store_account"]?.text ?? customer.text,
      device: body["device"]?.text ?? "device", fault: fault, isDelivered: body["deliver"]?.bool ?? false)
  }

  private var list: Route {
    route(
      "GET", "/purchases", "list_simulated_purchases", "Lists the store's purchases and attempts, newest first.",
      query: [Parameter("store_account", .text(1...1500), "Only of this account.")] + Page.parameters,
      answer: Schema.page(of: SimulatorSchemas.purchase)
    ) { (simulator, call) async throws(LedgerError) in
      let account = call.query["store_account"]?.text
      let found = simulator.shop.transactions().filter { one in account.map { one.account.hasBytes(of: $0) } ?? true }
      let codes = try SimulatorDocument.Codes(simulator)
      return try Page(of: found.reversed(), call, cursor: \.id.text) { .object(SimulatorDocument.purchase($0, codes)) }
        .response(to: call)
    }
  }

  private var get: Route {
    route(
      "GET", Self.purchasePath, "get_simulated_purchase", "Returns a purchase, with the receipt as it is signed now.",
      answer: SimulatorSchemas.purchaseWithReceipt
    ) { (simulator, call) async throws(LedgerError) in
      let one = try simulator.purchase(try call.storeTransactionID())
      return .json(200, try SimulatorDocument.purchase(one, simulator))
    }
  }

  // MARK: Actions

  var actions: [Route] {
    [
      action("approve", "Approves a pending purchase: it is paid for.") { _ in .approve },
      action("decline", "Declines a pending purchase, which ends unpaid.") { _ in .decline },
      action("resolve", "Resolves the issue of an interrupted purchase: it is paid for.") { _ in .resolve },
      action(
        "refund", "Refunds a purchase, in full by default, and notifies the backend.",
        body: .object([
          Schema.Field("percent", .nullable(.integer(1...100)), "Which part, at the App Store."),
          Schema.Field("quantity", .nullable(.integer(1...Limits.quantity)), "The number of units."),
        ])
      ) { (body) throws(LedgerError) in .refund(try Self.extent(in: body)) },
      action("reverse_refund", "Reverses a refund and notifies the backend.") { _ in .reverseRefund },
      action("redeliver", "Delivers a purchase again, finished or not: its receipt can be posted again.") { _ in
        .redeliver
      },
      action(
        "finish", "Finishes the credited purchase at the store, as its app does; the product can then be bought again.",
        body: .object([Schema.Field("device", .nullable(.text(1...255)), "The device's name; \"device\" by default.")])
      ) { body in .finish(device: body["device"]?.text ?? "device") },
    ]
  }

  private func action(
    _ verb: String, _ summary: String, body: Schema? = nil,
    _ action: @escaping @Sendable (JSONObject) throws(LedgerError) -> Simulator.Action
  ) -> Route {
    route(
      "POST", "\(Self.purchasePath)/actions/\(verb)", "\(verb)_simulated_purchase", summary, body: body,
      answer: SimulatorSchemas.purchaseWithReceipt
    ) { (simulator, call) async throws(LedgerError) in
      let outcome = try await simulator.act(try action(call.body), on: try call.storeTransactionID())
      return .json(
        200, try SimulatorDocument.purchase(outcome.value, simulator, noticeFailure: outcome.noticeFailure))
    }
  }

  private static func extent(in body: JSONObject) throws(LedgerError) -> StoreTransaction.Revocation.Extent {
    switch (body["percent"]?.integer, body["quantity"]?.integer) {
    case (nil, nil): return .full
    case (let percent?, nil): return percent == 100 ? .full : .milliPercent(percent * 1000)
    case (nil, let units?): return .quantity(units)
    case (_?, _?): throw .parameter("quantity", "and \"percent\" exclude each other")
    }
  }
}

extension Call {
  /// Returns the transaction in the path.
  ///
  /// - Throws: `LedgerError` with `invalid_identifier`.
  fileprivate func storeTransactionID() throws(LedgerError) -> StoreTransactionID {
    try StoreTransactionID(name("store_transaction_id"))
  }
}
#endif
