#if Server
internal import GemLedger
internal import SystemHTTP

/// The endpoints that a project's events go out to.
enum WebhookEndpointRoutes {
  static var all: [Route] { [list, create, get, update, delete] }

  static let path = LedgerRoutes.project + "/integrations/webhooks"
  static let endpointPath = path + "/{webhook_integration_id}"

  private static let url = Schema.text(1...2048, pattern: "^[Hh][Tt][Tt][Pp][Ss]?://[^/?@#\\\\]+([/?][^#\\\\]*)?$")
  private static let name = Schema.Field("name", .nullable(.text(1...255)), "For people.")
  private static let authorization = Schema.Field(
    "authorization_header", .nullable(.text(1...1024, pattern: "^[\\x21-\\x7e]([\\x20-\\x7e]*[\\x21-\\x7e])?$")),
    "The value of the header Authorization of every message.")

  private static let list = Route(
    method: "GET", path: path, name: "list_webhook_integrations", summary: "Lists the endpoints, oldest first.",
    access: .secret(.webhooks), query: Page.parameters, answers: [200: .page(of: WebhookDocument.schema)],
    rate: .projectConfiguration,
    work: .now { (call) throws(LedgerError) in
      let store = call.project.webhooks.store
      var items: [(id: String, json: JSONValue)] = []
      for endpoint in try store.endpoints() {
        items.append((endpoint.id, try WebhookDocument.json(endpoint, in: store)))
      }
      return try Page(of: items, call, cursor: \.id, item: \.json).response(to: call)
    })

  private static let create = Route(
    method: "POST", path: path, name: "create_webhook_integration",
    summary: "Makes an endpoint, which gets the events from now on; its secret is in this answer only.",
    access: .secret(.webhooks.writing),
    body: .object([Schema.Field("url", url, "Where messages are posted to.", isRequired: true), name, authorization]),
    answers: [201: WebhookDocument.createdSchema], rate: .projectConfiguration,
    work: .now { (call) throws(LedgerError) in
      let webhooks = call.project.webhooks
      let endpoint = try webhooks.create(
        url: call.text("url") ?? "", name: call.text("name"), authorization: try authorization(of: call))
      var object = try WebhookDocument.json(endpoint, in: webhooks.store).object ?? JSONObject()
      object["secret"] = .string(endpoint.secret)
      return .json(201, .object(object))
    })

  private static let get = Route(
    method: "GET", path: endpointPath, name: "get_webhook_integration", summary: "Returns an endpoint.",
    access: .secret(.webhooks), answers: [200: WebhookDocument.schema], rate: .projectConfiguration,
    work: .now { (call) throws(LedgerError) in
      .json(200, try WebhookDocument.json(try call.endpoint(), in: call.project.webhooks.store))
    })

  private static let update = Route(
    method: "POST", path: endpointPath, name: "update_webhook_integration",
    summary: "Changes an endpoint; one that is active again goes on where it was.",
    access: .secret(.webhooks.writing),
    body: .object([
      Schema.Field("url", url, "Where messages are posted to."), name, authorization,
      Schema.Field("state", .word(WebhookEndpoint.State.allCases.map(\.rawValue)), "Whether messages are sent."),
    ]), answers: [200: WebhookDocument.schema], rate: .projectConfiguration,
    work: .now { (call) throws(LedgerError) in
      let store = call.project.webhooks.store
      let header = try authorization(of: call)
      if let url = call.text("url") { try call.project.webhooks.check(url: url) }
      let changed = try store.change(call.endpointID) { endpoint in
        if let url = call.text("url") { endpoint.url = url }
        if call.body["name"] != nil { endpoint.name = call.text("name") }
        if call.body["authorization_header"] != nil { endpoint.authorization = header }
        if let state = call.text("state").flatMap(WebhookEndpoint.State.init(rawValue:)) {
          (endpoint.state, endpoint.disabledReason) = (state, nil)
        }
      }
      guard let changed else { throw .noEndpoint(call.endpointID) }
      return .json(200, try WebhookDocument.json(changed, in: store))
    })

  private static let delete = Route(
    method: "DELETE", path: endpointPath, name: "delete_webhook_integration",
    summary: "Removes an endpoint with its dead letters.", access: .secret(.webhooks.writing),
    answers: [
      200: .object([
        .always("object", .word(["webhook_integration"])), .always("id", .text()), .always("deleted_at", .integer()),
      ])
    ], rate: .projectConfiguration,
    work: .now { (call) throws(LedgerError) in
      guard try call.project.webhooks.store.remove(call.endpointID) else { throw .noEndpoint(call.endpointID) }
      return .json(
        200,
        [
          "object": "webhook_integration", "id": .string(call.endpointID),
          "deleted_at": .integer(call.project.clock.now().milliseconds),
        ])
    })

  /// - Throws: `LedgerError` with `invalid_request` for a text that cannot be a header's value.
  private static func authorization(of call: Call) throws(LedgerError) -> String? {
    guard let text = call.text("authorization_header") else { return nil }
    guard text.utf8.allSatisfy({ (0x20...0x7E).contains($0) }), !text.hasPrefix(" "), !text.hasSuffix(" ") else {
      throw .parameter("authorization_header", "has to be printable ASCII without spaces at its ends")
    }
    return text
  }
}

extension Call {
  var endpointID: String { name("webhook_integration_id") }

  /// The endpoint of the path.
  ///
  /// - Throws: `LedgerError` with `endpoint_not_found`.
  func endpoint() throws(LedgerError) -> WebhookEndpoint {
    guard let endpoint = try project.webhooks.store.endpoint(endpointID) else { throw .noEndpoint(endpointID) }
    return endpoint
  }
}

extension LedgerError {
  static func noEndpoint(_ id: String) -> Self {
    Self(.endpointNotFound, "There is no webhook integration \"\(id.prefix(64))\" in this project.")
  }
}
#endif
