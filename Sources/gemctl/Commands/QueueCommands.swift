import GemLedger
import LedgerCharts
import SimulatedStores
import StoreClient

/// `queue`, `sync`: the receipts that wait for their credit.
struct QueueCommands {
  let invocation: Invocation

  func list() throws {
    try show(try invocation.withClient(onlyReads: true) { (session) throws(LedgerError) in try Self.backlog(session) })
  }

  func drain() throws {
    // Opening the client has drained the queue.
    try work { _ in }
  }

  func requeue() throws {
    let text = invocation.parsed.positionals[0]
    try work { (session) async throws(LedgerError) in
      let ids = session.client.queueItems.map(\.storeTransactionID.text)
      let id = try ShortenedID(text).flatMap { (short) throws(LedgerError) in try short.only(of: ids) } ?? text
      try await session.client.requeueReceipt(id)
    }
  }

  func sync() throws {
    try work { await $0.client.syncPurchases() }
  }

  /// Does the work and shows the rest of the queue.
  ///
  /// - Throws: ``ExitStatus/incomplete`` if the queue is not empty, as for an incomplete purchase.
  private func work(_ body: @escaping @Sendable (ClientSession) async throws(LedgerError) -> Void) throws {
    let backlog = try invocation.withClient { (session) async throws(LedgerError) in
      try await body(session)
      return try Self.backlog(session)
    }
    try show(backlog)
    if !backlog.items.isEmpty { throw ExitStatus.incomplete }
  }

  /// The receipts in the queue, and the paid purchases that are not in it yet.
  private struct Backlog: Sendable {
    var items: [ReceiptQueueItem]
    var unseen: [ShopTransaction]
  }

  /// The store keeps a purchase until its buyer's device has seen it; no other device queues it.
  private static func backlog(_ session: ClientSession) throws(LedgerError) -> Backlog {
    let items = session.client.queueItems
    let queued = Set(items.map(\.storeTransactionID))
    var unseen: [ShopTransaction] = []
    for one in session.store.transactions() where one.isPaid && !one.isFinished && !queued.contains(one.id) {
      // A device of another account credited it, and cannot report that to the store.
      if try !session.isCredited(one.transaction) { unseen.append(one) }
    }
    return Backlog(items: items, unseen: unseen)
  }

  private func show(_ backlog: Backlog) throws(LedgerError) {
    let items = backlog.items
    let dead = items.filter { $0.status == .deadLettered }.count
    var json: JSONObject = [
      "pending": .integer(Int64(items.count - dead)), "dead_lettered": .integer(Int64(dead)),
      "items": .array(items.map(Self.json)),
    ]
    if !backlog.unseen.isEmpty { json["unseen_at_store"] = .integer(Int64(backlog.unseen.count)) }
    try invocation.print(.object(json), { Self.text(backlog, style: $0) })
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

  private static func text(_ backlog: Backlog, style: Style) -> String {
    let unseen = unseen(backlog.unseen)
    let items = backlog.items
    guard !items.isEmpty else {
      return unseen.isEmpty
        ? "The queue is empty: all paid purchases are credited.\n" : "The queue is empty.\n" + unseen
    }
    let table = items.table([
      .id("STORE TRANSACTION", \.storeTransactionID.text), .left("STATE", \.status.rawValue),
      .right("ATTEMPTS") { String($0.attemptCount) }, .id("CUSTOMER", \.customer.text),
      .left("PRODUCT") { $0.product?.text ?? $0.storeProductID }, .text("LAST ERROR", \.lastError?.code.description),
    ])
    let untrusted = items.count { $0.lastError?.code == .receiptUnverified }
    let doubt =
      untrusted == 0
      ? ""
      : "The store's receipt of \(untrusted) of them is not trusted, so they are not credited; the store "
        + "keeps the purchases (\"gemctl sync\" fetches the receipts again, \"gemctl queue requeue ID\" tries again).\n"
    return table.text(style: style) + doubt + unseen
  }

  private static func unseen(_ transactions: [ShopTransaction]) -> String {
    guard let first = transactions.first else { return "" }
    let count = transactions.count == 1 ? "1 purchase is" : "\(transactions.count) purchases are"
    return "\(count) paid for at the store, and the buyer's device has not seen it yet: "
      + "\"gemctl sync --customer \(SafeText.escaped(first.account))\" credits it.\n"
  }
}
