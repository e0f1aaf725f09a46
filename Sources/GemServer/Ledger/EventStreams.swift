#if Server
package import GemLedger
internal import Synchronization
package import SystemHTTP

/// The streams of a project's events, all fed by one reader of the feed.
///
/// A new stream first reads earlier events, page by page, as fast as its receiver takes them. Once it has all of them,
/// the one reader writes to it too. A receiver that is too slow loses its stream and goes on from its last event.
package final class EventStreams: Sendable {
  /// Most streams of a project at a time.
  package static let streamCountMax = 1000
  /// The time between comments that keep idle connections alive.
  package static let heartbeat = Duration.seconds(15)
  private static let pageSize = 100
  /// How many bytes may wait for a receiver that catches up.
  private static let waitingByteCountMax = 1 << 18
  /// How often it is looked whether the receiver took them: for half a minute.
  private static let patience = (pause: Duration.milliseconds(50), count: 600)

  private struct Member {
    let stream: HTTPStream
    /// Reads earlier events; nil once the one reader writes to the stream.
    var joining: Task<Void, Never>?
    /// The stream's own position when it joined, which may be beyond that of the one reader.
    var position: FeedPosition?
  }

  private struct State {
    var members: [Int: Member] = [:]
    var last = 0
    /// Where the one reader is; nil while it does not run.
    var cursor: FeedCursor?
    /// The one reader and the heartbeat.
    var tasks: [Task<Void, Never>] = []
    var hasStopped = false
  }

  private let ledger: Ledger
  private let clock: any Clock<Duration>
  private let state = Mutex(State())

  /// - Parameter clock: Times heartbeats and the wait for slow receivers.
  package init(_ ledger: Ledger, clock: any Clock<Duration> = ContinuousClock()) {
    self.ledger = ledger
    self.clock = clock
  }

  /// How many streams there are.
  package var count: Int { state.withLock { $0.members.count } }

  /// Opens a stream of the events behind the cursor; nil for the beginning of the journal.
  ///
  /// - Throws: `LedgerError` with `rate_limited` beyond ``streamCountMax``, `storage_unavailable` after ``stop()``.
  package func open(after cursor: FeedCursor?) throws(LedgerError) -> HTTPStream {
    let stream = HTTPStream()
    // Written at once, so that the receiver sees that it is connected.
    stream.write("retry: 1000\n\n")
    try state.withLock { (state) throws(LedgerError) in
      guard !state.hasStopped else { throw LedgerError(.storageUnavailable, "The server is stopping.") }
      guard state.members.count < Self.streamCountMax else {
        throw LedgerError(
          .rateLimited, "There are \(Self.streamCountMax) streams of this project already.",
          details: [.integer("retry_after", 15)])
      }
      state.last += 1
      let id = state.last
      let task = Task { await self.catchUp(id, stream, from: cursor) }
      state.members[id] = Member(stream: stream, joining: task)
    }
    return stream
  }

  /// Ends all streams for good.
  package func stop() {
    let (members, tasks) = state.withLock { state in
      state.hasStopped = true
      defer { (state.members, state.tasks, state.cursor) = ([:], [], nil) }
      return (Array(state.members.values), state.tasks)
    }
    for task in tasks + members.compactMap(\.joining) { task.cancel() }
    for member in members { member.stream.end() }
  }

  // MARK: Catching up

  private func catchUp(_ id: Int, _ stream: HTTPStream, from start: FeedCursor?) async {
    var cursor = start
    do throws(LedgerError) {
      while !Task.isCancelled, !stream.isClosed {
        let live = state.withLock { $0.cursor }
        let (page, position) = try await read(after: cursor)
        for (event, cursor) in zip(page.events, page.cursors) {
          guard stream.write(EventDocument.text(event, at: cursor)) else { return remove(id) }
        }
        cursor = page.next
        if !page.hasMore, join(id, at: page.next, position, live: live) { return }
        guard await takes(stream) else { break }
      }
    } catch {
      // The receiver connects again and gets the error as an answer.
    }
    stream.end()
    remove(id)
  }

  private func read(after cursor: FeedCursor?) async throws(LedgerError) -> (FeedPage, FeedPosition) {
    let ledger = ledger
    return try await BlockingWork.run { () throws(LedgerError) -> (FeedPage, FeedPosition) in
      let page = try ledger.feed(after: cursor, limit: Self.pageSize)
      return (page, try ledger.feedPosition(at: page.next))
    }
  }

  /// Lets the one reader write to the stream from now on.
  ///
  /// - Parameter live: Where the one reader was before the stream read its last page, which was all there was.
  /// - Returns: Whether it does; not where it has gone on meanwhile, so that the stream may lack something.
  private func join(_ id: Int, at cursor: FeedCursor, _ position: FeedPosition, live: FeedCursor?) -> Bool {
    state.withLock { state in
      guard state.members[id] != nil else { return true }
      guard state.cursor == live else { return false }
      if live == nil {
        state.cursor = cursor
        state.tasks = [Task { await self.follow(from: cursor) }, Task { await self.beat() }]
      }
      state.members[id]?.joining = nil
      state.members[id]?.position = position
      return true
    }
  }

  /// Waits until the receiver has taken most of the written bytes; false where it does not.
  private func takes(_ stream: HTTPStream) async -> Bool {
    for _ in 0..<Self.patience.count {
      if stream.isClosed { return false }
      if stream.byteCount <= Self.waitingByteCountMax { return true }
      do { try await clock.sleep(for: Self.patience.pause) } catch { return false }
    }
    return false
  }

  // MARK: The one reader

  private func follow(from start: FeedCursor) async {
    var updates = ledger.feedUpdates(after: start, limit: Self.pageSize).makeAsyncIterator()
    do throws(LedgerError) {
      while let page = try await updates.next() { publish(page) }
    } catch {
      // Receivers connect again, and read on once the storage answers.
    }
    guard !Task.isCancelled else { return }
    let members = state.withLock { state in
      for task in state.tasks { task.cancel() }
      defer { (state.members, state.tasks, state.cursor) = ([:], [], nil) }
      return Array(state.members.values)
    }
    for member in members {
      member.joining?.cancel()
      member.stream.end()
    }
  }

  private func publish(_ page: FeedPage) {
    // A stream that joins from here on has read the page itself.
    let members = state.withLock { state in
      state.cursor = page.next
      return state.members.filter { $0.value.joining == nil }
    }
    let events = zip(page.events, page.cursors).map { event, cursor in
      (event.record.booking.transactionID?.unprovenNumber ?? 0, EventDocument.text(event, at: cursor))
    }
    for (id, member) in members {
      let isThere = events.allSatisfy { number, text in
        member.position?.covers(number) == true || member.stream.write(text)
      }
      if !isThere { remove(id) }
    }
  }

  private func beat() async {
    while !Task.isCancelled {
      do { try await clock.sleep(for: Self.heartbeat) } catch { return }
      keepAlive()
    }
  }

  /// Writes a comment to every stream, and removes those with a closed connection.
  package func keepAlive() {
    for (id, member) in state.withLock({ $0.members }) where !member.stream.write(": alive\n\n") { remove(id) }
  }

  private func remove(_ id: Int) {
    let tasks = state.withLock { state -> [Task<Void, Never>] in
      state.members[id] = nil
      guard state.members.isEmpty else { return [] }
      defer { (state.tasks, state.cursor) = ([], nil) }
      return state.tasks
    }
    for task in tasks { task.cancel() }
  }
}
#endif
