#if Server
internal import GemLedger
internal import GemServer

/// The changes of endpoints: the operations of the API, with a preview and a reason.
enum WebhookActions {
  static let all = [create, change, disable, enable, rotate, test, replay, replayDeadLetters, remove]

  private static let path = "webhooks/{endpoint}"

  private static let create = Action(
    "Create an endpoint", "webhooks/create", .webhooks.writing,
    fields: { (_) throws(LedgerError) in WebhookSettingRows.fields(nil) },
    change: { (visit) throws(LedgerError) in
      let (webhooks, members) = (visit.project.webhooks, WebhookSettingRows.members(visit.form))
      let form = try WebhookForm(checking: members, isNew: true, for: webhooks)
      let preview = HTML.group([
        WebhookSettingRows.preview(members, of: nil), .p("It receives the events from its creation on."),
      ])
      return Action.Change(preview: preview) { () async throws(LedgerError) in
        let endpoint = try await BlockingWork.run { () throws(LedgerError) in try form.create(in: webhooks) }
        visit.recordChange("A webhook endpoint was created.", ["endpoint": .string(endpoint.id)])
        return .page(secretPage(of: endpoint))
      }
    })

  private static let change = Action(
    "Change", "\(path)/change", .webhooks.writing,
    fields: { (visit) throws(LedgerError) in WebhookSettingRows.fields(try visit.endpoint()) },
    change: { (visit) throws(LedgerError) in
      let members = WebhookSettingRows.members(visit.form)
      return try changing(visit, members, WebhookSettingRows.preview(members, of: try visit.endpoint()))
    })

  private static let disable = Action("Disable", "\(path)/disable", .webhooks.writing) {
    (visit) throws(LedgerError) in
    try changing(
      visit, ["state": "disabled"],
      .p("Nothing is sent to the endpoint until it is enabled. The delivery then resumes at its place."))
  }

  private static let enable = Action("Enable", "\(path)/enable", .webhooks.writing) { (visit) throws(LedgerError) in
    try changing(visit, ["state": "active"], .p("The delivery resumes with the first event that was not sent."))
  }

  private static func changing(
    _ visit: Visit, _ members: JSONObject, _ preview: HTML
  ) throws(LedgerError) -> Action.Change {
    let (webhooks, id) = (visit.project.webhooks, try visit.endpoint().id)
    let form = try WebhookForm(checking: members, isNew: false, for: webhooks)
    return working(visit, id, preview, "A webhook endpoint was changed.") { () throws(LedgerError) in
      _ = try form.change(id, in: webhooks)
    }
  }

  /// A change that leads back to the endpoint's page.
  private static func working(
    _ visit: Visit, _ id: String, _ preview: HTML, _ message: String,
    _ work: @escaping @Sendable () throws(LedgerError) -> Void
  ) -> Action.Change {
    Action.Change(preview: preview) { () async throws(LedgerError) in
      try await BlockingWork.run(work)
      visit.recordChange(message, ["endpoint": .string(id)])
      return .seeOther(ConsolePath("webhooks", id, query: ["note": "done"]))
    }
  }

  private static let remove = Action("Remove", "\(path)/remove", .webhooks.writing, isFinal: true) {
    (visit) throws(LedgerError) in
    let (store, endpoint) = (visit.project.webhooks.store, try visit.endpoint())
    let preview = HTML.p(
      "The endpoint ", .foreign(endpoint.name ?? endpoint.url, limit: 200),
      " is removed with its failed messages. A new endpoint would not receive earlier events.")
    return Action.Change(preview: preview) { () async throws(LedgerError) in
      try await BlockingWork.run { () throws(LedgerError) in _ = try store.remove(endpoint.id) }
      visit.recordChange("A webhook endpoint was removed.", ["endpoint": .string(endpoint.id)])
      return .seeOther(ConsolePath("webhooks"))
    }
  }

  // MARK: Secrets

