#if Server
package import GemLedger
internal import StoreReceipts

/// The webhooks of a project: its endpoints, and the delivery to them.
package final class Webhooks: Sendable {
  package let store: WebhookStore
  /// Delivers the events; nil where this server sends none.
  package let dispatcher: WebhookDispatcher?
  private let ledger: Ledger
  private let context: WebhookContext?
  private let sender: (any WebhookSender)?
  private let clock: LedgerClock
  private let settings: WebhookSettings
  private let appID: String

  /// - Parameters:
  ///   - sender: Nil where this server sends nothing.
  ///   - documents: Nil for those of the ledger's storage.
  ///   - owner: Names this process; no other one has the name.
  package init(
    _ ledger: Ledger, projectID: String, clock: LedgerClock, sender: (any WebhookSender)?,
    documents: (any ServerDocuments)? = nil, settings: WebhookSettings = WebhookSettings(),
    owner: String = IdempotencyKey.timeOrdered().text
  ) {
    self.ledger = ledger
    self.clock = clock
    self.settings = settings
    appID = projectID
    let store = WebhookStore(documents ?? LedgerDocuments(ledger))
    self.store = store
    self.sender = sender
    let context = sender.map {
      WebhookContext(
        ledger: ledger, store: store, sender: $0, clock: clock, settings: settings, owner: owner, appID: projectID)
    }
    self.context = context
    dispatcher = context.map(WebhookDispatcher.init)
  }

  /// Makes an endpoint, which gets the events from now on.
  ///
  /// - Throws: `LedgerError` with, in order of precedence, `invalid_request` for a bad address, `limit_exceeded`.
  package func create(
    url: String, name: String? = nil, authorization: String? = nil, filter: WebhookFilter = WebhookFilter()
  ) throws(LedgerError) -> WebhookEndpoint {
    try check(url: url)
    let now = clock.now()
    var endpoint = WebhookEndpoint(
      id: "wh_" + IdempotencyKey.timeOrdered(at: now).text, name: name, url: url, secret: WebhookSecret().text,
      authorization: authorization, createdAt: now)
    endpoint.filter = filter
    try store.add(endpoint, WebhookQueue(cursor: try ledger.feedEnd()))
    return endpoint
  }

  /// Refuses an address that messages cannot go to.
  ///
  /// - Throws: `LedgerError` with `invalid_request`; the detail `param` is `url`.
  package func check(url: String) throws(LedgerError) {
    try WebhookEndpoint.check(url: url)
    try sender?.check(url)
  }

  /// Sends the events behind a cursor again.
  ///
  /// - Throws: `LedgerError` with `invalid_request` for a cursor that the feed did not give.
  package func replay(from cursor: FeedCursor, to endpoint: String) throws(LedgerError) {
    let position = try ledger.feedPosition(at: cursor)
    _ = try store.changeQueue(of: endpoint) { (queue) throws(LedgerError) in
      queue.replay(from: cursor) { !position.covers($0.unprovenNumber) }
    }
  }

  /// Sends one event again.
  ///
  /// - Throws: `LedgerError` with, in order of precedence, `transaction_not_found`, `invalid_request` where the
  ///   transaction changed no balance or is none that the endpoint gets, `limit_exceeded`.
  package func replay(_ transaction: TransactionID, to endpoint: String) throws(LedgerError) {
    let event = try ledger.feedEvent(of: transaction)
    guard event.isSent else {
      throw .parameter("event_id", "is a transaction that changed no balance, so that nothing is sent about it")
    }
    if let known = try store.endpoint(endpoint), !known.filter.takes(event) {
      throw .parameter("event_id", "is none of the events that the endpoint gets; change its filter first")
    }
    let (now, settings) = (clock.now(), settings)
    _ = try store.changeQueue(of: endpoint) { (queue) throws(LedgerError) in
      try queue.replay(transaction, at: now, settings)
    }
  }

  /// Sends dead letters again, the oldest ones first, as many as may be sent again at a time.
  ///
  /// - Returns: How many.
  package func replayDeadLetters(to endpoint: String) throws(LedgerError) -> Int {
    let letters = try store.deadLetters(of: endpoint, limit: min(100, settings.replayCountMax))
    let (now, settings) = (clock.now(), settings)
    var count = 0
    _ = try store.changeQueue(of: endpoint) { (queue) throws(LedgerError) in
      count = 0
      for letter in letters {
        guard queue.waiting.count(where: \.isReplay) < settings.replayCountMax else { break }
        try queue.replay(letter.transaction, at: now, settings)
        count += 1
      }
    }
    return count
  }

  /// Sends a message of type `TEST` now, once.
  ///
  /// - Throws: `LedgerError` with `configuration` where this server sends nothing.
  package func test(_ endpoint: WebhookEndpoint) async throws(LedgerError) -> WebhookAnswer {
    guard let context else { throw LedgerError(.configuration, "This server was started without webhooks.") }
    let now = clock.now()
    let id = "test_" + IdempotencyKey.timeOrdered(at: now).text
    return try await context.post(.test(id: id, at: now, appID: appID), to: endpoint)
  }
}
#endif
