#if Server
internal import GemLedger

/// The JSON form of an event of the feed.
enum EventDocument {
  static func json(_ event: FeedEvent, at cursor: FeedCursor) -> JSONValue {
    [
      "object": "event", "cursor": .string(cursor.description), "source": .string(event.source.rawValue),
      "transaction": .object(TransactionDocument(event.record).object), "merged": event.merged.map(merged) ?? .null,
    ]
  }

  /// Returns the event in the format of server-sent events; the cursor is its id.
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
    .always("object", .word(["event"])), .always("cursor", .text(), "The position after this event."),
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
