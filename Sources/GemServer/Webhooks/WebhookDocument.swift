#if Server
internal import GemLedger
internal import SystemHTTP

/// The JSON form of an endpoint.
enum WebhookDocument {
  static func json(_ endpoint: WebhookEndpoint, in project: ServerProject) throws(LedgerError) -> JSONValue {
    let queue = try project.webhooks.store.queue(endpoint.id)?.queue
    var object = members("webhook_endpoint", endpoint, of: project)
    object["name"] = JSONValue(endpoint.name)
    object["has_authorization_header"] = .bool(endpoint.authorization != nil)
    object["state"] = .string(endpoint.state.rawValue)
    object["disabled_reason"] = JSONValue(endpoint.disabledReason)
    object["cursor"] = JSONValue(queue?.cursor.description)
    object["waiting"] = .integer(Int64(queue?.waiting.count ?? 0))
    object["down_since"] = JSONValue(queue?.outage?.since.milliseconds)
    return .object(object)
  }

  /// The endpoint in RevenueCat's form, in which each webhook has a name.
  static func integration(_ endpoint: WebhookEndpoint, of project: ServerProject) -> JSONValue {
    .object(members("webhook_integration", endpoint, of: project))
  }

  private static func members(
    _ object: String, _ endpoint: WebhookEndpoint, of project: ServerProject
  ) -> JSONObject {
    JSONObject(
      [
        ("object", .string(object)), ("id", .string(endpoint.id)), ("project_id", .string(project.id)),
        ("name", .string(endpoint.name ?? endpoint.url)), ("url", .string(endpoint.url)),
      ] + endpoint.filter.members + [("created_at", .integer(endpoint.createdAt.milliseconds))])
  }

  /// Removes the endpoint of the path.
  ///
  /// - Throws: `LedgerError` with `endpoint_not_found`.
  static func remove(_ call: Call, _ object: String) throws(LedgerError) -> HTTPResponse {
    guard try call.project.webhooks.store.remove(call.endpointID) else { throw .noEndpoint(call.endpointID) }
    return RESTSchemas.deletedAnswer(object, id: call.endpointID, at: call.project.clock.now())
  }

  static func json(_ waiting: WebhookQueue.Waiting) -> JSONValue {
    delivery(
      waiting.transaction, state: "waiting", failures: waiting.failures,
      reason: waiting.reason.isEmpty ? nil : waiting.reason, next: waiting.next, failedAt: nil)
  }

  static func json(_ letter: DeadLetter) -> JSONValue {
    delivery(
      letter.transaction, state: "dead", failures: letter.failures, reason: letter.reason, next: nil,
      failedAt: letter.failedAt)
  }

  private static func delivery(
    _ transaction: TransactionID, state: String, failures: Int, reason: String?, next: Timestamp?, failedAt: Timestamp?
  ) -> JSONValue {
    [
      "object": "webhook_delivery", "id": .string(transaction.description), "state": .string(state),
      "failures": .integer(Int64(failures)), "last_failure": JSONValue(reason),
      "next_attempt_at": JSONValue(next?.milliseconds), "given_up_at": JSONValue(failedAt?.milliseconds),
    ]
  }

  // MARK: Forms

  static let schema = Schema.object(fields)
  static let createdSchema = Schema.object(
    fields + [.always("secret", .text(), "Signs the messages (Standard Webhooks); it is shown this once.")])
  static let rotatedSchema = Schema.object(
    fields + [
      .always("secret", .text(), "The new secret; it is shown this once."),
      .always("previous_secrets_end_at", .integer(), "The time when the last earlier secret expires."),
    ])

  static let deliverySchema = Schema.object([
    .always("object", .word(["webhook_delivery"])),
    .always("id", .text(), "The transaction that the message is about, also the message's id."),
    .always("state", .word(["dead", "waiting"])), .always("failures", .integer(), "The number of failed tries."),
    .always("last_failure", .nullable(.text())), .always("next_attempt_at", .nullable(.integer())),
    .always("given_up_at", .nullable(.integer())),
  ])

  static let integrationSchema = Schema.object(
    [.always("object", .word(["webhook_integration"])), .always("name", .text(), "The address if it has none.")]
      + sharedFields)

  private static let sharedFields: [Schema.Field] = [
    .always("id", .text()), .always("project_id", .text()), .always("url", .text()),
    .always("environment", .nullable(.word(WebhookFilter.Environment.allCases.map(\.rawValue))), "Null for both."),
    .always("event_types", .nullable(.list(.text())), "Null for all."),
    .always("app_id", .nullable(.text()), "The store; null for everything."), .always("created_at", .integer()),
  ]

  private static let fields: [Schema.Field] =
    sharedFields + [
      .always("object", .word(["webhook_endpoint"])), .always("name", .nullable(.text())),
      .always("has_authorization_header", .boolean),
      .always("state", .word(WebhookEndpoint.State.allCases.map(\.rawValue))),
      .always("disabled_reason", .nullable(.text()), "The reason for which the server disabled it."),
      .always("cursor", .nullable(.text()), "The position in the list of events; earlier events are done or waiting."),
      .always("waiting", .integer(), "The number of failed events waiting for another try; each blocks its customer."),
      .always("down_since", .nullable(.integer()), "Since when it takes nothing, so that no new events are sent."),
    ]
}
#endif
