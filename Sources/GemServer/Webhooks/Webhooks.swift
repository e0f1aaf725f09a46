#if Server
package import GemLedger
internal import StoreReceipts

/// The webhooks of a project: its endpoints, and the delivery to them.
package final class Webhooks: Sendable {
  package let store: WebhookStore
  /// Delivers the events; nil if this server sends none.
  package let dispatcher: WebhookDispatcher?
  private let ledger: Ledger
  private let context: WebhookContext?
  private let sender: (any WebhookSender)?
  private let clock: LedgerClock
  private let settings: WebhookSettings
  private let appID: String

  /// - Parameters:
  ///   - sender: Sends the messages; nil if this server sends none.
  ///   - documents: Stores endpoints and queues; nil for the ledger's storage.
  ///   - owner: The unique name of this process.
  package init(
    _ ledger: Ledger, projectID: String, clock: LedgerClock, sender: (any WebhookSender)?,
    documents: (any ServerDocuments)? = nil, settings: WebhookSettings = WebhookSettings(),
    owner: String = IdempotencyKey.timeOrdered().text
  ) {
    self.ledger = ledger
    self.clock = clock
    self.settings = settings
    appID = projectID
    let store = WebhookStore(documents ?? ledger.documents)
    self.store = store
    self.sender = sender
    let context = sender.map {
      WebhookContext(
        ledger: ledger, store: store, sender: $0, clock: clock, settings: settings, owner: owner, appID: projectID)
    }
    self.context = context
    dispatcher = context.map(WebhookDispatcher.init)
  }

  /// Creates an endpoint that receives the events from now on.
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
    try store.add(endpoint, WebhookQueue(cursor: try ledger.feedPlaces.end()))
    return endpoint
  }

  /// Returns an endpoint.
  ///
  /// - Throws: `LedgerError` with `endpoint_not_found`.
  package func endpoint(_ id: String) throws(LedgerError) -> WebhookEndpoint {
    guard let endpoint = try store.endpoint(id) else { throw .noEndpoint(id) }
    return endpoint
  }

  /// The default time during which earlier secrets keep signing, in seconds: a day.
  package static let overlapSeconds: Int64 = 86_400
  package static let overlapSecondsMax: Int64 = 30 * 86_400

  /// Gives an endpoint a new secret; earlier secrets keep signing until the end of the overlap.
  ///
  /// - Throws: `LedgerError` with `endpoint_not_found`; `limit_exceeded` if too many earlier secrets still sign.
  package func rotateSecret(
    of id: String, at now: Timestamp, overlapSeconds: Int64
  ) throws(LedgerError) -> WebhookEndpoint {
    let changed = try store.change(id) { (endpoint) throws(LedgerError) in
      try endpoint.rotateSecret(at: now, overlapSeconds: overlapSeconds)
    }
    guard let changed else { throw .noEndpoint(id) }
    return changed
  }

  /// Refuses an address that messages cannot be sent to.
  ///
  /// - Throws: `LedgerError` with `invalid_request`; the detail `param` is `url`.
  package func check(url: String) throws(LedgerError) {
    try WebhookEndpoint.check(url: url)
    try sender?.check(url)
  }

  /// Sends the events after a cursor again.
  ///
  /// - Throws: `LedgerError` with `invalid_request` for a cursor that the feed did not return.
  package func replay(from cursor: FeedCursor, to endpoint: String) throws(LedgerError) {
    let position = try ledger.feedPlaces.position(at: cursor)
    _ = try store.changeQueue(of: endpoint) { (queue) throws(LedgerError) in
      queue.replay(from: cursor) { !position.covers($0.unprovenNumber) }
    }
  }

  /// Sends one event again.
  ///
  /// - Throws: `LedgerError` with, in order of precedence, `transaction_not_found`; `invalid_request` if the
  ///   transaction changed no balance or the endpoint's filter excludes it; `limit_exceeded`.
  package func replay(_ transaction: TransactionID, to endpoint: String) throws(LedgerError) {
    let event = try ledger.feedPlaces.event(of: transaction)
    guard event.isSent else {
      throw .parameter("event_id", "is a transaction that changed no balance, so no event is sent")
    }
    if let known = try store.endpoint(endpoint), !known.filter.takes(event) {
      throw .parameter("event_id", "is an event that the endpoint's filter excludes; change the filter first")
    }
    let (now, settings) = (clock.now(), settings)
    _ = try store.changeQueue(of: endpoint) { (queue) throws(LedgerError) in
      try queue.replay(transaction, at: now, settings)
    }
  }

  /// Sends dead letters again, the oldest first, up to the limit of concurrent replays.
  ///
  /// - Returns: The number of dead letters.
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
  /// - Throws: `LedgerError` with `configuration` if this server sends no webhooks.
  package func test(_ endpoint: WebhookEndpoint) async throws(LedgerError) -> WebhookAnswer {
    guard let context else { throw LedgerError(.configuration, "This server was started without webhooks.") }
    let now = clock.now()
    let id = "test_" + IdempotencyKey.timeOrdered(at: now).text
    return try await context.post(.test(id: id, at: now, appID: appID), to: endpoint)
  }
}
#endif
