#if Server
package import GemLedger

/// Where the delivery to one endpoint is; pure.
///
/// The events themselves are the journal behind the cursor. Where an event fails, its customer waits: the customer's
/// later events are passed over until that one is delivered or given up, and are then read from the customer's history.
package struct WebhookQueue: Hashable, Sendable {
  /// A failed event, behind which its customer waits.
  package struct Waiting: Hashable, Sendable {
    /// The first event of the customer that was not delivered.
    package var transaction: TransactionID
    /// How often it failed.
    package var failures = 0
    /// When it is tried again.
    package var next: Timestamp
    /// Why it failed last; empty where it waits for another one.
    package var reason = ""
    /// Whether the receiver was there and refused it.
    package var isRefused = false
    /// Whether it is a replay, out of order: then no customer waits behind it.
    package var isReplay = false

    package init(_ transaction: TransactionID, next: Timestamp) {
      self.transaction = transaction
      self.next = next
    }
  }

  /// The endpoint takes nothing.
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

  /// All events up to here are delivered, given up, or behind a waiting one.
  package var cursor: FeedCursor
  package var waiting: [Waiting] = []
  /// Nil while the endpoint takes messages.
  package var outage: Outage?
  /// The receiver asked for this pause.
  package var pausedUntil: Timestamp?
  package var lease: Lease?

  package init(cursor: FeedCursor) { self.cursor = cursor }
}

// MARK: Due work

extension WebhookQueue {
  /// How many customers wait.
  package var customerCount: Int { waiting.count { !$0.isReplay } }

  func isPaused(at now: Timestamp) -> Bool { pausedUntil.map { now < $0 } ?? false }

  /// Whether new events may be read.
  func canRead(at now: Timestamp, _ settings: WebhookSettings) -> Bool {
    outage == nil && !isPaused(at: now) && customerCount < settings.waitingCountMax
  }

  /// The waiting events that are to be tried now.
  ///
  /// Of an endpoint that is down one event at a time is tried, a different one each time, and those whose refusal says
  /// nothing about the endpoint.
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
  /// A lease that ends much later than any taken now was taken by a clock that was far ahead, and does not count.
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

  /// An event of a customer without a waiting event failed, or has to wait for another customer's event.
  ///
  /// - Parameter outcome: Nil where it was not tried.
  mutating func park(
    _ transaction: TransactionID, _ outcome: WebhookOutcome?, at now: Timestamp, _ settings: WebhookSettings
  ) {
    // One that was asked for again may fail in its turn too.
    remove(transaction)
    waiting.append(Waiting(transaction, next: now))
    if let outcome { _ = fail(transaction, at: transaction, outcome, now, settings) }
  }

  /// An event failed behind which a customer waits from now on.
  ///
  /// - Parameters:
  ///   - transaction: The one that the customer waited behind.
  ///   - failed: The one that failed, the same or a later one.
  /// - Returns: The event where it was tried as often as it may be.
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
      // That the endpoint is down is not the event's fault.
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

  /// The endpoint took a message: if it was down, it no longer is, and all are tried at once.
  mutating func succeed(at now: Timestamp) {
    pausedUntil = nil
    guard outage != nil else { return }
    outage = nil
    for index in waiting.indices { waiting[index].next = min(waiting[index].next, now) }
  }

  /// The customer waits no longer.
  mutating func remove(_ transaction: TransactionID) { waiting.removeAll { $0.transaction == transaction } }

  /// The customer waits behind a later event, which was not tried yet.
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

  /// Notes whether the endpoint is down.
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
  /// Sends the events behind the cursor again.
  ///
  /// - Parameter isBehind: Whether a transaction lies behind the cursor, so that it is read again.
  package mutating func replay(
    from cursor: FeedCursor, isBehind: (TransactionID) -> Bool
  ) {
    waiting.removeAll { !$0.isReplay && isBehind($0.transaction) }
    (self.cursor, outage, pausedUntil) = (cursor, nil, nil)
  }

  /// Sends one event again, out of order; one that waits already is tried at once.
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
        .limitExceeded, "\(settings.replayCountMax) events are being sent again already; ask when some are done.",
        details: [.integer("limit", Int64(settings.replayCountMax))])
    }
    var replay = Waiting(transaction, next: now)
    replay.isReplay = true
    waiting.append(replay)
  }
}
#endif
