internal import Dispatch

extension Ledger {
  /// Returns the feed as it grows: pages of events as they are booked, by any process.
  ///
  /// ```swift
  /// for try await page in ledger.feedUpdates(after: cursor) {
  ///   handle(page.events)
  ///   keep(page.next)
  /// }
  /// ```
  ///
  /// It first gives the earlier transactions. Commits of this process are noticed at once. Those of other processes are
  /// noticed if the storage can notify (PostgreSQL, within some twenty milliseconds); it also polls at the interval.
  /// The next page is read on demand, so that a slow reader gathers no pages. It ends without an error when the task is
  /// cancelled or the ledger closed.
  ///
  /// - Parameters:
  ///   - cursor: The cursor after which the feed begins; nil for the beginning of the journal.
  ///   - limit: Most events of a page, 1 to ``Limits/historyPage``.
  ///   - interval: How long after the last read it polls again without a commit notification.
  /// - Returns: Pages with at least one event each. Reading throws ``LedgerError`` as ``feed(after:limit:)`` does; a
  ///   new call with the last cursor misses nothing.
  public func feedUpdates(
    after cursor: FeedCursor? = nil, limit: Int = 100, polling interval: Duration = .seconds(1)
  ) -> FeedUpdates {
    FeedUpdates(ledger: self, cursor: cursor, limit: limit, interval: interval)
  }
}

/// Pages of the feed as it grows; see ``Ledger/feedUpdates(after:limit:polling:)``.
public struct FeedUpdates: AsyncSequence, Sendable {
  /// A page with at least one event.
  public typealias Element = FeedPage
  /// Why the feed could not be read.
  public typealias Failure = LedgerError

  fileprivate let ledger: Ledger
  fileprivate let cursor: FeedCursor?
  fileprivate let limit: Int
  fileprivate let interval: Duration

  /// Begins to read.
  public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(self) }

  /// Reads one page after the other.
  public struct AsyncIterator: AsyncIteratorProtocol {
    private let updates: FeedUpdates
    private var cursor: FeedCursor?
    /// The count of commits before the last page that had all events; nil while there are more.
    private var seen: UInt64?
    /// Listens for other processes' commits for as long as this lives.
    private var ear: ListenerHandle?

    fileprivate init(_ updates: FeedUpdates) {
      self.updates = updates
      cursor = updates.cursor
    }

    /// Returns the next page, as soon as there is one; nil if the task was cancelled or the ledger closed.
    ///
    /// - Throws: ``LedgerError`` as ``Ledger/feed(after:limit:)``.
    public mutating func next(
      isolation actor: isolated (any Actor)? = #isolation
    ) async throws(LedgerError) -> FeedPage? {
      let signal = updates.ledger.commits
      while !Task.isCancelled, !signal.isClosed {
        if let seen {
          if ear == nil { ear = ListenerHandle(updates.ledger) }
          await signal.wait(after: seen, atMost: updates.interval)
          if Task.isCancelled { break }
        }
        let count = signal.count
        guard let page = try await updates.page(after: cursor) else { break }
        cursor = page.next
        seen = page.hasMore ? nil : count
        if !page.events.isEmpty { return page }
      }
      ear = nil
      return nil
    }
  }

  /// Reads a page on a thread that may block; nil if the ledger was closed meanwhile.
  private func page(after cursor: FeedCursor?) async throws(LedgerError) -> FeedPage? {
    let answer = await withCheckedContinuation { continuation in
      DispatchQueue.global().async {
        continuation.resume(
          returning: Result { () throws(LedgerError) in try ledger.feed(after: cursor, limit: limit) })
      }
    }
    if ledger.commits.isClosed { return nil }
    return try answer.get()
  }

  /// Keeps the ledger's listener running.
  private final class ListenerHandle: Sendable {
    private let listeners: SharedListener

    init(_ ledger: Ledger) {
      listeners = ledger.listeners
      let (storage, commits) = (ledger.storage, ledger.commits)
      listeners.add { storage.listen { commits.note() } }
    }

    deinit { listeners.remove() }
  }
}
