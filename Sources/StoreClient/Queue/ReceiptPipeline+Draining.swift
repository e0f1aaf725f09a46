internal import GemLedger
internal import StoreBackend

extension ReceiptPipeline {
  /// Drains the queue: finishes the credited receipts, then posts the waiting ones, oldest first.
  ///
  /// - Parameter everything: Whether to ignore back-off, to continue after failures, and to wait for receipts that
  ///   other tasks are posting.
  /// - Returns: Whether the backend could be reached.
  @discardableResult
  func drain(everything: Bool = false) async -> Bool {
    await finish(queue.read { $0.ordered { $0.status == .finishOnly }.map(\.receipt.key) })
    let now = clock.now()
    let due = queue.read { state in
      state.ordered {
        everything && $0.status == .posting || $0.status == .waiting && (everything || $0.nextAttemptAt <= now)
      }.map(\.receipt.key)
    }
    var isReached = true
    for start in stride(from: 0, to: due.count, by: Self.batchCount) where isReached || everything {
      let batch = Array(due[start..<min(start + Self.batchCount, due.count)])
      isReached = Self.isReached(await postNow(batch, stopsEarly: !everything))
    }
    markProvisional()
    return isReached
  }

  /// Posts the store's unfinished transactions in the store's order, one page at a time, so that memory is bounded.
  ///
  /// - Returns: Whether it reached the end.
  @discardableResult
  func sweep(current: () -> CustomerID) async -> Bool {
    var after: StoreTransactionID?
    var before: [ReceiptKey] = []
    var (done, seen) = (0, 0)
    while true {
      guard let keys = await enqueueUnfinished(after: after, current: current) else { return false }
      guard !keys.isEmpty else { return true }
      seen += keys.count
      let outcomes = await postDue(keys)
      let left = queue.read { state in keys.filter { state.items[$0] != nil } }
      done += keys.count - left.count
      if seen > Self.batchCount || keys.count == Self.batchCount { emit(.progress(done: done, seen: seen)) }
      guard Self.isReached(outcomes), keys.count == Self.batchCount else {
        markProvisional()
        return Self.isReached(outcomes)
      }
      // Finished transactions leave the store's list, so the next page begins after an unfinished one. If a store still
      // lists them, it is not asked for the same page again.
      after = left.last?.id ?? (keys == before ? keys.last?.id : after)
      before = keys
    }
  }

  /// Puts the next page of the store's unfinished transactions into the queue.
  ///
  /// - Returns: The keys in the page; nil if the store did not answer.
  private func enqueueUnfinished(after: StoreTransactionID?, current: () -> CustomerID) async -> [ReceiptKey]? {
    queue.openListing()
    defer { queue.closeListing() }
    do throws(StoreFailure) {
      let page = try await storefront.unfinished(after: after, limit: Self.batchCount)
      return page.isEmpty ? [] : enqueue(page, source: .sweep, current: current())
    } catch { return nil }
  }

  /// Posts refunds and reversed refunds that happened while no listener was running.
  ///
  /// A finished consumable is in no other list, and the store does not deliver its refund again.
  ///
  /// - Returns: Whether all of them were read, and are posted or in the queue.
  func sweepRefunds(current: () -> CustomerID) async -> Bool {
    queue.openListing()
    defer { queue.closeListing() }
    let listed: [StoreEvidence]
    do throws(StoreFailure) { listed = try await storefront.all() } catch { return false }
    let news = queue.read { state in listed.filter(state.isNewRefundNotice) }
    for start in stride(from: 0, to: news.count, by: Self.batchCount) {
      let page = Array(news[start..<min(start + Self.batchCount, news.count)])
      let keys = enqueue(page, source: .refunds, current: current())
      // If the backend becomes unreachable, the rest stays at the store.
      guard Self.isReached(await postDue(keys)) else { return start + Self.batchCount >= news.count }
    }
    return true
  }

  /// Posts queued receipts that are untried or have new evidence, waits for receipts that other tasks are posting, and
  /// finishes the credited receipts.
  func join() async {
    await postUntried()
    for key in queue.read({ $0.ordered { $0.status == .posting }.map(\.receipt.key) }) { _ = await outcome(of: key) }
    // New evidence may have arrived during the posts.
    await postUntried()
    await finish(queue.read { $0.ordered { $0.status == .finishOnly }.map(\.receipt.key) })
  }

  private func postUntried() async {
    let now = clock.now()
    let untried = queue.read { state in
      state.ordered { $0.status == .waiting && ($0.attemptCount == 0 || $0.nextAttemptAt <= now) }.map(\.receipt.key)
    }
    _ = await postNow(untried)
  }

  /// Finishes and posts the due receipts.
  private func postDue(_ keys: [ReceiptKey]) async -> [ReceiptKey: PostOutcome] {
    let now = clock.now()
    let due = queue.read { state in
      keys.filter { state.items[$0].map { $0.status != .waiting || $0.nextAttemptAt <= now } ?? true }
    }
    await finish(due)
    return await postNow(due.filter { key in queue.read { $0.items[key]?.status == .waiting } })
  }

  private static func isReached(_ outcomes: [ReceiptKey: PostOutcome]) -> Bool {
    !outcomes.values.contains {
      if case .waiting(let error) = $0 { PostVerdict(error.code) == .retryLater } else { false }
    }
  }

  /// Shows receipts as provisional that wait too long; the event is durable before it is visible.
  func markProvisional() {
    guard let after = settings.provisionalAfter else { return }
    let latest = clock.now().milliseconds(since: Timestamp(milliseconds: after.wholeMilliseconds))
    let due = queue.read { state in
      state.ordered {
        ($0.status == .waiting || $0.status == .posting) && $0.provisionalSince == nil && !$0.receipt.grants.isEmpty
          && $0.receipt.seenAt.milliseconds <= latest
      }.map(\.receipt.key)
    }
    guard !due.isEmpty else { return }
    let now = clock.now()
    do throws(LedgerError) {
      try queue.record(due.map { .provisional($0, now) })
    } catch {
      emit(.notKept(error))
      return
    }
    for key in due {
      if let view = view(key) { emit(.provisional(view)) }
    }
  }

  /// Returns when the next step is due: a try, or a provisional credit.
  func nextWakeUp() -> Timestamp? {
    let after = settings.provisionalAfter?.wholeMilliseconds
    return queue.read { state in
      state.items.values.lazy.compactMap { item -> Timestamp? in
        guard item.status == .waiting else { return nil }
        guard let after, item.provisionalSince == nil, !item.receipt.grants.isEmpty else { return item.nextAttemptAt }
        return min(item.nextAttemptAt, item.receipt.seenAt.advanced(milliseconds: after))
      }.min()
    }
  }
}
