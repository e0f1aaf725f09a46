#if Server
internal import GemLedger

/// The JSON form of an event of the feed.
struct EventDocument: JSONDocument {
  private let event: FeedEvent
  private let cursor: FeedCursor

  init(_ event: FeedEvent, at cursor: FeedCursor) {
    self.event = event
    self.cursor = cursor
  }

  /// The event in the format of server-sent events; the cursor is its id.
  var text: String { "id: \(cursor)\nevent: transaction\ndata: \(json.text())\n\n" }

  static let form = JSONForm<Self>([
    .object("event"), .always("cursor", \.cursor.description, .text(), "The position after this event."),
    .always("source", \.event.source, .word(FeedSource.allCases, \.rawValue)),
    .always("transaction", { TransactionDocument($0.event.record) }, .value),
    .always("merged", \.event.merged, .nullable(.form(merged)), "The other customer's side of a merge."),
  ])

  private static let merged = JSONForm<Booking>([
    .always("customer_id", \.customer, .anyIdentifier()), .always("entries", \.entries, .list(.entry)),
    .always("items", \.items, .list(.value)),
  ])
}
#endif
