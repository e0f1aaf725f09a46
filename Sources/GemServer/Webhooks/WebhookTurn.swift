#if Server
internal import GemLedger

/// One turn of one process on one endpoint: first the waiting events that are due, then new events.
///
/// After each page it saves the progress and the lease in one document. A process that lost the lease, or that works on
/// an outdated queue, cannot save. Its messages may then be sent again, and none is lost.
struct WebhookTurn {
  let context: WebhookContext
  private(set) var endpoint: WebhookEndpoint
  var queue: WebhookQueue
  private var version: Int64
  private let endsAt: Timestamp
  /// The error of the ledger that ended the sending of messages.
  var failure: LedgerError?

  var settings: WebhookSettings { context.settings }
  var now: Timestamp { context.clock.now() }
  var isOver: Bool { now >= endsAt || Task.isCancelled || endpoint.state != .active }

  /// Takes the endpoint if there is work to do.
  ///
  /// - Returns: The turn; nil if there is no work, or if another process does it.
  /// - Throws: `LedgerError` with `condition_failed` if another process changed the queue at the same time.
  static func begin(
    _ endpoint: WebhookEndpoint, _ context: WebhookContext
  ) async throws(LedgerError) -> WebhookTurn? {
    try await BlockingWork.run { () throws(LedgerError) -> WebhookTurn? in
      let now = context.clock.now()
      guard var (queue, version) = try context.store.queue(endpoint.id),
        !queue.belongsToAnother(than: context.owner, at: now, context.settings)
      else { return nil }
      if queue.due(at: now).isEmpty {
        guard queue.canRead(at: now, context.settings),
          try !context.ledger.feed(after: queue.cursor, limit: 1).events.isEmpty
        else { return nil }
      }
      let half = context.settings.lease.wholeMilliseconds / 2
      if queue.lease?.owner != context.owner || now.advanced(milliseconds: half) > queue.lease?.until ?? now {
        queue.lease = .init(owner: context.owner, until: now.advanced(by: context.settings.lease))
        version = try context.store.save(queue, of: endpoint.id, replacing: version)
      }
      return WebhookTurn(context, endpoint, queue, version, endsAt: now.advanced(by: context.settings.turn))
    }
  }

  private init(
    _ context: WebhookContext, _ endpoint: WebhookEndpoint, _ queue: WebhookQueue, _ version: Int64, endsAt: Timestamp
  ) {
    self.context = context
    self.endpoint = endpoint
    self.queue = queue
    self.version = version
    self.endsAt = endsAt
  }

  /// Works until nothing is due or the turn is over.
  ///
  /// - Returns: Whether there is more to do now.
  /// - Throws: `LedgerError` with `condition_failed` if the queue was changed or taken meanwhile.
  mutating func run() async throws(LedgerError) -> Bool {
    while !isOver {
      let due = queue.due(at: now)
      guard !due.isEmpty else { break }
      try await retry(due)
    }
    while !isOver, queue.canRead(at: now, settings) {
      guard try await read() else { break }
    }
    return isOver && endpoint.state == .active
  }

  mutating func save() async throws(LedgerError) {
    let (store, id, version) = (context.store, endpoint.id, version)
    queue.judge(at: now, settings)
    queue.lease = .init(owner: context.owner, until: now.advanced(by: settings.lease))
    let queue = queue
    let (saved, current) = try await BlockingWork.run { () throws(LedgerError) in
      (try store.save(queue, of: id, replacing: version), try store.endpoint(id))
    }
    self.version = saved
    // Changes of the endpoint apply from the next page on.
    if let current { endpoint = current }
    if let failure { throw failure }
  }

  mutating func disable() async throws(LedgerError) {
    let (store, id) = (context.store, endpoint.id)
    let changed = try await BlockingWork.run { () throws(LedgerError) in
      try store.change(id) { endpoint in
        (endpoint.state, endpoint.disabledReason) = (.disabled, "The receiver answered 410 Gone.")
      }
    }
    endpoint.state = .disabled
    if let changed { endpoint = changed }
  }
}
#endif
