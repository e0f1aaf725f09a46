#if PostgreSQL
internal import Dispatch
internal import GemLedger
internal import Synchronization

// How processes on one database hear of each other's commits. Nobody depends on it: who reads the feed looks by
// himself every so often. A notice inside of a group's transaction would hold a lock of the whole server until that
// is on disk, and all lanes would commit one after the other; so it goes out beside the groups.

/// By what notices of a schema go.
struct NewsChannel: Hashable, Sendable {
  /// The schema's name.
  let name: String
  /// Who listens holds this advisory lock with others, so that a writer finds out whether anybody does.
  let lock: Int64

  init(schema: String) {
    name = schema
    var hash = StableHash()
    hash.combine("gemledger commits")
    hash.combine(schema)
    lock = Int64(bitPattern: hash.value)
  }
}

/// Tells other processes that this one committed: in a while, once for all that it committed meanwhile.
final class CommitHerald: Sendable {
  /// Between two notices, in milliseconds.
  private static let pauseHeard = 20
  /// Where nobody listened, from one look whether somebody does to the next.
  private static let pauseUnheard = 250

  private struct State {
    /// A commit was not told of yet, and it is settled when it will be.
    var isDue = false
    /// Before this nothing goes out.
    var notBefore = DispatchTime(uptimeNanoseconds: 0)
    /// Whether somebody listened the last time.
    var wasHeard = false
  }

  private let channel: NewsChannel
  private let connections: ConnectionPool
  private let queue = DispatchQueue(label: "GemLedgerPostgres.CommitHerald", qos: .utility)
  private let state = Mutex(State())
  /// How many notices went out.
  let sent = Atomic(0)

  init(_ channel: NewsChannel, _ connections: ConnectionPool) {
    self.channel = channel
    self.connections = connections
  }

  /// Something was committed; costs a lock, and for one of many commits a hop.
  func note() {
    let time = state.withLock { state -> DispatchTime? in
      guard !state.isDue else { return nil }
      state.isDue = true
      return max(.now(), state.notBefore)
    }
    if let time { queue.asyncAfter(deadline: time) { self.tell() } }
  }

  /// Tells now what was not told yet: the process may be about to end.
  func finish() { queue.sync { tell() } }

  private func tell() {
    let isDue = state.withLock { state in
      defer { state.isDue = false }
      // What is committed while this one is on its way waits its time; most likely as many listen as before.
      state.notBefore = .now() + Self.pause(state.wasHeard)
      return state.isDue
    }
    guard isDue else { return }
    let isHeard = announce()
    if isHeard { sent.add(1, ordering: .relaxed) }
    state.withLock { state in
      guard isHeard != state.wasHeard else { return }
      state.wasHeard = isHeard
      state.notBefore = .now() + Self.pause(isHeard)
    }
  }

  private static func pause(_ isHeard: Bool) -> DispatchTimeInterval {
    .milliseconds(isHeard ? pauseHeard : pauseUnheard)
  }

  /// - Returns: Whether somebody listened.
  private func announce() -> Bool {
    // Nothing is lost with a notice that could not be sent: who listens looks by himself too.
    guard let connection = try? connections.take() else { return false }
    let request = PostgresRequest(
      // No commit of its own waits for the disk. Whoever gets the lock that listeners share is alone.
      """
      SELECT set_config('synchronous_commit', 'off', true),
        CASE WHEN pg_try_advisory_xact_lock($1) THEN false ELSE pg_notify($2, '') IS NOT NULL END
      """
    ) {
      $0.add(channel.lock)
      $0.add(channel.name)
    }
    do throws(PostgresFailure) {
      let rows = try connection.ask(request)
      connections.giveBack(connection)
      return rows.count == 1 && rows.integer(0, 1) != 0
    } catch {
      connection.close()
      // Closed it is not kept, and the pool knows that one was lost: the next may lead to a restored backup.
      connections.giveBack(connection)
      return false
    }
  }
}

/// Hears notices on a connection of its own, and connects anew where that is lost.
final class CommitEar: CommitListener {
  private static let pauseBeforeRetry: DispatchTimeInterval = .seconds(2)

  private let target: PostgresTarget
  private let channel: NewsChannel
  private let heard: @Sendable () -> Void
  private let queue = DispatchQueue(label: "GemLedgerPostgres.CommitEar", qos: .utility)
  private let isStopped = Atomic(false)
  private let open = Mutex(Open())

  // Unchecked: the mutex guards the reference, and the queue alone uses the connection.
  private struct Open: @unchecked Sendable {
    var source: (any DispatchSourceRead)?
  }

  init(_ target: PostgresTarget, _ channel: NewsChannel, heard: @escaping @Sendable () -> Void) {
    self.target = target
    self.channel = channel
    self.heard = heard
    queue.async { self.connect() }
  }

  func stop() {
    isStopped.store(true, ordering: .sequentiallyConsistent)
    queue.async { self.disconnect() }
  }

  private func connect() {
    guard !isStopped.load(ordering: .sequentiallyConsistent) else { return }
    do throws(PostgresFailure) {
      let connection = try PostgresConnection(target)
      _ = try connection.ask(PostgresRequest("SELECT pg_advisory_lock_shared($1)") { $0.add(channel.lock) })
      try connection.execute(["LISTEN \(channel.name)"])
      listen(on: connection)
      // What was committed before somebody listened.
      heard()
    } catch {
      retry()
    }
  }

  private func listen(on connection: PostgresConnection) {
    // Unchecked: only the queue uses it from here on.
    nonisolated(unsafe) let connection = connection
    let source = DispatchSource.makeReadSource(fileDescriptor: connection.socket, queue: queue)
    source.setEventHandler { [weak self] in
      guard let self else { return }
      do throws(PostgresFailure) {
        if try !connection.notifications().isEmpty { heard() }
      } catch {
        disconnect()
        retry()
      }
    }
    // A descriptor is closed only after its source is done with it.
    source.setCancelHandler { connection.close() }
    open.withLock { $0.source = source }
    source.activate()
  }

  private func disconnect() {
    let source = open.withLock { open in
      defer { open.source = nil }
      return open.source
    }
    source?.cancel()
  }

  private func retry() { queue.asyncAfter(deadline: .now() + Self.pauseBeforeRetry) { self.connect() } }
}
#endif
