#if Server
internal import GemLedger

/// Waiting events.
extension WebhookTurn {
  /// The progress of a waiting customer.
  private struct Advance: Sendable {
    enum End: Sendable {
      case done
      case failed(TransactionID, WebhookOutcome)
      /// The event is tried later: the turn is over, or another customer's event must precede it.
      case later(TransactionID, isBlocked: Bool)
      case broken(LedgerError)
    }

    let waiting: WebhookQueue.Waiting
    let end: End
    /// The last event that was delivered.
    let delivered: TransactionID?
  }

  mutating func retry(_ due: [WebhookQueue.Waiting]) async throws(LedgerError) {
    let (ledger, all) = (context.ledger, queue.waiting)
    let events = try await BlockingWork.run { () throws(LedgerError) -> [TransactionID: FeedEvent] in
      var events: [TransactionID: FeedEvent] = [:]
      for waiting in all { events[waiting.transaction] = try ledger.feedPlaces.event(of: waiting.transaction) }
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
    var feed: CustomerFeed?
    do throws(LedgerError) {
      var last = waiting.transaction
      while !events.isEmpty {
        for event in events {
          last = try event.transaction()
          guard endpoint.filter.takes(event) else { continue }
          if isOver { return ended(.later(last, isBlocked: false)) }
          if !waiting.isReplay, Self.isBlocked(event, by: blockers) { return ended(.later(last, isBlocked: true)) }
          let outcome = try await context.send(event, to: endpoint)
          guard outcome == .delivered else { return ended(.failed(last, outcome)) }
          delivered = last
        }
        if waiting.isReplay { break }
        (events, feed) = try await next(feed, behind: last)
      }
      return ended(.done)
    } catch {
      return ended(.broken(error))
    }
  }

  /// Reads the customer's next events; the first call passes no feed.
  private func next(
    _ feed: CustomerFeed?, behind transaction: TransactionID
  ) async throws(LedgerError) -> ([FeedEvent], CustomerFeed) {
    let (ledger, cursor, limit) = (context.ledger, queue.cursor, settings.pageSize)
    return try await BlockingWork.run { () throws(LedgerError) -> ([FeedEvent], CustomerFeed) in
      var feed = if let feed { feed } else { try ledger.feedPlaces.events(ofCustomerAfter: transaction, upTo: cursor) }
      return (try feed.next(limit), feed)
    }
  }

  /// Returns whether another customer of the event waits for an earlier event.
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

  /// Stores an event as a dead letter; its customer continues with the next event.
  private mutating func giveUp(_ dead: WebhookQueue.Waiting) async throws(LedgerError) {
    let (store, id, now) = (context.store, endpoint.id, now)
    try await BlockingWork.run { () throws(LedgerError) in try store.bury(dead, of: id, at: now) }
    guard !dead.isReplay, let next = try await next(nil, behind: dead.transaction).0.first else {
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
