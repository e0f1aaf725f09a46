#if PostgreSQL
internal import Dispatch
internal import GemLedger
internal import Synchronization

// Commit notifications between the processes on one database. They are only a hint: each reader of the feed also polls
// from time to time. A notification inside of a group's transaction would hold a lock of the whole server until the
// commit is on disk. All lanes would then commit one after the other. So it is sent outside of the groups.

/// The channel of a schema's notifications.
struct NotificationChannel: Hashable, Sendable {
  /// The schema's name.
  let name: String
  /// Each listener holds this advisory lock as a shared one, so that a writer finds out whether there are listeners.
  let lock: Int64

  init(schema: String) {
    name = schema
    var hash = StableHash()
    hash.combine("gemledger commits")
    hash.combine(schema)
    lock = Int64(bitPattern: hash.value)
  }
}

/// Sends commit notifications to other processes: one after a pause, for all commits meanwhile.
final class CommitNotifier: Sendable {
  /// Between two notices, in milliseconds.
  private static let pauseHeard = 20
  /// Without listeners, the time from one check for them to the next.
  private static let pauseUnheard = 250

  private struct State {
    /// Whether a commit is not notified yet, and its notification is scheduled.
    var isDue = false
    /// Before this nothing goes out.
    var notBefore = DispatchTime(uptimeNanoseconds: 0)
    /// Whether there was a listener at the last notification.
    var wasHeard = false
  }

  private let channel: NotificationChannel
  private let connections: ConnectionPool
  private let queue = DispatchQueue(label: "GemLedgerPostgres.CommitNotifier", qos: .utility)
  private let state = Mutex(State())
  /// How many notices went out.
  let sent = Atomic(0)

  init(_ channel: NotificationChannel, _ connections: ConnectionPool) {
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

  /// Sends a pending notification now: the process may be about to end.
  func finish() { queue.sync { tell() } }

  private func tell() {
    let isDue = state.withLock { state in
      defer { state.isDue = false }
      // Commits during this notification wait for the next one; most likely there are as many listeners as before.
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

  /// - Returns: Whether there was a listener.
  private func announce() -> Bool {
    // A notification that could not be sent loses nothing: listeners also poll.
    guard let connection = try? connections.take() else { return false }
    let request = PostgresRequest(
      // This transaction does not wait for the disk. The lock that listeners share is free only if there are none.
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
final class NotificationListener: CommitListener {
  private static let pauseBeforeRetry: DispatchTimeInterval = .seconds(2)

  private let target: PostgresTarget
  private let channel: NotificationChannel
  private let heard: @Sendable () -> Void
  private let queue = DispatchQueue(label: "GemLedgerPostgres.CommitListener", qos: .utility)
  private let isStopped = Atomic(false)
  private let open = Mutex(Open())

  // Unchecked: the mutex guards the reference, and the queue alone uses the connection.
  private struct Open: @unchecked Sendable {
    var source: (any DispatchSourceRead)?
  }

  init(_ target: PostgresTarget, _ channel: NotificationChannel, heard: @escaping @Sendable () -> Void) {
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
      // Commits before this process listened.
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
