import GemLedger
import StoreClient

/// `queue`, `sync`: the receipts that wait for their credit.
struct QueueCommands {
  let invocation: Invocation

  func list() throws {
    try show(try invocation.withClient(onlyReads: true) { Self.items($0) })
  }

  func drain() throws {
    // Opening the client has drained it.
    let items = try invocation.withClient { Self.items($0) }
    try show(items)
    try Self.check(items)
  }

  func requeue() throws {
    let id = invocation.parsed.positionals[0]
    let items = try invocation.withClient { (session) async throws(LedgerError) in
      try await session.client.requeueReceipt(id)
      return Self.items(session)
    }
    try show(items)
    try Self.check(items)
  }

  func sync() throws {
    let items = try invocation.withClient { (session) async throws(LedgerError) in
      await session.client.syncPurchases()
      return Self.items(session)
    }
    try show(items)
    try Self.check(items)
  }

  private static func items(_ session: ClientSession) -> [ReceiptQueueItem] { session.client.receiptQueueSnapshot() }

  /// - Throws: ``ExitStatus/incomplete`` where something waits still, as for a purchase that did not complete.
  private static func check(_ items: [ReceiptQueueItem]) throws {
    if !items.isEmpty { throw ExitStatus.incomplete }
  }

  private func show(_ items: [ReceiptQueueItem]) throws(LedgerError) {
    let dead = items.filter { $0.status == .deadLettered }.count
    let json: JSONValue = [
      "pending": .integer(Int64(items.count - dead)), "dead_lettered": .integer(Int64(dead)),
      "items": .array(items.map(Self.json)),
    ]
    try invocation.print(json, { Self.text(items, style: $0) })
  }

  private static func json(_ item: ReceiptQueueItem) -> JSONValue {
    [
      "store_transaction_id": .string(item.storeTransactionID.text), "state": .string(item.status.rawValue),
      "attempts": .integer(Int64(item.attemptCount)), "customer_id": .string(item.customer.text),
      "product_id": .string(item.product?.text ?? item.storeProductID), "quantity": .integer(item.quantity),
      "last_error": item.lastError.map {
        [
          "code": .string($0.code.description), "message": .string($0.message), "request_id": JSONValue($0.requestID),
        ]
      } ?? nil,
      "next_attempt_at": JSONValue(item.nextAttemptAt?.description),
    ]
  }

  private static func text(_ items: [ReceiptQueueItem], style: Style) -> String {
    guard !items.isEmpty else { return "The queue is empty: everything paid for is credited.\n" }
    var table = Table([
      .init(title: "STORE TRANSACTION"), .init(title: "STATE"), .init(title: "ATTEMPTS", alignment: .right),
      .init(title: "CUSTOMER"), .init(title: "PRODUCT"), .init(title: "LAST ERROR"),
    ])
    for item in items {
      table.add([
        item.storeTransactionID.text, item.status.rawValue, String(item.attemptCount), item.customer.text,
        item.product?.text ?? item.storeProductID, item.lastError?.code.description ?? "",
      ])
    }
    return table.text(style: style)
  }
}
