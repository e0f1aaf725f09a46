import GemLedger
import LedgerCharts

/// `feed`: the transactions of all customers, oldest first; a page, or a continuous stream.
struct FeedCommand {
  let invocation: Invocation

  private var cursor: FeedCursor? { invocation.parsed.value("--after").map(FeedCursor.init) }

  func run() throws {
    if invocation.parsed.has("--follow") { return try follow() }
    let limit = try invocation.limit()
    let page = try invocation.withLedger { (ledger) throws(LedgerError) in
      try ledger.feed(after: cursor, limit: limit)
    }
    try invocation.print(Self.json(page), { Self.text(page, style: $0) })
  }

  // MARK: Following

  /// Prints events until the limit is reached or a signal arrives.
  private func follow() throws {
    let limit = try invocation.parsed.integer("--limit", in: 1...Int64(Limits.historyPage)).map(Int.init)
    let (cursor, terminal, isJSON) = (cursor, invocation.terminal, invocation.isJSON)
    try invocation.withLedger { (ledger) throws(LedgerError) in
      // Closing the ledger ends its updates.
      let signals = Signals { ledger.close() }
      defer { signals.forget() }
      let last = try Blocking.wait { () async throws(LedgerError) in
        try await Self.follow(ledger, after: cursor, limit: limit, terminal, asJSON: isJSON)
      }
      if !isJSON, let last { try terminal.output(Self.goingOn(last, style: terminal.outputStyle)) }
    }
  }

  private static func follow(
    _ ledger: Ledger, after cursor: FeedCursor?, limit: Int?, _ terminal: Terminal, asJSON isJSON: Bool
  ) async throws(LedgerError) -> FeedCursor? {
    var last = cursor
    var left = limit ?? .max
    var isFirst = true
    var updates = ledger.feedUpdates(after: cursor, limit: min(left, 100)).makeAsyncIterator()
    while left > 0, var page = try await updates.next() {
      // A cursor marks the end of a whole page.
      if page.events.count > left { page = try ledger.feed(after: last, limit: left) }
      try terminal.output(isJSON ? lines(page) : rows(page, isFirst: isFirst, style: terminal.outputStyle))
      (last, left, isFirst) = (page.next, left - page.events.count, false)
    }
    return last
  }

  /// Returns a line for each event; the last line of a page also has the cursor.
  private static func lines(_ page: FeedPage) -> String {
    var text = ""
    for (index, event) in page.events.enumerated() {
      var object = json(event)
      object["next"] = index == page.events.count - 1 ? .string(page.next.description) : .null
      text += JSONValue.object(object).text() + "\n"
    }
    return text
  }

  private static func rows(_ page: FeedPage, isFirst: Bool, style: Style) -> String {
    let text = table(page).text(style: style)
    return isFirst ? text : String(text.drop { $0 != "\n" }.dropFirst())
  }
}

// MARK: A page

extension FeedCommand {
  private static func json(_ page: FeedPage) -> JSONValue {
    [
      "events": .array(page.events.map { .object(json($0)) }), "next": .string(page.next.description),
      "has_more": .bool(page.hasMore),
    ]
  }

  private static func json(_ event: FeedEvent) -> JSONObject {
    var object: JSONObject = ["customer_id": .string(event.record.booking.customer.text)]
    object.members += HistoryCommand.object(event.record).members
    object["source"] = .string(event.source.rawValue)
    object["purchase"] = event.purchase.map(json) ?? .null
    object["merged"] = event.merged.map(json) ?? .null
    return object
  }

  /// The entries and items that left the merged customer.
  private static func json(_ merged: Booking) -> JSONValue {
    [
      "customer_id": .string(merged.customer.text), "entries": HistoryCommand.entries(merged),
      "items": BookingView(merged).items,
    ]
  }

  /// A purchase as the history shows it too.
  static func json(_ purchase: FeedPurchase) -> JSONValue {
    [
      "product_id": .string(purchase.product.text), "product_name": .string(purchase.productName),
      "store_product_id": JSONValue(purchase.storeProductID), "store": .string(purchase.store.description),
      "environment": .string(purchase.environment.description),
      "store_transaction_id": .string(purchase.storeTransactionID.text),
      "original_transaction_id": .string(purchase.originalTransactionID.text),
      "quantity": .integer(purchase.quantity), "price": MoneyText.json(purchase.price),
      "purchased_at": .string(purchase.purchasedAt.description),
      "refunded_milli_percent": .integer(purchase.refundedMilliPercent),
    ]
  }

  private static func text(_ page: FeedPage, style: Style) -> String {
    let events = page.events.isEmpty ? "There are no events.\n" : table(page).text(style: style)
    return events + (page.hasMore ? NextPage.text(page.next, style: style) : goingOn(page.next, style: style))
  }

  private static func goingOn(_ cursor: FeedCursor, style: Style) -> String {
    style.dim("Later events: --after \(cursor)") + "\n"
  }

  private static func table(_ page: FeedPage) -> Table {
    let bookings = page.events.flatMap { event in
      [(event.record.booking, HistoryCommand.about(event.record))] + (event.merged.map { [($0, "")] } ?? [])
    }
    return bookings.rows(\.0.entries).table([
      .time("TIME", \.whole.0.createdAt), .id("CUSTOMER", \.whole.0.customer.text),
      .left("KIND", \.whole.0.kind.name), .change("CHANGE", \.part?.amount), .amount("BALANCE", \.part?.balance),
      .left("CURRENCY", \.part?.currency.description), .id("TRANSACTION", \.whole.0.transactionID?.description),
      .text("ABOUT", \.whole.1),
    ])
  }
}
