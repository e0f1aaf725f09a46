internal import GemLedger
internal import StoreBackend
internal import Synchronization

/// The outcome of posting a receipt.
enum PostOutcome: Sendable {
  /// It is credited, now or earlier.
  case credited(ReceiptAnswer)
  /// It waits for its next try.
  case waiting(LedgerError)
  /// It was refused for good.
  case refused(LedgerError)
  /// Another task completed it.
  case done
}

/// Posts receipts from the store to the backend, and informs the store about the credits.
///
/// The order of steps for each: durable in the queue, credited, marked finish-only, finished at the store, dropped.
final class ReceiptPipeline: Sendable {
  /// The number of receipts to process before the queue is written: they share its syncs.
  static let batchCount = 64

  let queue: ReceiptQueue
  let backend: any PurchaseBackend
  let storefront: any Storefront
  let clock: StoreClock
  let settings: Settings
  private let observer = Mutex(Observers())
  private let waiters = Mutex<[ReceiptKey: [Waiter]]>([:])

  /// A task that waits for another task's attempt.
  private struct Waiter {
    let attempt: Int
    let continuation: CheckedContinuation<PostOutcome, Never>
  }

  struct Settings: Sendable {
    var retry: RetryPolicy
    var randomness: @Sendable () -> UInt64
    var isTwoStep: Bool
    var provisionalAfter: Duration?
    var onStep: (@Sendable (PurchaseStep) -> Void)?
  }

  struct Observers: Sendable {
    var onEvent: (@Sendable (ReceiptPipelineEvent) -> Void)?
    var onCredited: (@Sendable (QueueItem, ReceiptAnswer) async -> Void)?
    var onRefused: (@Sendable (QueueItem, LedgerError) -> Void)?
    var onFinished: (@Sendable (QueueItem) -> Void)?
    /// Called with the time at which the next step is due.
    var onWakeUp: (@Sendable (Timestamp) -> Void)?
    /// The events before the first listener.
    var unheard: [ReceiptPipelineEvent] = []
  }

  init(
    queue: ReceiptQueue, backend: any PurchaseBackend, storefront: any Storefront, clock: StoreClock, settings: Settings
  ) {
    self.queue = queue
    self.backend = backend
    self.storefront = storefront
    self.clock = clock
    self.settings = settings
  }

  func observe(_ change: (inout Observers) -> Void) { observer.withLock { change(&$0) } }

  var observers: Observers { observer.withLock { $0 } }

  /// Reports an event, if there is a listener.
  func emit(_ event: @autoclosure () -> ReceiptPipelineEvent) {
    guard let listener = observer.withLock({ $0.onEvent }) else { return }
    listener(event())
  }

  func step(_ step: PurchaseStep) { settings.onStep?(step) }

  /// Records events that have happened; if this fails, the store still has the transactions.
  func note(_ events: [QueueEvent]) {
    if let error = queue.note(events) { emit(.notKept(error)) }
  }

  /// Records the refusal of a waiting provisional spend.
  ///
  /// - Returns: Whether it was still waiting: another task may have informed the app, which may have forgotten it.
  func note(refused spend: ProvisionalSpend) -> Bool {
    var isWaiting = false
    let error = queue.note { _ in
      isWaiting = queue.read { $0.provisionalSpend(of: spend.customer, spend.key)?.isWaiting } ?? false
      return isWaiting ? [.spentProvisionally(spend)] : []
    }
    if let error { emit(.notKept(error)) }
    return isWaiting
  }

  func view(_ key: ReceiptKey) -> ReceiptQueueItem? { queue.read { $0.items[key]?.view } }
}

// MARK: Coming in

extension ReceiptPipeline {
  /// Puts evidence into the queue, in one append.
  ///
  /// - Parameter intent: The announced purchase that resulted in the first transaction, if any.
  /// - Returns: The keys, in the order of the evidence.
  func enqueue(
    _ evidence: [StoreEvidence], source: ReceiptPost.Source, current: CustomerID, intent: PurchaseIntent? = nil
  ) -> [ReceiptKey] {
    let (now, isListed) = (clock.now(), source == .sweep || source == .refunds)
    var (fresh, known): ([ReceiptKey], [ReceiptKey]) = ([], [])
    let error = queue.note { finished in
      var events: [QueueEvent] = []
      for one in evidence {
        if let item = queue.read({ $0.items[one.key] }) {
          guard item.isNews(revision: one.revision, receipt: one.receipt) else {
            known.append(one.key)
            continue
          }
        } else if isListed, finished.contains(one.key), queue.read({ $0.isPosted(one) }) {
          // The list is older than the receipt's end.
          continue
        }
        fresh.append(one.key)
        events += arrival(of: one, source: source, current: current, intent: intent, now: now)
      }
      // The announced purchase is over, no matter which transaction resulted from it.
      if let intent, !events.contains(where: { $0.ends(intent) }) { events.append(.intentEnded(intent.number)) }
      return events
    }
    if let error { emit(.notKept(error)) }
    for key in known {
      if let view = view(key) { emit(.duplicateSkipped(view)) }
    }
    for key in fresh {
      step(.queued)
      guard let item = queue.read({ $0.items[key] }) else { continue }
      emit(item.status == .deadLettered ? .deadLettered(item.view) : .queued(item.view))
    }
    for one in evidence where fresh.contains(one.key) {
      guard let failure = one.unverified, let item = queue.read({ $0.items[one.key] }) else { continue }
      observers.onRefused?(item, Self.unverified(failure))
    }
    return evidence.map(\.key)
  }

