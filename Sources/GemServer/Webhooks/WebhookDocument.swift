#if Server
internal import GemLedger

/// An endpoint and its messages as JSON.
enum WebhookDocument {
  static func json(_ endpoint: WebhookEndpoint, in store: WebhookStore) throws(LedgerError) -> JSONValue {
    let queue = try store.queue(endpoint.id)?.queue
    return [
      "object": "webhook_integration", "id": .string(endpoint.id), "name": JSONValue(endpoint.name),
      "url": .string(endpoint.url), "has_authorization_header": .bool(endpoint.authorization != nil),
      "state": .string(endpoint.state.rawValue), "disabled_reason": JSONValue(endpoint.disabledReason),
      "created_at": .integer(endpoint.createdAt.milliseconds),
      "cursor": JSONValue(queue?.cursor.description), "waiting": .integer(Int64(queue?.waiting.count ?? 0)),
      "down_since": JSONValue(queue?.outage?.since.milliseconds),
    ]
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
      .always("previous_secrets_end_at", .integer(), "When the earlier secrets sign no longer, at the latest."),
    ])

  static let deliverySchema = Schema.object([
    .always("object", .word(["webhook_delivery"])),
    .always("id", .text(), "The transaction that the message is about, also the message's id."),
    .always("state", .word(["dead", "waiting"])), .always("failures", .integer(), "How often it was tried in vain."),
    .always("last_failure", .nullable(.text())), .always("next_attempt_at", .nullable(.integer())),
    .always("given_up_at", .nullable(.integer())),
  ])

  private static let fields: [Schema.Field] = [
    .always("object", .word(["webhook_integration"])), .always("id", .text()), .always("name", .nullable(.text())),
    .always("url", .text()), .always("has_authorization_header", .boolean),
    .always("state", .word(WebhookEndpoint.State.allCases.map(\.rawValue))),
    .always("disabled_reason", .nullable(.text()), "Why the server disabled it."), .always("created_at", .integer()),
    .always("cursor", .nullable(.text()), "Up to where in the list of events it has all, but for those that wait."),
    .always("waiting", .integer(), "How many failed events are tried again later, each with its customer behind it."),
    .always("down_since", .nullable(.integer()), "Since when it takes nothing, so that no new events are sent."),
  ]
}
#endif
