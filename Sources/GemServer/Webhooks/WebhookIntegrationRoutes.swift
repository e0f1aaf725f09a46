#if Server
internal import GemLedger
internal import SystemHTTP

/// Webhooks in RevenueCat's form: the endpoints of ``WebhookEndpointRoutes`` with RevenueCat's members.
enum WebhookIntegrationRoutes {
  static var all: [Route] { [list, create, get, update, delete] }

  private static let path = LedgerRoutes.project + "/integrations/webhooks"
  private static let onePath = path + "/{webhook_integration_id}"

  private static let list = Route(
    method: "GET", path: path, name: "list_webhook_integrations", summary: "Lists the webhooks, oldest first.",
    access: .secret(.webhooks), query: Page.parameters, answers: [200: .page(of: WebhookDocument.integrationSchema)],
    rate: .projectConfiguration,
    work: .now { (call) throws(LedgerError) in
      try Page(of: call.project.webhooks.store.endpoints(), call, cursor: \.id) {
        WebhookDocument.integration($0, of: call.project)
      }.response(to: call)
    })

  private static let create = Route(
    method: "POST", path: path, name: "create_webhook_integration",
    summary: "Makes a webhook, which gets the events from now on. The secret of its signatures: rotate_webhook_secret.",
    access: .secret(.webhooks.writing), body: .object(WebhookForm.fields(urlIsRequired: true)),
    answers: [201: WebhookDocument.integrationSchema], rate: .projectConfiguration,
    work: .now { (call) throws(LedgerError) in
      .json(
        201, WebhookDocument.integration(try WebhookForm(call.body).create(in: call.project.webhooks), of: call.project)
      )
    })

  private static let get = Route(
    method: "GET", path: onePath, name: "get_webhook_integration", summary: "One webhook.",
    access: .secret(.webhooks), answers: [200: WebhookDocument.integrationSchema], rate: .projectConfiguration,
    work: .now { (call) throws(LedgerError) in
      .json(200, WebhookDocument.integration(try call.endpoint(), of: call.project))
    })

  private static let update = Route(
    method: "POST", path: onePath, name: "update_webhook_integration", summary: "Changes the given members.",
    access: .secret(.webhooks.writing), body: .object(WebhookForm.fields(urlIsRequired: false)),
    answers: [200: WebhookDocument.integrationSchema], rate: .projectConfiguration,
    work: .now { (call) throws(LedgerError) in
      .json(
        200,
        WebhookDocument.integration(
          try WebhookForm(call.body).change(call.endpointID, in: call.project.webhooks), of: call.project))
    })

  private static let delete = Route(
    method: "DELETE", path: onePath, name: "delete_webhook_integration", summary: "Removes a webhook.",
    access: .secret(.webhooks.writing), answers: [200: RESTSchemas.deleted("webhook_integration")],
    rate: .projectConfiguration,
    work: .now { (call) throws(LedgerError) in try WebhookDocument.remove(call, "webhook_integration") })
}
#endif