  private func arrival(
    of evidence: StoreEvidence, source: ReceiptPost.Source, current: CustomerID, intent: PurchaseIntent?, now: Timestamp
  ) -> [QueueEvent] {
    let transaction = evidence.transaction
    let (matched, buyer, product) = queue.read { state -> (PurchaseIntent?, CustomerID?, KnownProduct?) in
      let own = intent.flatMap { Self.isOf($0, transaction) ? $0 : nil }
      // A transaction from a sweep for refunds is an earlier purchase, and not the purchase that was just announced.
      let matched = own ?? (source == .refunds ? nil : state.intent(for: transaction))
      let named = transaction.accountToken.flatMap(state.customer(with:))
      return (
        matched, named ?? matched?.buyer, state.productsByStoreID[ByteString(transaction.storeProductID)]
      )
    }
    // A token without a customer of this device belongs to another buyer on the store account: the receipt is posted,
    // but shown to no customer.
    let isOwn = buyer != nil || transaction.accountToken == nil
    let receipt = QueuedReceipt(
      evidence, buyer: buyer ?? current, product: product, source: source, order: matched?.order, seenAt: now,
      isProvisional: isOwn, isAnnounced: matched != nil)
    var events = [QueueEvent.queued(receipt)]
    if let matched { events.append(.intentEnded(matched.number)) }
    if let failure = evidence.unverified {
      let error = Self.unverified(failure)
      let attempt = FailedAttempt(failure: ReceiptQueueItem.Failure(error), count: 0, firstPostedAt: now)
      events.append(.deadLettered(receipt.key, attempt, revision: receipt.revision))
    }
    return events
  }

  /// Returns whether the store made the transaction for this purchase, and not for an earlier purchase of the product.
  private static func isOf(_ intent: PurchaseIntent, _ transaction: StoreTransaction) -> Bool {
    guard let token = transaction.accountToken else { return true }
    return token == intent.token
  }

  static func unverified(_ failure: VerificationFailure) -> LedgerError {
    LedgerError(
      .receiptUnverified, "The store's evidence of the purchase could not be verified: \(failure.rawValue).",
      details: [.text("check", failure.rawValue)])
  }
}

// MARK: Posting and finishing

extension ReceiptPipeline {
  /// Posts the receipts one after another, and finishes the credited receipts.
  ///
  /// - Parameter stopsEarly: Whether to stop while the backend is unreachable.
  /// - Returns: The outcome of each receipt that was tried.
  func postNow(_ keys: [ReceiptKey], stopsEarly: Bool = true) async -> [ReceiptKey: PostOutcome] {
    var outcomes: [ReceiptKey: PostOutcome] = [:]
    var (posted, credited): ([QueueItem], [QueueItem]) = ([], [])
    var others: [ReceiptKey] = []
    var events: [QueueEvent] = []
    for key in keys {
      guard let item = queue.claim(key, now: clock.now()) else {
        others.append(key)
        continue
      }
      posted.append(item)
      do throws(LedgerError) {
        let answer = try await post(item)
        step(.credited)
        outcomes[key] = .credited(answer)
        credited.append(item)
        events.append(.credited(key, revision: item.receipt.revision))
      } catch  where error.code == .receiptRevoked && item.receipt.source == .refunds {
        // The backend knows the refund now, and had credited no customer: no step remains.
        outcomes[key] = .done
        events.append(.refundPosted(key, revision: item.receipt.revision))
      } catch {
        let verdict = PostVerdict(error.code)
        outcomes[key] = verdict == .deadLetter ? .refused(error) : .waiting(error)
        events.append(failure(error, of: item, verdict))
        if stopsEarly, verdict == .retryLater { break }
      }
    }
    if !events.isEmpty { note(events) }
    if !credited.isEmpty { step(.finishOnly) }
    await announce(posted.map(\.receipt.key), outcomes, credited)
    await finish(credited.map(\.receipt.key))
    resume(posted, outcomes)
    // The wait must be last: another task may wait for this task's receipts, while it posts one of those.
    for key in others { outcomes[key] = await outcome(of: key) }
    return outcomes
  }

