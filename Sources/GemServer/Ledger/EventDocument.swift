#if Server
internal import GemLedger

/// An event of the feed as JSON.
enum EventDocument {
  static func json(_ event: FeedEvent, at cursor: FeedCursor) -> JSONValue {
    [
      "object": "event", "cursor": .string(cursor.description), "source": .string(event.source.rawValue),
      "transaction": .object(TransactionDocument(event.record).object), "merged": event.merged.map(merged) ?? .null,
    ]
  }

  /// The event in a stream of server-sent events; the cursor is its id.
  static func text(_ event: FeedEvent, at cursor: FeedCursor) -> String {
    "id: \(cursor)\nevent: transaction\ndata: \(json(event, at: cursor).text())\n\n"
  }

  private static func merged(_ booking: Booking) -> JSONValue {
    [
      "customer_id": .string(booking.customer.text), "entries": TransactionDocument.entries(booking.entries),
      "items": TransactionDocument.items(booking.items),
    ]
  }

  static let schema = Schema.object([
    .always("object", .word(["event"])), .always("cursor", .text(), "Where to read on behind this event."),
    .always("source", .word(FeedSource.allCases.map(\.rawValue))),
    .always("transaction", TransactionDocument.schema),
    .always(
      "merged",
      .nullable(
        .object([
          .always("customer_id", .text()), .always("entries", .list(TransactionDocument.entrySchema)),
          .always("items", .list(TransactionDocument.itemSchema)),
        ])), "The other customer's side of a merge."),
  ])
}
#endif
