#if Server
internal import GemLedger
internal import SystemHTTP

/// The secrets that sign the messages to an endpoint.
enum WebhookSecretRoutes {
  static var all: [Route] { [rotate] }

  private static let rotate = Route(
    method: "POST", path: WebhookEndpointRoutes.endpointPath + "/actions/rotate_secret", name: "rotate_webhook_secret",
    summary: "Gives an endpoint a new secret, which only this answer contains; earlier secrets still sign for a while.",
    access: .secret(.webhooks.writing),
    body: .object([
      Schema.Field(
        "overlap_seconds", .integer(0...Webhooks.overlapSecondsMax),
        "How long earlier secrets keep signing; 0 if a secret has leaked. A day by default.")
    ]), answers: [200: WebhookDocument.rotatedSchema], rate: .projectConfiguration,
    work: .now { (call) throws(LedgerError) in
      let now = call.project.clock.now()
      let seconds = call.body["overlap_seconds"]?.integer ?? Webhooks.overlapSeconds
      let changed = try call.project.webhooks.rotateSecret(of: call.endpointID, at: now, overlapSeconds: seconds)
      var object = try WebhookDocument.json(changed, in: call.project).object ?? JSONObject()
      object["secret"] = .string(changed.secret)
      object["previous_secrets_end_at"] = .integer(now.advanced(milliseconds: seconds * 1000).milliseconds)
      return .json(200, .object(object))
    })
}
#endif