  private func failure(_ error: LedgerError, of item: QueueItem, _ verdict: PostVerdict) -> QueueEvent {
    let now = clock.now()
    let attempt = FailedAttempt(
      failure: ReceiptQueueItem.Failure(error), count: item.attemptCount, firstPostedAt: item.firstPostedAt ?? now)
    guard verdict != .deadLetter else {
      return .deadLettered(item.receipt.key, attempt, revision: item.receipt.revision)
    }
    let next = settings.retry.nextAttempt(
      after: error, count: item.attemptCount, now: now, random: settings.randomness())
    return .failed(item.receipt.key, attempt, next: next)
  }

  private func announce(
    _ posted: [ReceiptKey], _ outcomes: [ReceiptKey: PostOutcome], _ credited: [QueueItem]
  ) async {
    let observers = self.observers
    for item in credited {
      if observers.onEvent != nil, let view = view(item.receipt.key) { emit(.posted(view)) }
      if case .credited(let answer)? = outcomes[item.receipt.key] { await observers.onCredited?(item, answer) }
    }
    var wakeUp: Timestamp?
    guard credited.count < posted.count else { return }
    for key in posted {
      guard let outcome = outcomes[key], let item = queue.read({ $0.items[key] }) else { continue }
      switch outcome {
      case .waiting:
        wakeUp = min(wakeUp ?? item.nextAttemptAt, item.nextAttemptAt)
        emit(.retryScheduled(item.view))
      case .refused(let error):
        emit(.deadLettered(item.view))
        observers.onRefused?(item, error)
      case .credited, .done: break
      }
    }
    if let wakeUp { observers.onWakeUp?(wakeUp) }
  }

  /// Finishes the credited receipts at the store, and drops them.
  ///
  /// If the store cannot finish a receipt now, it stays finish-only. The removal is written lazily, because finishing
  /// twice is harmless.
  func finish(_ keys: [ReceiptKey]) async {
    for key in keys {
      guard let item = queue.read({ $0.items[key] }), item.status == .finishOnly else { continue }
      do throws(StoreFailure) { try await storefront.finish(key.id) } catch {
        let again = clock.now().advanced(by: settings.retry.cap)
        observers.onWakeUp?(again)
        continue
      }
      step(.finished)
      // Another task may have finished it in the meantime, and informed the app.
      guard queue.noteLazily([.finished(key)]) || queue.read({ $0.items[key] != nil }) else { continue }
      emit(.finished(item.view))
      observers.onFinished?(item)
    }
  }

  /// Returns the outcome of a receipt that another task is posting, or has posted.
  func outcome(of key: ReceiptKey) async -> PostOutcome {
    await withCheckedContinuation { continuation in
      let known: PostOutcome? = waiters.withLock { waiters in
        let item = queue.read { $0.items[key] }
        guard let item, item.status == .posting else { return Self.outcome(of: item) }
        waiters[key, default: []].append(Waiter(attempt: item.attemptCount, continuation: continuation))
        return nil
      }
      if let known { continuation.resume(returning: known) }
    }
  }

  private static func outcome(of item: QueueItem?) -> PostOutcome {
    guard let item, let failure = item.lastError else { return .done }
    var details: [LedgerError.Detail] = []
    if let id = failure.requestID { details.append(.text("request_id", id)) }
    let error = LedgerError(failure.code, failure.message, details: details)
    switch item.status {
    case .waiting, .posting: return .waiting(error)
    case .deadLettered: return .refused(error)
    case .finishOnly: return .done
    }
  }

  /// Passes the outcomes to the tasks that wait for these attempts; a later attempt may already be running.
  private func resume(_ posted: [QueueItem], _ outcomes: [ReceiptKey: PostOutcome]) {
    for item in posted {
      let key = item.receipt.key
      guard let outcome = outcomes[key] else { continue }
      let resumed = waiters.withLock { waiters -> [Waiter] in
        guard var all = waiters.removeValue(forKey: key) else { return [] }
        let later = all.partition { $0.attempt > item.attemptCount }
        if later < all.endIndex { waiters[key] = Array(all[later...]) }
        return Array(all[..<later])
      }
      for waiter in resumed { waiter.continuation.resume(returning: outcome) }
    }
  }
}
