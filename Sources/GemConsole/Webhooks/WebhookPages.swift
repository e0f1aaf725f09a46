#if Server
internal import GemLedger
internal import GemServer

/// The endpoints that receive the project's events, and what they did not receive.
enum WebhookPages {
  static let routes: [ConsoleRoute] = [
    .get("webhooks", .webhooks) { (visit) throws(LedgerError) in .page(try list(visit)) },
    .get("webhooks/{endpoint}", .webhooks) { (visit) throws(LedgerError) in .page(try EndpointView(visit).page) },
  ]

  private static func list(_ visit: Visit) throws(LedgerError) -> ConsolePage {
    let (store, reader) = (visit.project.webhooks.store, visit.reader)
    var rows: [[HTML]] = []
    for endpoint in try store.endpoints() {
      let queue = try store.queue(endpoint.id)?.queue
      let dead = try store.deadLetters(of: endpoint.id, limit: EndpointView.pageSize).count
      rows.append([
        link(to: endpoint), state(endpoint), reader.amount(Int64(queue?.waiting.count ?? 0)),
        dead < EndpointView.pageSize ? reader.amount(Int64(dead)) : .text("\(dead) or more"),
        queue?.outage.map { reader.time($0.since) } ?? "–", reader.time(endpoint.createdAt),
      ])
    }
    let table = DataTable(
      "Endpoints, oldest first", ["Endpoint", "State", "#Waiting", "#Given up", "Out of reach since", "Created"], rows)
    let create = HTML.div(.button("Create an endpoint", to: ConsolePath("webhooks", "create"))).classed("actions")
    let sends = visit.project.webhooks.dispatcher != nil
    return ConsolePage(
      "Webhooks", sends ? .none : .message("warning", .p("This server was started without webhooks: it sends none.")),
      visit.session.allows(.webhooks.writing) ? create : .none, table.html(none: "There are no endpoints."))
  }

  static func link(to endpoint: WebhookEndpoint) -> HTML {
    .link(.foreign(endpoint.name ?? endpoint.url, limit: 80), to: ConsolePath("webhooks", endpoint.id))
  }

  static func state(_ endpoint: WebhookEndpoint) -> HTML {
    .badge(endpoint.state.rawValue, endpoint.state == .active ? "good" : "warning")
  }
}

/// One endpoint with its failed messages.
struct EndpointView {
  static let pageSize = 50
  /// Unread events are counted to this number only.
  private static let unreadCountMax = 100

  private let visit: Visit
  private let endpoint: WebhookEndpoint
  private let queue: WebhookQueue?

  private var reader: Reader { visit.reader }

  init(_ visit: Visit) throws(LedgerError) {
    self.visit = visit
    endpoint = try visit.endpoint()
    queue = try visit.project.webhooks.store.queue(endpoint.id)?.queue
  }

  var page: ConsolePage {
    get throws(LedgerError) {
      ConsolePage(
        "Webhook endpoint", visit.query["note"] == "done" ? .message("good", .p("Done.")) : .none, actions,
        try facts, waiting, try deadLetters)
    }
  }

  private var actions: HTML {
    guard visit.session.allows(.webhooks.writing) else { return .none }
    let buttons = WebhookActions.all.filter { $0.path.contains("{endpoint}") }.filter {
      !$0.path.hasSuffix(endpoint.state == .active ? "/enable" : "/disable")
    }.map { action in
      HTML.button(
        action.title, to: ConsolePath("webhooks", endpoint.id, String(action.path.split(separator: "/").last ?? "")))
    }
    return HTML.element(.div, [], buttons).classed("actions")
  }

  private var facts: HTML {
    get throws(LedgerError) {
      let unread = try unreadCount
      return .facts(
        WebhookSettingRows.rows(endpoint).map { (name: $0.name, value: .foreign($0.text, limit: 300)) } + [
          ("State", WebhookPages.state(endpoint)),
          ("Disabled because", endpoint.disabledReason.map { .foreign($0, limit: 300) }),
          ("Created", reader.time(endpoint.createdAt)), ("Id", .code(endpoint.id)),
          (
            "Events to be read",
            unread < Self.unreadCountMax ? reader.amount(Int64(unread)) : .text("\(Self.unreadCountMax) or more")
          ), ("Failed messages that wait", reader.amount(Int64(queue?.waiting.count ?? 0))),
          ("Out of reach since", queue?.outage.map { reader.time($0.since) }),
          ("Next try then", queue?.outage.map { reader.time($0.next) }),
          ("Paused by the receiver until", queue?.pausedUntil.map(reader.time)),
          (
            "Earlier secrets sign until",
            endpoint.previousSecrets.isEmpty ? nil : .list(endpoint.previousSecrets.map { reader.time($0.endsAt) })
          ),
        ])
    }
  }

  /// The number of events that follow the endpoint's position in the journal.
  private var unreadCount: Int {
    get throws(LedgerError) {
      guard let queue else { return 0 }
      return try visit.ledger.feed(after: queue.cursor, limit: Self.unreadCountMax).events
        .count(where: endpoint.filter.takes)
    }
  }

  // MARK: Failed messages

  private var waiting: HTML {
    let rows = (queue?.waiting ?? []).map { waiting in
      row(waiting.transaction, waiting.failures, waiting.reason, waiting.next)
    }
    let table = DataTable(
      "Messages that wait for another try", ["Event", "#Failures", "Last failure", "Next try", "Do"], rows)
    return .section("Waiting", table.html(none: "No message waits."))
  }

  private var deadLetters: HTML {
    get throws(LedgerError) {
      let after = try visit.query["after"].map { (text) throws(LedgerError) in try TransactionID(text) }
      // One element more than the page shows whether there is another page.
      let letters = try visit.project.webhooks.store.deadLetters(
        of: endpoint.id, after: after, limit: Self.pageSize + 1)
      let page = letters.prefix(Self.pageSize)
      let table = DataTable(
        "Messages that were given up", ["Event", "#Failures", "Last failure", "Given up", "Do"],
        page.map { row($0.transaction, $0.failures, $0.reason, $0.failedAt) })
      return .section(
        "Given up", table.html(none: "No message was given up."),
        visit.nextPage(letters.count > page.count ? page.last?.transaction.description : nil))
    }
  }

  private func row(_ transaction: TransactionID, _ failures: Int, _ reason: String, _ time: Timestamp) -> [HTML] {
    let id = transaction.description
    let replay = ConsolePath("webhooks", endpoint.id, "replay", query: ["event": id])
    return [
      .link(.code(id), to: ConsolePath("transactions", id)), reader.amount(Int64(failures)),
      .foreign(reason, limit: 200), reader.time(time),
      visit.session.allows(.webhooks.writing) ? .button("Send again", to: replay) : .none,
    ]
  }
}

extension Visit {
  /// Returns the endpoint in the path.
  ///
  /// - Throws: `LedgerError` with `endpoint_not_found`.
  func endpoint() throws(LedgerError) -> WebhookEndpoint { try project.webhooks.endpoint(name("endpoint")) }
}
#endif
