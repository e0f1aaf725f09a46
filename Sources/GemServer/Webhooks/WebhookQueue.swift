#if Server
package import GemLedger

/// The delivery state of one endpoint; pure.
///
/// New events are read from the journal after the cursor. If an event fails, its customer waits: the customer's later
/// events are skipped until that event is delivered or given up, and are then read from the customer's history.
package struct WebhookQueue: Hashable, Sendable {
  /// A failed event, for which its customer waits.
  package struct Waiting: Hashable, Sendable {
    /// The first event of the customer that was not delivered.
    package var transaction: TransactionID
    /// The number of its failures.
    package var failures = 0
    /// The time of the next try.
    package var next: Timestamp
    /// The reason of the last failure; empty if it waits for another event.
    package var reason = ""
    /// Whether the receiver answered and refused the event.
    package var isRefused = false
    /// Whether it is an out-of-order replay, for which no customer waits.
    package var isReplay = false

    package init(_ transaction: TransactionID, next: Timestamp) {
      self.transaction = transaction
      self.next = next
    }
  }

  /// The time since which the endpoint accepts no messages.
  package struct Outage: Hashable, Sendable {
    package let since: Timestamp
    package var failures = 0
    package var next: Timestamp
  }

  /// The process that works on the endpoint.
  package struct Lease: Hashable, Sendable {
    package let owner: String
    package let until: Timestamp
  }

  /// The position up to which all events are delivered, given up or waiting.
  package var cursor: FeedCursor
  package var waiting: [Waiting] = []
  /// Nil while the endpoint takes messages.
  package var outage: Outage?
  /// The end of the pause that the receiver requested.
  package var pausedUntil: Timestamp?
  package var lease: Lease?

  package init(cursor: FeedCursor) { self.cursor = cursor }
}

// MARK: Due work

extension WebhookQueue {
  /// The number of waiting customers.
  package var customerCount: Int { waiting.count { !$0.isReplay } }

  func isPaused(at now: Timestamp) -> Bool { pausedUntil.map { now < $0 } ?? false }

  /// Whether new events may be read.
  func canRead(at now: Timestamp, _ settings: WebhookSettings) -> Bool {
    outage == nil && !isPaused(at: now) && customerCount < settings.waitingCountMax
  }

  /// Returns the waiting events to try now.
  ///
  /// While an endpoint is down, one event at a time is tried, a different event each time. Refused events are tried
  /// too: a refusal does not show that the endpoint is down.
  func due(at now: Timestamp) -> [Waiting] {
    guard !isPaused(at: now) else { return [] }
    guard let outage else { return waiting.filter { $0.next <= now } }
    var due = waiting.filter { $0.isRefused && $0.next <= now }
    guard outage.next <= now, !waiting.isEmpty else { return due }
    let probe = waiting[outage.failures % waiting.count]
    if !due.contains(where: { $0.transaction == probe.transaction }) { due.append(probe) }
    return due
  }

  /// Whether another process works on the endpoint.
  ///
  /// A lease that ends too late was taken by a clock that was far ahead, and does not count.
  func belongsToAnother(than owner: String, at now: Timestamp, _ settings: WebhookSettings) -> Bool {
    guard let lease else { return false }
    return lease.owner != owner && now < lease.until && lease.until <= now.advanced(by: settings.lease * 2)
  }
}

// MARK: Outcomes

extension WebhookQueue {
  private func index(of transaction: TransactionID) -> Int? {
    waiting.firstIndex { $0.transaction == transaction }
  }

  /// Adds an event that failed or must wait for another customer's event; its customer must not have a waiting event.
  ///
  /// - Parameter outcome: The outcome of the try; nil if the event was not tried.
  mutating func park(
    _ transaction: TransactionID, _ outcome: WebhookOutcome?, at now: Timestamp, _ settings: WebhookSettings
  ) {
    // A replayed event may also fail in its regular turn.
    remove(transaction)
    waiting.append(Waiting(transaction, next: now))
    if let outcome { _ = fail(transaction, at: transaction, outcome, now, settings) }
  }

