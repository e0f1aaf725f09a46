#if Server
package import GemLedger
internal import Synchronization
package import SystemHTTP

/// The streams of a project's events, all supplied by one shared reader of the feed.
///
/// A new stream first reads earlier events, page by page, as fast as its receiver takes them. When it has caught up,
/// the shared reader writes to it. A receiver that is too slow loses its stream, and resumes after its last event.
package final class EventStreams: Sendable {
  /// The maximum number of concurrent streams per project.
  package static let streamCountMax = 1000
  /// The interval of the comments that keep idle connections alive.
  package static let heartbeat = Duration.seconds(15)
  /// The interval of the checks of the receivers' keys.
  static let accessInterval = Duration.seconds(1)
  private static let pageSize = 100
  /// The maximum number of unsent bytes for a receiver that catches up.
  private static let waitingByteCountMax = 1 << 18
  /// The pause and the number of checks for a slow receiver: half a minute in total.
  private static let patience = (pause: Duration.milliseconds(50), count: 600)

  private struct Member {
    let stream: HTTPStream
    /// Returns whether the receiver's key still gives access.
    let isAdmitted: @Sendable () -> Bool
    /// Reads earlier events; nil after the shared reader has taken over.
    var joining: Task<Void, Never>?
    /// The stream's position when it joined, which may be ahead of the shared reader.
    var position: FeedPosition?
  }

  private struct State {
    var members: [Int: Member] = [:]
    var last = 0
    /// The position of the shared reader; nil while it is not running.
    var cursor: FeedCursor?
    /// The shared reader.
    var reader: Task<Void, Never>?
    /// Sends heartbeats and checks keys while there are members.
    var beat: Task<Void, Never>?
    var hasStopped = false

    /// Ends the tasks, which are needed only with members.
    mutating func endTasks() {
      reader?.cancel()
      beat?.cancel()
      (reader, beat, cursor) = (nil, nil, nil)
    }

    /// Removes all members and ends the tasks.
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

  /// The number of streams.
  package var count: Int { state.withLock { $0.members.count } }

  /// Opens a stream of the events after the cursor; nil for the beginning of the journal.
  ///
  /// - Parameter isAdmitted: Returns whether the receiver's key still gives access; the stream ends otherwise.
  /// - Throws: `LedgerError` with `rate_limited` beyond ``streamCountMax``, `storage_unavailable` after ``stop()``.
  package func open(
    after cursor: FeedCursor?, while isAdmitted: @escaping @Sendable () -> Bool = { true }
  ) throws(LedgerError) -> HTTPStream {
    let stream = HTTPStream()
    // Written at once to confirm the connection.
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

  /// Ends all streams permanently.
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
          guard stream.write(EventDocument(event, at: cursor).text) else { return remove(id) }
        }
        cursor = page.next
        if !page.hasMore, join(id, at: page.next, position, live: live) { return }
        guard await takes(stream) else { break }
      }
    } catch {
      // The receiver reconnects and gets the error as an answer.
    }
    stream.end()
    remove(id)
  }

  private func read(after cursor: FeedCursor?) async throws(LedgerError) -> (FeedPage, FeedPosition) {
    let ledger = ledger
    return try await BlockingWork.run { () throws(LedgerError) -> (FeedPage, FeedPosition) in
      let page = try ledger.feed(after: cursor, limit: Self.pageSize)
      return (page, try ledger.feedPlaces.position(at: page.next))
    }
  }

  /// Lets the shared reader take over the stream.
  ///
  /// - Parameter live: The position of the shared reader before the stream read its last page, which was the newest.
  /// - Returns: False if the shared reader has advanced since, since the stream may lack events.
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

  /// Waits until the receiver has taken most of the written bytes; returns false if it is too slow.
  private func takes(_ stream: HTTPStream) async -> Bool {
    for _ in 0..<Self.patience.count {
      if stream.isClosed { return false }
      if stream.byteCount <= Self.waitingByteCountMax { return true }
      do { try await clock.sleep(for: Self.patience.pause) } catch { return false }
    }
    return false
  }

  // MARK: The shared reader

  private func follow(from start: FeedCursor) async {
    var updates = ledger.feedUpdates(after: start, limit: Self.pageSize).makeAsyncIterator()
    do throws(LedgerError) {
      while let page = try await updates.next() { publish(page) }
    } catch {
      // Receivers reconnect, and resume when the storage answers.
    }
    guard !Task.isCancelled else { return }
    for member in state.withLock({ $0.removeAll() }) { member.stream.end() }
  }

  private func publish(_ page: FeedPage) {
    // A stream that joins after this has read the page already.
    endRefused()
    let members = state.withLock { state in
      state.cursor = page.next
      return state.members.filter { $0.value.joining == nil }
    }
    let events = zip(page.events, page.cursors).map { event, cursor in
      (event.record.booking.transactionID?.unprovenNumber ?? 0, EventDocument(event, at: cursor).text)
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

  // MARK: Access

  private func isAdmitted(_ id: Int) -> Bool { state.withLock { $0.members[id] }?.isAdmitted() ?? false }

  /// Ends the streams of receivers without access.
  func endRefused() {
    for (id, member) in state.withLock({ $0.members }) where !member.isAdmitted() {
      member.joining?.cancel()
      member.stream.end()
      remove(id)
    }
  }

  /// Writes a comment to every stream, and removes streams with a closed connection.
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
