#if PostgreSQL
internal import Dispatch
internal import GemLedger
internal import Synchronization

// Commit notifications between the processes on one database. They are only a hint: each reader of the feed also polls.
// A notification inside a group's transaction would hold a lock of the whole server until the commit is on disk, and so
// serialize the commits of all lanes. So it is sent outside of groups.

/// The channel of a schema's notifications.
struct NotificationChannel: Hashable, Sendable {
  /// The schema's name.
  let name: String
  /// Each listener holds a shared advisory lock, so that writers can detect whether there are listeners.
  let lock: Int64

  init(schema: String) {
    name = schema
    var hash = StableHash()
    hash.combine("gemledger commits")
    hash.combine(schema)
    lock = Int64(bitPattern: hash.value)
  }
}

/// Sends commit notifications to other processes: after a pause, one for all commits since the last.
final class CommitNotifier: Sendable {
  /// The pause between two notifications, in milliseconds.
  private static let pauseHeard = 20
  /// The pause between two checks for listeners, if there are none.
  private static let pauseUnheard = 250

  private struct State {
    /// Whether a notification of a commit is scheduled.
    var isDue = false
    /// The earliest time of the next notification.
    var notBefore = DispatchTime(uptimeNanoseconds: 0)
    /// Whether there was a listener at the last notification.
    var wasHeard = false
  }

  private let channel: NotificationChannel
  private let connections: ConnectionPool
  private let queue = DispatchQueue(label: "GemLedgerPostgres.CommitNotifier", qos: .utility)
  private let state = Mutex(State())
  /// The number of sent notifications.
  let sent = Atomic(0)

  init(_ channel: NotificationChannel, _ connections: ConnectionPool) {
    self.channel = channel
    self.connections = connections
  }

  /// Records a commit; costs a lock, and for one of many commits a hop to the queue.
  func note() {
    let time = state.withLock { state -> DispatchTime? in
      guard !state.isDue else { return nil }
      state.isDue = true
      return max(.now(), state.notBefore)
    }
    if let time { queue.asyncAfter(deadline: time) { self.tell() } }
  }

  /// Sends a scheduled notification now: the process may be about to exit.
  func finish() { queue.sync { tell() } }

  private func tell() {
    let isDue = state.withLock { state in
      defer { state.isDue = false }
      // Commits during this notification are covered by the next one. The number of listeners has probably not changed.
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
    // A failed notification is harmless: listeners also poll.
    guard let connection = try? connections.take() else { return false }
    let request = PostgresRequest(
      // This transaction does not wait for the disk. The lock that listeners share is available only if there are none.
      """
      SELECT set_config('synchronous_commit', 'off', true),
        CASE WHEN pg_try_advisory_xact_lock($1) THEN false ELSE pg_notify($2, '') IS NOT NULL END
      """, channel.lock, channel.name)
    do throws(PostgresFailure) {
      let rows = try connection.ask(request)
      connections.giveBack(connection)
      return rows.count == 1 && rows.integer(0, 1) != 0
    } catch {
      connection.close()
      // A closed connection is not kept, and the pool records the loss: the next may lead to a restored backup.
      connections.giveBack(connection)
      return false
    }
  }
}

/// Receives notifications on a dedicated connection, and reconnects if it is lost.
final class NotificationListener: CommitListener {
  private static let pauseBeforeRetry: DispatchTimeInterval = .seconds(2)

  private let target: PostgresTarget
  private let channel: NotificationChannel
  private let heard: @Sendable () -> Void
  private let queue = DispatchQueue(label: "GemLedgerPostgres.CommitListener", qos: .utility)
  private let isStopped = Atomic(false)
  private let open = Mutex(Open())

  // Unchecked: the mutex guards the reference, and only the queue uses the connection.
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
      _ = try connection.ask(PostgresRequest("SELECT pg_advisory_lock_shared($1)", channel.lock))
      try connection.execute(["LISTEN \(channel.name)"])
      listen(on: connection)
      // For commits before this process listened.
      heard()
    } catch {
      retry()
    }
  }

  private func listen(on connection: PostgresConnection) {
    // Unchecked: from here on only the queue uses it.
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
    // A descriptor may be closed only after its source has released it.
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