  /// Records a failed try of a waiting customer's event.
  ///
  /// - Parameters:
  ///   - transaction: The event for which the customer waited.
  ///   - failed: The event that failed, the same event or a later one.
  /// - Returns: The event if it has no tries left.
  mutating func fail(
    _ transaction: TransactionID, at failed: TransactionID, _ outcome: WebhookOutcome, _ now: Timestamp,
    _ settings: WebhookSettings
  ) -> Waiting? {
    guard let index = index(of: transaction) else { return nil }
    if failed != transaction { (waiting[index].transaction, waiting[index].failures) = (failed, 0) }
    var retryAfter: Int64?
    switch outcome {
    case .refused(let reason): (waiting[index].reason, waiting[index].isRefused) = (reason, true)
    case .unavailable(let reason, let seconds):
      (waiting[index].reason, waiting[index].isRefused) = (reason, false)
      retryAfter = seconds
    case .delivered, .gone: return nil
    }
    if let retryAfter { pause(for: retryAfter, at: now, settings) }
    if !waiting[index].isRefused, let failures = outage?.failures {
      // While the endpoint is down, a failure does not count against the event.
      outage?.failures = failures + 1
      outage?.next = settings.nextProbe(afterFailures: failures + 1, at: now)
      return nil
    }
    waiting[index].failures += 1
    guard let next = settings.next(afterFailures: waiting[index].failures, at: now) else { return waiting[index] }
    waiting[index].next = max(next, pausedUntil ?? next)
    return nil
  }

  private mutating func pause(for seconds: Int64, at now: Timestamp, _ settings: WebhookSettings) {
    let until = now.advanced(milliseconds: min(seconds, settings.pauseSecondsMax) * 1000)
    pausedUntil = max(until, pausedUntil ?? until)
  }

  /// Records an accepted message; if the endpoint was down, all waiting events are due now.
  mutating func succeed(at now: Timestamp) {
    pausedUntil = nil
    guard outage != nil else { return }
    outage = nil
    for index in waiting.indices { waiting[index].next = min(waiting[index].next, now) }
  }

  /// Ends the waiting of a customer.
  mutating func remove(_ transaction: TransactionID) { waiting.removeAll { $0.transaction == transaction } }

  /// Makes the customer wait for a later event that was not tried yet.
  mutating func move(_ transaction: TransactionID, to later: TransactionID, next: Timestamp) {
    guard let index = index(of: transaction) else { return }
    if later != transaction {
      var waiting = Waiting(later, next: next)
      waiting.isReplay = self.waiting[index].isReplay
      self.waiting[index] = waiting
    } else {
      waiting[index].next = next
    }
  }

  /// Updates whether the endpoint is down.
  mutating func judge(at now: Timestamp, _ settings: WebhookSettings) {
    guard customerCount >= settings.waitingCountMax else {
      outage = nil
      return
    }
    outage = outage ?? Outage(since: now, next: settings.nextProbe(afterFailures: 0, at: now))
  }
}

// MARK: Replay

extension WebhookQueue {
  /// Sends the events after the cursor again.
  ///
  /// - Parameter isBehind: Returns whether a transaction follows the cursor, so that it is read again.
  package mutating func replay(
    from cursor: FeedCursor, isBehind: (TransactionID) -> Bool
  ) {
    waiting.removeAll { !$0.isReplay && isBehind($0.transaction) }
    (self.cursor, outage, pausedUntil) = (cursor, nil, nil)
  }

  /// Sends one event again, out of order; a waiting event is tried at once.
  ///
  /// - Throws: `LedgerError` with `limit_exceeded`.
  package mutating func replay(
    _ transaction: TransactionID, at now: Timestamp, _ settings: WebhookSettings
  ) throws(LedgerError) {
    if let index = index(of: transaction) {
      waiting[index].next = now
      return
    }
    guard waiting.count(where: \.isReplay) < settings.replayCountMax else {
      throw LedgerError(
        .limitExceeded, "\(settings.replayCountMax) events are already being sent again. Try again when some are done.",
        details: [.integer("limit", Int64(settings.replayCountMax))])
    }
    var replay = Waiting(transaction, next: now)
    replay.isReplay = true
    waiting.append(replay)
  }
}
#endif
