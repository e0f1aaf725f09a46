#if Server
internal import GemLedger
internal import SystemHTTP

/// The endpoints of a project's events, with all their settings.
enum WebhookEndpointRoutes {
  static var all: [Route] { [list, create, get, update, delete] }

  static let path = LedgerRoutes.project + "/webhook_endpoints"
  static let endpointPath = path + "/{webhook_endpoint_id}"

  private static let list = Route(
    method: "GET", path: path, name: "list_webhook_endpoints", summary: "Lists the endpoints, oldest first.",
    access: .secret(.webhooks), query: Page.parameters, answers: [200: .page(of: WebhookDocument.schema)],
    rate: .projectConfiguration,
    work: .now { (call) throws(LedgerError) in
      var items: [(id: String, json: JSONValue)] = []
      for endpoint in try call.project.webhooks.store.endpoints() {
        items.append((endpoint.id, try WebhookDocument.json(endpoint, in: call.project)))
      }
      return try Page(of: items, call, cursor: \.id, item: \.json).response(to: call)
    })

  private static let create = Route(
    method: "POST", path: path, name: "create_webhook_endpoint",
    summary: "Makes an endpoint, which gets the events from now on; its secret is in this answer only.",
    access: .secret(.webhooks.writing),
    body: .object(WebhookForm.fields(urlIsRequired: true)),
    answers: [201: WebhookDocument.createdSchema], rate: .projectConfiguration,
    work: .now { (call) throws(LedgerError) in
      let endpoint = try WebhookForm(call.body).create(in: call.project.webhooks)
      var object = try WebhookDocument.json(endpoint, in: call.project).object ?? JSONObject()
      object["secret"] = .string(endpoint.secret)
      return .json(201, .object(object))
    })

  private static let get = Route(
    method: "GET", path: endpointPath, name: "get_webhook_endpoint", summary: "Returns an endpoint.",
    access: .secret(.webhooks), answers: [200: WebhookDocument.schema], rate: .projectConfiguration,
    work: .now { (call) throws(LedgerError) in
      .json(200, try WebhookDocument.json(try call.endpoint(), in: call.project))
    })

  private static let update = Route(
    method: "POST", path: endpointPath, name: "update_webhook_endpoint",
    summary: "Changes an endpoint; after reactivation the delivery resumes at its cursor.",
    access: .secret(.webhooks.writing),
    body: .object(WebhookForm.fields(urlIsRequired: false) + [WebhookForm.state]),
    answers: [200: WebhookDocument.schema], rate: .projectConfiguration,
    work: .now { (call) throws(LedgerError) in
      .json(
        200,
        try WebhookDocument.json(
          try WebhookForm(call.body).change(call.endpointID, in: call.project.webhooks), in: call.project))
    })

  private static let delete = Route(
    method: "DELETE", path: endpointPath, name: "delete_webhook_endpoint",
    summary: "Removes an endpoint with its dead letters.", access: .secret(.webhooks.writing),
    answers: [200: RESTSchemas.deleted("webhook_endpoint")], rate: .projectConfiguration,
    work: .now { (call) throws(LedgerError) in try WebhookDocument.remove(call, "webhook_endpoint") })
}
#endif
