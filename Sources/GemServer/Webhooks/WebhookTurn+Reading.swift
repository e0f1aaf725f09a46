#if Server
internal import GemLedger
internal import Synchronization

/// New events.
extension WebhookTurn {
  /// The outcome of an event of a page.
  private enum Step: Sendable {
    case done
    case failed(WebhookOutcome)
    /// The event waits for another customer's event.
    case waits
    /// The event was not tried.
    case untried
    case broken(LedgerError)
  }

  /// Reads and sends a page of events.
  ///
  /// - Returns: Whether more events may be read.
  mutating func read() async throws(LedgerError) -> Bool {
    let (context, cursor, waiting, filter) = (context, queue.cursor, queue.waiting, endpoint.filter)
    let (page, order) = try await BlockingWork.run { () throws(LedgerError) -> (FeedPage, WebhookOrder) in
      var events: [FeedEvent] = []
      for waiting in waiting where !waiting.isReplay {
        events.append(try context.ledger.feedPlaces.event(of: waiting.transaction))
      }
      return (
        try context.ledger.feed(after: cursor, limit: context.settings.pageSize),
        WebhookOrder(behind: events, filter: filter)
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
    // The limit of waiting customers limits the number of failures.
    let room = Room(settings.waitingCountMax - queue.customerCount)
    let done = await concurrently(parts, atMost: settings.concurrency) { [self] part in
      await send(part.map { ($0, events[$0]) }, order, room)
    }
    var steps = [Step](repeating: .untried, count: events.count)
    for (index, step) in done.joined() { steps[index] = step }
    return steps
  }

  /// Sends a customer's events one by one.
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

  /// Records the outcomes of a page's events.
  ///
  /// - Returns: The number of leading events that are done; the others are read again.
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

  /// The number of further messages that may fail.
  private final class Room: Sendable {
    private let count: Mutex<Int>

    init(_ count: Int) { self.count = Mutex(count) }

    var isLeft: Bool { count.withLock { $0 > 0 } }
    func take() { count.withLock { $0 -= 1 } }
    func close() { count.withLock { $0 = 0 } }
  }
}
#endif
