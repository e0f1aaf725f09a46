#if Server
internal import GemLedger
internal import Synchronization
internal import SystemHTTP

// The controls of Google's simulated servers.
extension SimulatorRoutes {
  /// Empty if the simulated store is no Google Play.
  var googleControls: [Route] {
    guard let google else { return [] }
    return [
      Self.serviceAccount(self, google), Self.notifications(self, google), Self.addLine(self, google),
      Self.listGoogleFaults(self, google), Self.addGoogleFault(self, google), Self.clearGoogleFaults(self, google),
    ]
  }

  private static func serviceAccount(_ routes: SimulatorRoutes, _ google: SimulatedGoogle) -> Route {
    routes.route(
      "GET", "/google/service-account.json", "get_simulated_service_account",
      "Returns the key file of the service account, whose token_uri is this server.",
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

  // MARK: Faults

  private static let faultFields: [Schema.Field] = [
    Schema.Field(
      "call", .nullable(.word(SimulatedGoogle.Call.allCases.map(\.rawValue))), "Which call; null for every call."),
    Schema.Field(
      "status", .nullable(.integer(400...503)),
      "What the call is refused with: 400, 401, 403, 404, 409, 410, 429, 500 or 503; null for a delay alone."),
    Schema.Field(
      "delay_milliseconds", .integer(0...SimulatedGoogle.Fault.delayMax), "How long the answer takes; 0 by default."),
    Schema.Field(
      "after", .boolean, "Whether the work is done before it is refused, as if the answer were lost."),
    Schema.Field("times", .integer(1...SimulatedGoogle.Fault.timesMax), "At how many calls; 1 by default."),
  ]

  private static let faultAnswer = Schema.object(
    [.always("object", .word(["simulator.google_fault"]))]
      + faultFields.map { Schema.Field($0.name, $0.schema, $0.help, isRequired: true) })

  private static func listGoogleFaults(_ routes: SimulatorRoutes, _ google: SimulatedGoogle) -> Route {
    routes.route(
      "GET", "/google/faults", "list_simulated_google_faults", "Lists the faults of Google's servers still to occur.",
      query: Page.parameters, answer: SimulatorSchemas.list(of: faultAnswer)
    ) { (_, call) async throws(LedgerError) in try list(google, call) }
  }

  private static func addGoogleFault(_ routes: SimulatorRoutes, _ google: SimulatedGoogle) -> Route {
    routes.route(
      "POST", "/google/faults", "add_simulated_google_fault",
      "Lets calls to Google's servers go wrong: slow, refused, or done with the answer lost.",
      body: .object(faultFields), answer: faultAnswer
    ) { (_, call) async throws(LedgerError) in
      let status = call.body["status"]?.integer
      guard status.map(SimulatedGoogle.Fault.statuses.contains) ?? true else {
        throw .parameter("status", "is none of Google's: 400, 401, 403, 404, 409, 410, 429, 500, 503")
      }
      let fault = SimulatedGoogle.Fault(
        call: call.body["call"]?.text.flatMap(SimulatedGoogle.Call.init), status: status,
        delayMilliseconds: call.body["delay_milliseconds"]?.integer ?? 0,
        isAfterWork: call.body["after"]?.bool ?? false, times: call.body["times"]?.integer ?? 1)
      guard fault.status != nil || fault.delayMilliseconds > 0 else {
        throw .parameter("status", "is missing, and there is no delay")
      }
      let hasRoom = google.state.withLock { state in
        guard state.faults.count < faultsMax else { return false }
        state.faults.append(fault)
        return true
      }
      guard hasRoom else { throw .parameter("call", "has too many faults; clear them first") }
      return .json(200, document(fault))
    }
  }

  private static let faultsMax = 1000

  private static func clearGoogleFaults(_ routes: SimulatorRoutes, _ google: SimulatedGoogle) -> Route {
    routes.route(
      "DELETE", "/google/faults", "clear_simulated_google_faults", "Ends all faults of Google's servers.",
      query: Page.parameters, answer: SimulatorSchemas.list(of: faultAnswer)
    ) { (_, call) async throws(LedgerError) in
      google.state.withLock { $0.faults = [] }
      return try list(google, call)
    }
  }

  /// Faults have no ids: the cursor is the place in the list.
  private static func list(_ google: SimulatedGoogle, _ call: Call) throws(LedgerError) -> HTTPResponse {
    let faults = google.state.withLock { $0.faults }
    return try Page(of: Array(faults.enumerated()), call, cursor: { "\($0.offset)" }) { document($0.element) }
      .response(to: call)
  }

  private static func document(_ fault: SimulatedGoogle.Fault) -> JSONValue {
    [
      "object": "simulator.google_fault", "call": JSONValue(fault.call?.rawValue), "status": JSONValue(fault.status),
      "delay_milliseconds": .integer(fault.delayMilliseconds), "after": .bool(fault.isAfterWork),
      "times": .integer(fault.times),
    ]
  }
}
#endif
