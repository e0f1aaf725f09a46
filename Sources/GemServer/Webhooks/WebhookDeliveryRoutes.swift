#if Server
internal import GemLedger
internal import SystemHTTP

/// The list of failed messages of an endpoint, and their repetition.
enum WebhookDeliveryRoutes {
  static var all: [Route] { [list, replay, test] }

  private static let path = WebhookEndpointRoutes.endpointPath

  private static let list = Route(
    method: "GET", path: path + "/deliveries", name: "list_webhook_deliveries",
    summary: "Lists failed messages: those that were given up, or those that wait for their next attempt.",
    access: .secret(.webhooks),
    query: [Parameter("state", .word(["dead", "waiting"]), "Which of them; dead by default.")] + Page.parameters,
    answers: [200: .page(of: WebhookDocument.deliverySchema)], rate: .projectConfiguration,
    work: .now { (call) throws(LedgerError) in
      let (store, id) = (call.project.webhooks.store, try call.endpoint().id)
      if call.query["state"]?.text == "waiting" {
        let waiting = try store.queue(id)?.queue.waiting ?? []
        return try Page(
          of: waiting, call, cursor: \.transaction.description, item: { WebhookDocument.json($0) }
        ).response(to: call)
      }
      let after = try call.query["starting_after"]?.text.map { (text) throws(LedgerError) in
        guard let id = TransactionID(exactly: text) else { throw .parameter("starting_after", "names no message") }
        return id
      }
      // One element more than the page shows whether there is another page.
      let letters = try store.deadLetters(of: id, after: after, limit: call.limit + 1)
      let page = letters.prefix(call.limit)
      return Page(
        page.map { WebhookDocument.json($0) },
        next: letters.count > call.limit ? page.last?.transaction.description : nil
      ).response(to: call)
    })

  private static let replay = Route(
    method: "POST", path: path + "/actions/replay", name: "replay_webhook_deliveries",
    summary: "Sends messages again: all after a cursor, one by its id, or else up to 100 that were given up.",
    access: .secret(.webhooks.writing),
    body: .object([
      Schema.Field("from", .text(1...900), "A cursor of the list of events, or \"now\" to skip unsent events."),
      Schema.Field("event_id", .text(1...64), "The id of one message, which is also the transaction's."),
    ]), answers: [200: WebhookDocument.schema], rate: .projectConfiguration,
    work: .now { (call) throws(LedgerError) in
      let (webhooks, endpoint) = (call.project.webhooks, try call.endpoint())
      switch (call.text("from"), call.text("event_id")) {
      case (.some, .some): throw .parameter("from", "cannot go together with \"event_id\"")
      case (let text?, nil):
        let cursor = text == "now" ? try call.project.ledger.feedPlaces.end() : FeedCursor(text)
        try webhooks.replay(from: cursor, to: endpoint.id)
      case (nil, let text?):
        guard let id = TransactionID(exactly: text) else {
          throw LedgerError(.transactionNotFound, "There is no transaction \"\(text)\" in this ledger.")
        }
        try webhooks.replay(id, to: endpoint.id)
      case (nil, nil): _ = try webhooks.replayDeadLetters(to: endpoint.id)
      }
      return .json(200, try WebhookDocument.json(endpoint, in: call.project))
    })

  private static let test = Route(
    method: "POST", path: path + "/actions/test", name: "test_webhook_endpoint",
    summary: "Sends a message of type TEST now, once, and returns how it was answered.",
    access: .secret(.webhooks.writing),
    answers: [
      200: .object([
        .always("object", .word(["webhook_test"])), .always("delivered", .boolean),
        .always("status", .nullable(.integer()), "Null without an answer."),
        .always("failure", .nullable(.text()), "The reason for a missing answer."),
      ])
    ], rate: .projectConfiguration,
    work: .later { (call) throws(LedgerError) in
      let answer = try await call.project.webhooks.test(try call.endpoint())
      var document: JSONObject = [
        "object": "webhook_test", "delivered": .bool(WebhookOutcome(answer) == .delivered), "status": .null,
        "failure": .null,
      ]
      switch answer {
      case .status(let status, _): document["status"] = .integer(Int64(status))
      case .failed(let reason): document["failure"] = .string(reason)
      }
      return .json(200, .object(document))
    })
}
#endif
