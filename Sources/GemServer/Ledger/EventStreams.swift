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
  /// The time between checks of the receivers' keys.
  static let accessInterval = Duration.seconds(1)
  private static let pageSize = 100
  /// How many bytes may wait for a receiver that catches up.
  private static let waitingByteCountMax = 1 << 18
  /// How often it is looked whether the receiver took them: for half a minute.
  private static let patience = (pause: Duration.milliseconds(50), count: 600)

  private struct Member {
    let stream: HTTPStream
    /// Whether the receiver's key still admits it.
    let isAdmitted: @Sendable () -> Bool
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
    /// The one reader.
    var reader: Task<Void, Never>?
    /// Heartbeats and checks of keys, while there are members.
    var beat: Task<Void, Never>?
    var hasStopped = false

    /// Ends the tasks; nobody needs them without members.
    mutating func endTasks() {
      reader?.cancel()
      beat?.cancel()
      (reader, beat, cursor) = (nil, nil, nil)
    }

    /// Forgets all members and ends the tasks.
    mutating func removeAll() -> [Member] {
      defer { members = [:] }
      endTasks()
      for member in members.values { member.joining?.cancel() }
      return Array(members.values)
    }
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
  /// - Parameter isAdmitted: Whether the receiver's key still admits it; once it does not, the stream ends.
  /// - Throws: `LedgerError` with `rate_limited` beyond ``streamCountMax``, `storage_unavailable` after ``stop()``.
  package func open(
    after cursor: FeedCursor?, while isAdmitted: @escaping @Sendable () -> Bool = { true }
  ) throws(LedgerError) -> HTTPStream {
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
      state.members[id] = Member(stream: stream, isAdmitted: isAdmitted, joining: task)
      if state.beat == nil { state.beat = Task { await self.beat() } }
    }
    return stream
  }

  /// Ends all streams for good.
  package func stop() {
    let members = state.withLock { state in
      state.hasStopped = true
      return state.removeAll()
    }
    for member in members { member.stream.end() }
  }

  // MARK: Catching up

  private func catchUp(_ id: Int, _ stream: HTTPStream, from start: FeedCursor?) async {
    var cursor = start
    do throws(LedgerError) {
      while !Task.isCancelled, !stream.isClosed {
        let live = state.withLock { $0.cursor }
        let (page, position) = try await read(after: cursor)
        guard isAdmitted(id) else { break }
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
        state.reader = Task { await self.follow(from: cursor) }
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
    for member in state.withLock({ $0.removeAll() }) { member.stream.end() }
  }

  private func publish(_ page: FeedPage) {
    // A stream that joins from here on has read the page itself.
    endRefused()
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
    var idle = Duration.zero
    while !Task.isCancelled {
      do { try await clock.sleep(for: Self.accessInterval) } catch { return }
      endRefused()
      idle += Self.accessInterval
      guard idle >= Self.heartbeat else { continue }
      idle = .zero
      keepAlive()
    }
  }

  // MARK: Who may receive

  private func isAdmitted(_ id: Int) -> Bool { state.withLock { $0.members[id] }?.isAdmitted() ?? false }

  /// Ends the streams whose keys admit nobody any more.
  func endRefused() {
    for (id, member) in state.withLock({ $0.members }) where !member.isAdmitted() {
      member.joining?.cancel()
      member.stream.end()
      remove(id)
    }
  }

  /// Writes a comment to every stream, and removes those with a closed connection.
  package func keepAlive() {
    for (id, member) in state.withLock({ $0.members }) where !member.stream.write(": alive\n\n") { remove(id) }
  }

  private func remove(_ id: Int) {
    state.withLock { state in
      state.members[id] = nil
      if state.members.isEmpty { state.endTasks() }
    }
  }
}
#endif
