#if Server
internal import GemLedger
internal import Synchronization

/// One turn of one process on one endpoint: waiting events that are due, then new ones.
///
/// All that was done is saved behind each page, in one document with the lease. A process that lost the lease, or that
/// works on a queue which was changed meanwhile, cannot save, so its messages may be sent again and none is left out.
struct WebhookTurn {
  let context: WebhookContext
  private(set) var endpoint: WebhookEndpoint
  private var queue: WebhookQueue
  private var version: Int64
  private let endsAt: Timestamp
  /// Why the ledger could not be read while messages were sent.
  private var failure: LedgerError?

  private var settings: WebhookSettings { context.settings }
  private var now: Timestamp { context.clock.now() }
  private var isOver: Bool { now >= endsAt || Task.isCancelled || endpoint.state != .active }

  /// Takes the endpoint where there is something to do.
  ///
  /// - Returns: Nil where there is nothing, or where another process does it.
  /// - Throws: `LedgerError` with `condition_failed` where another process changed the queue at the same time.
  static func begin(
    _ endpoint: WebhookEndpoint, _ context: WebhookContext
  ) async throws(LedgerError) -> WebhookTurn? {
    try await BlockingWork.run { () throws(LedgerError) -> WebhookTurn? in
      let now = context.clock.now()
      guard var (queue, version) = try context.store.queue(endpoint.id),
        !queue.belongsToAnother(than: context.owner, at: now)
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
  /// - Throws: `LedgerError` with `condition_failed` where the queue was changed or taken meanwhile.
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

  private mutating func save() async throws(LedgerError) {
    let (store, id, version) = (context.store, endpoint.id, version)
    queue.judge(at: now, settings)
    queue.lease = .init(owner: context.owner, until: now.advanced(by: settings.lease))
    let queue = queue
    self.version = try await BlockingWork.run { () throws(LedgerError) in
      try store.save(queue, of: id, replacing: version)
    }
    if let failure { throw failure }
  }

  private mutating func disable() async throws(LedgerError) {
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

// MARK: New events

extension WebhookTurn {
  /// What became of an event of a page.
  private enum Step: Sendable {
    case done
    case failed(WebhookOutcome)
    /// It waits for another customer's event.
    case waits
    /// It was not tried.
    case untried
    case broken(LedgerError)
  }

  /// Reads and sends a page of events.
  ///
  /// - Returns: Whether to read on.
  private mutating func read() async throws(LedgerError) -> Bool {
    let (context, cursor, waiting) = (context, queue.cursor, queue.waiting)
    let (page, order) = try await BlockingWork.run { () throws(LedgerError) -> (FeedPage, WebhookOrder) in
      var events: [FeedEvent] = []
      for waiting in waiting where !waiting.isReplay {
        events.append(try context.ledger.feedEvent(of: waiting.transaction))
      }
      return (
        try context.ledger.feed(after: cursor, limit: context.settings.pageSize), WebhookOrder(behind: events)
      )
    }
    guard !page.events.isEmpty else { return false }
    let steps = await steps(of: page.events, order)
    let count = try await take(steps, page.events)
    if count > 0 { queue.cursor = count == page.events.count ? page.next : page.cursors[count - 1] }
    try await save()
    return count == page.events.count
  }

  private func steps(of events: [FeedEvent], _ order: WebhookOrder) async -> [Step] {
    let parts = WebhookOrder.parts(of: events)
    // So many may fail: no more customers can wait.
    let room = Room(settings.waitingCountMax - queue.customerCount)
    let done = await concurrently(parts, atMost: settings.concurrency) { [self] part in
      await send(part.map { ($0, events[$0]) }, order, room)
    }
    var steps = [Step](repeating: .untried, count: events.count)
    for (index, step) in done.joined() { steps[index] = step }
    return steps
  }

  /// Sends events of one customer, one after the other.
  private func send(
    _ events: [(index: Int, event: FeedEvent)], _ order: WebhookOrder, _ room: Room
  ) async -> [(Int, Step)] {
    var order = order
    var steps: [(Int, Step)] = []
    for (index, event) in events {
      switch order.decide(event) {
      case .pass: steps.append((index, .done))
      case .wait:
        order.add(event)
        steps.append((index, .waits))
      case .send:
        guard !isOver, room.isLeft else { return steps }
        let step = await send(event)
        steps.append((index, step))
        switch step {
        case .done: break
        case .failed(.gone), .broken:
          room.close()
          return steps
        case .failed(let outcome):
          if case .unavailable(_, .some) = outcome { room.close() } else { room.take() }
          order.add(event)
        case .waits, .untried: break
        }
      }
    }
    return steps
  }

  private func send(_ event: FeedEvent) async -> Step {
    do throws(LedgerError) {
      let outcome = try await context.send(event, to: endpoint)
      return outcome == .delivered ? .done : .failed(outcome)
    } catch {
      return .broken(error)
    }
  }

  /// Notes what became of a page's events.
  ///
  /// - Returns: How many of them, from the first, are dealt with: what comes behind is read again.
  private mutating func take(_ steps: [Step], _ events: [FeedEvent]) async throws(LedgerError) -> Int {
    for (index, step) in steps.enumerated() {
      let transaction = try events[index].transaction()
      switch step {
      case .done: break
      case .untried: return index
      case .broken(let error):
        failure = error
        return index
      case .failed(.gone):
        try await disable()
        return index
      case .failed(let outcome):
        guard queue.customerCount < settings.waitingCountMax else { return index }
        queue.park(transaction, outcome, at: now, settings)
      case .waits:
        guard queue.customerCount < settings.waitingCountMax else { return index }
        queue.park(transaction, nil, at: now, settings)
      }
    }
    return steps.count
  }

  /// How many further messages may fail.
  private final class Room: Sendable {
    private let count: Mutex<Int>

    init(_ count: Int) { self.count = Mutex(count) }

    var isLeft: Bool { count.withLock { $0 > 0 } }
    func take() { count.withLock { $0 -= 1 } }
    func close() { count.withLock { $0 = 0 } }
  }
}

// MARK: Waiting events

extension WebhookTurn {
  /// How far a waiting customer came.
  private struct Advance: Sendable {
    enum End: Sendable {
      case done
      case failed(TransactionID, WebhookOutcome)
      /// The event is for later: the turn is over, or another customer's event comes first.
      case later(TransactionID, isBlocked: Bool)
      case broken(LedgerError)
    }

    let waiting: WebhookQueue.Waiting
    let end: End
    /// The last event that was delivered.
    let delivered: TransactionID?
  }

  private mutating func retry(_ due: [WebhookQueue.Waiting]) async throws(LedgerError) {
    let (ledger, all) = (context.ledger, queue.waiting)
    let events = try await BlockingWork.run { () throws(LedgerError) -> [TransactionID: FeedEvent] in
      var events: [TransactionID: FeedEvent] = [:]
      for waiting in all { events[waiting.transaction] = try ledger.feedEvent(of: waiting.transaction) }
      return events
    }
    let blockers = all.filter { !$0.isReplay }.compactMap { events[$0.transaction] }
    let turn = self
    let advances = await concurrently(due, atMost: settings.concurrency) { waiting in
      await turn.advance(waiting, events[waiting.transaction], blockers)
    }
    for advance in advances { try await take(advance) }
    try await save()
  }

  /// Sends a waiting event and the customer's later events.
  private func advance(
    _ waiting: WebhookQueue.Waiting, _ first: FeedEvent?, _ blockers: [FeedEvent]
  ) async -> Advance {
    var delivered: TransactionID?
    func ended(_ end: Advance.End) -> Advance { Advance(waiting: waiting, end: end, delivered: delivered) }
    var events = first.map { [$0] } ?? []
    do throws(LedgerError) {
      var last = waiting.transaction
      while !events.isEmpty {
        for event in events {
          last = try event.transaction()
          guard event.isSent else { continue }
          if isOver { return ended(.later(last, isBlocked: false)) }
          if !waiting.isReplay, Self.isBlocked(event, by: blockers) { return ended(.later(last, isBlocked: true)) }
          let outcome = try await context.send(event, to: endpoint)
          guard outcome == .delivered else { return ended(.failed(last, outcome)) }
          delivered = last
        }
        events = waiting.isReplay ? [] : try await next(behind: last)
      }
      return ended(.done)
    } catch {
      return ended(.broken(error))
    }
  }

  private func next(behind transaction: TransactionID) async throws(LedgerError) -> [FeedEvent] {
    let (ledger, cursor, limit) = (context.ledger, queue.cursor, settings.pageSize)
    return try await BlockingWork.run { () throws(LedgerError) in
      try ledger.feedEvents(ofCustomerBehind: transaction, upTo: cursor, limit: limit)
    }
  }

  /// Whether another customer of the event waits behind an earlier one.
  private static func isBlocked(_ event: FeedEvent, by blockers: [FeedEvent]) -> Bool {
    blockers.contains { blocker in
      guard blocker.owner != event.owner, let first = blocker.record.booking.transactionID,
        let own = event.record.booking.transactionID
      else { return false }
      return first < own && !Set(blocker.customers).isDisjoint(with: event.customers)
    }
  }

  private mutating func take(_ advance: Advance) async throws(LedgerError) {
    let waiting = advance.waiting.transaction
    if let delivered = advance.delivered {
      queue.succeed(at: now)
      try await unbury(waiting)
      if delivered != waiting, case .broken = advance.end { queue.move(waiting, to: delivered, next: now) }
    }
    switch advance.end {
    case .done: queue.remove(waiting)
    case .broken(let error): failure = error
    case .later(let transaction, let isBlocked):
      queue.move(waiting, to: transaction, next: isBlocked ? now.advanced(milliseconds: 1000) : now)
    case .failed(let transaction, .gone):
      queue.move(waiting, to: transaction, next: now)
      try await disable()
    case .failed(let transaction, let outcome):
      if let dead = queue.fail(waiting, at: transaction, outcome, now, settings) { try await giveUp(dead) }
    }
  }

  /// Keeps an event as a dead letter; its customer goes on behind it.
  private mutating func giveUp(_ dead: WebhookQueue.Waiting) async throws(LedgerError) {
    let (store, id, now) = (context.store, endpoint.id, now)
    try await BlockingWork.run { () throws(LedgerError) in try store.bury(dead, of: id, at: now) }
    guard !dead.isReplay, let next = try await next(behind: dead.transaction).first else {
      queue.remove(dead.transaction)
      return
    }
    queue.move(dead.transaction, to: try next.transaction(), next: now)
  }

  private func unbury(_ transaction: TransactionID) async throws(LedgerError) {
    let (store, id) = (context.store, endpoint.id)
    try await BlockingWork.run { () throws(LedgerError) in try store.unbury(transaction, of: id) }
  }
}
#endif