  private static let rotate = Action(
    "Rotate the secret", "\(path)/rotate-secret", .webhooks.writing,
    fields: { (_) throws(LedgerError) in
      [
        Field(
          "overlap", "The earlier secret also signs for",
          .choice([
            (value: "86400", name: "a day"), (value: "604800", name: "a week"), (value: "3600", name: "an hour"),
            (value: "0", name: "no time, because it has leaked"),
          ]), value: String(Webhooks.overlapSeconds))
      ]
    },
    change: { (visit) throws(LedgerError) in
      let (webhooks, endpoint, now) = (visit.project.webhooks, try visit.endpoint(), try visit.previewedAt)
      guard let seconds = Int64(visit.form["overlap"] ?? ""), (0...Webhooks.overlapSecondsMax).contains(seconds) else {
        throw .invalid("Choose how long the earlier secret also signs.")
      }
      let end = visit.reader.time(now.advanced(milliseconds: seconds * 1000))
      let preview = HTML.p("The endpoint gets a new secret. All earlier secrets stop signing at ", end, ".")
      return Action.Change(preview: preview) { () async throws(LedgerError) in
        let changed = try await BlockingWork.run { () throws(LedgerError) in
          try webhooks.rotateSecret(of: endpoint.id, at: now, overlapSeconds: seconds)
        }
        visit.recordChange("The secret of a webhook endpoint was rotated.", ["endpoint": .string(endpoint.id)])
        return .page(secretPage(of: changed))
      }
    })

  private static func secretPage(of endpoint: WebhookEndpoint) -> ConsolePage {
    ConsolePage(
      "Secret of the endpoint",
      .message("warning", .p("This page shows the secret once. Store it now: receivers check signatures with it.")),
      .facts([("Secret", .code(endpoint.secret)), ("Endpoint", WebhookPages.link(to: endpoint))]))
  }

  // MARK: Messages

  private static let test = Action("Send a test", "\(path)/test", .webhooks.writing) { (visit) throws(LedgerError) in
    let (webhooks, endpoint) = (visit.project.webhooks, try visit.endpoint())
    let preview = HTML.p("A message of type TEST is sent once to ", .foreign(endpoint.url, limit: 300), ".")
    return Action.Change(preview: preview) { () async throws(LedgerError) in
      let answer = try await webhooks.test(endpoint)
      let isDelivered = WebhookOutcome(answer) == .delivered
      let text: String
      switch answer {
      case .status(let status, _): text = "The endpoint answered with status \(status)."
      case .failed(let reason): text = "The endpoint did not answer: \(reason)"
      }
      return .page(
        ConsolePage(
          "Test of an endpoint", .message(isDelivered ? "good" : "bad", .p(.foreign(text, limit: 500))),
          .p(WebhookPages.link(to: endpoint))))
    }
  }

  private static let replay = Action(
    "Send an event again", "\(path)/replay", .webhooks.writing,
    fields: { (visit) throws(LedgerError) in
      [
        Field(
          "event", "Event", value: visit.query["event"] ?? "",
          hint: "The id of the message, which is the transaction's.")
      ]
    },
    change: { (visit) throws(LedgerError) in
      let (webhooks, id) = (visit.project.webhooks, try visit.endpoint().id)
      let event = try visit.transactionID(visit.form["event"] ?? "")
      let record = try visit.ledger.transaction(event)
      let preview = HTML.group([
        .p("This event is sent again, out of order:"), HistoryView.table([record], visit.reader),
      ])
      return working(visit, id, preview, "An event was sent again.") { () throws(LedgerError) in
        try webhooks.replay(event, to: id)
      }
    })

  private static let replayDeadLetters = Action(
    "Send given-up events again", "\(path)/replay-given-up", .webhooks.writing
  ) { (visit) throws(LedgerError) in
    let (webhooks, id) = (visit.project.webhooks, try visit.endpoint().id)
    let count = try webhooks.store.deadLetters(of: id, limit: 100).count
    let preview = HTML.p(
      visit.reader.amount(Int64(count)), " events are sent again, the oldest first; at most 100 at a time.")
    return working(visit, id, preview, "Given-up events were sent again.") { () throws(LedgerError) in
      _ = try webhooks.replayDeadLetters(to: id)
    }
  }
}
#endif
