#if Server
internal import GemLedger
internal import SystemHTTP

// The controls of Google's simulated servers.
extension SimulatorRoutes {
  /// Empty if the simulated store is no Google Play.
  var googleControls: [Route] {
    guard let google else { return [] }
    return [
      Self.serviceAccount(self, google), Self.notifications(self, google), Self.addLine(self, google),
    ]
  }

  private static func serviceAccount(_ routes: SimulatorRoutes, _ google: SimulatedGoogle) -> Route {
    routes.route(
      "GET", "/google/service-account.json", "get_simulated_service_account",
      "Returns the key file of the service account with this server as its token_uri.",
      answer: .object([
        .always("type", .word(["service_account"])), .always("client_email", .text()),
        .always("private_key", .text()), .always("private_key_id", .text()), .always("token_uri", .text()),
        .always("project_id", .text()), .always("client_id", .text()), .always("auth_uri", .text()),
        .always("universe_domain", .text()),
      ])
    ) { (_, call) async throws(LedgerError) in
      .json(200, .object(try google.serviceAccount(host: call.request.headers["Host"] ?? "127.0.0.1")))
    }
  }

  private static func notifications(_ routes: SimulatorRoutes, _ google: SimulatedGoogle) -> Route {
    routes.route(
      "POST", "/google/notifications", "push_simulated_notifications",
      "Pushes real-time developer notifications to an address from now on, as Pub/Sub does, and those that wait.",
      body: .object([
        Schema.Field(
          "url", .nullable(.text(1...2000)), "Such as /v1/incoming-webhooks/google/default of a server; null for none.",
          isRequired: true)
      ]),
      answer: .object([
        .always("object", .word(["simulator.google_notifications"])), .always("url", .nullable(.text())),
        SimulatorSchemas.noticeError,
      ])
    ) { (simulator, call) async throws(LedgerError) in
      let url = call.body["url"]?.text
      try google.push(to: url)
      let outcome = try await simulator.control { () }
      return .json(
        200,
        [
          "object": "simulator.google_notifications", "url": JSONValue(url),
          "notice_error": outcome.noticeFailure.map(SimulatorDocument.error) ?? .null,
        ])
    }
  }

  private static func addLine(_ routes: SimulatorRoutes, _ google: SimulatedGoogle) -> Route {
    routes.route(
      "POST", "/google/line_items", "add_simulated_line_item",
      "Adds a product to a purchase, as if its payment had been for both: Google's servers state both from now on.",
      body: .object([
        Schema.Field("store_transaction_id", .text(1...4096), "The purchase token.", isRequired: true),
        Schema.Field("product_id", .text(1...255), "The catalog's code of the product.", isRequired: true),
        Schema.Field("quantity", .integer(1...Limits.quantity), "1 by default."),
      ]),
      answer: .object([
        .always("object", .word(["simulator.google_line_item"])), .always("store_transaction_id", .text()),
        .always("product_id", .text()), .always("store_product_id", .text()), .always("quantity", .integer()),
      ])
    ) { (simulator, call) async throws(LedgerError) in
      let token = try StoreTransactionID(call.body["store_transaction_id"]?.text ?? "")
      let product = try ProductCode(call.body["product_id"]?.text ?? "")
      let line = SimulatedGoogle.Line(
        productID: try simulator.storeProductID(of: product), quantity: call.body["quantity"]?.integer ?? 1)
      try google.add(line, to: token)
      return .json(
        200,
        [
          "object": "simulator.google_line_item", "store_transaction_id": .string(token.text),
          "product_id": .string(product.text), "store_product_id": .string(line.productID),
          "quantity": .integer(line.quantity),
        ])
    }
  }
}
#endif
