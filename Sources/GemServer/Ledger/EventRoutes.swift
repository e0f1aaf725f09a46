#if Server
internal import GemLedger
internal import SystemHTTP

/// The events of all customers: in pages, and as a stream.
enum EventRoutes {
  static var all: [Route] { [list, stream] }

  private static let start = Parameter(
    "starting_after", .text(1...900),
    "The cursor of the last event that was read, or \"now\"; the beginning of the journal by default.")

  private static let list = Route(
    method: "GET", path: LedgerRoutes.project + "/events", name: "list_events",
    summary: "Lists the events of all customers, oldest first.", access: .secret(.events),
    query: [start, Page.parameters[1]],
    answers: [
      200: .object([
        .always("object", .word(["list"])), .always("items", .list(EventDocument.schema)),
        .always("next_page", .nullable(.text()), "The path of the next page; null if there are no more events yet."),
        .always("url", .text()), .always("cursor", .text(), "The position to continue at, also after new events."),
      ])
    ],
    work: .now { (call) throws(LedgerError) in
      let ledger = call.project.ledger
      let page = try ledger.feed(after: try cursor(call.query["starting_after"]?.text, in: ledger), limit: call.limit)
      let items = zip(page.events, page.cursors).map { EventDocument($0, at: $1).json }
      let envelope = Page(items, next: page.hasMore ? page.next.description : nil)
      return .json(200, envelope.document(for: call, with: [("cursor", .string(page.next.description))]))
    })

  private static let stream = Route(
    method: "GET", path: LedgerRoutes.project + "/events/stream", name: "stream_events",
    summary: "Streams new events of all customers as server-sent events.", access: .secret(.events),
    query: [start],
    headers: [
      Parameter(
        "Last-Event-ID", .text(1...900), "The id of the last event that was read; it overrides starting_after.")
    ],
    answers: [
      200: .object([
        Schema.Field("id", .text(), "The event's cursor."), Schema.Field("event", .text(), "Its kind."),
        Schema.Field("data", .text(), "The event as JSON."), Schema.Field("retry", .integer(), "In milliseconds."),
      ])
    ], mediaType: "text/event-stream",
    work: .now { (call) throws(LedgerError) in
      let ledger = call.project.ledger
      let after = try cursor(
        call.request.headers["Last-Event-ID"] ?? call.query["starting_after"]?.text, in: ledger)
      let headers = [("Content-Type", "text/event-stream"), ("X-Accel-Buffering", "no")]
      guard call.request.method != "HEAD" else { return HTTPResponse(status: 200, headers: headers) }
      return HTTPResponse(
        status: 200, headers: headers,
        content: .stream(try call.project.streams.open(after: after, while: { call.isStillAdmitted() })))
    })

  /// - Throws: `LedgerError` with `invalid_request` for a text that is not a cursor of this feed.
  private static func cursor(_ text: String?, in ledger: Ledger) throws(LedgerError) -> FeedCursor? {
    guard let text else { return nil }
    if text == "now" { return try ledger.feedPlaces.end() }
    let cursor = FeedCursor(text)
    _ = try ledger.feedPlaces.position(at: cursor)
    return cursor
  }
}
#endif
