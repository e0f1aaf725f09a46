#if PostgreSQL
internal import Dispatch
internal import Synchronization

/// The idle connections.
///
/// A connection that was taken out belongs to one user.
///
/// A process has at most one for each lane that commits, four for readers, one for a command over several lanes, and
/// one for syncs that readers wait for if other processes write.
final class ConnectionPool: Sendable {
  static let readerCount = 4

  /// Limits the number of concurrent readers.
  let readers = DispatchSemaphore(value: readerCount)
  private let target: PostgresTarget
  private let memory: StorageCache
  private let columns = QueryColumns()
  private let state = Mutex(State())

  // Unchecked: the mutex guards the list, and a connection taken from it belongs to one thread.
  private struct State: @unchecked Sendable {
    var idle: [PostgresConnection] = []
    var isClosed = false
    var wasOpen = false
    /// Whether a connection was lost since the last was opened.
    var wasLost = false
    /// The run of the server that the last opened connection led to.
    var serverRun: String?
    /// The current generation: connections of earlier generations are closed when they are returned.
    var generation = 0
    /// Whether a server refused writes since a writable connection was last opened.
    var refusedWrites = false
    /// Statements for the start of each new connection.
    var settings: [String] = []
    var cluster: Cluster?

    mutating func nextGeneration() {
      generation += 1
      idle.removeAll()
      wasLost = true
    }
  }

  init(_ target: PostgresTarget, _ memory: StorageCache) {
    self.target = target
    self.memory = memory
  }

  /// Whether a connection was ever opened.
  var wasOpen: Bool { state.withLock { $0.wasOpen } }

  /// Applies the settings for a layout to all connections.
  ///
  /// A distributed engine plans each statement for its values, which determine the shard.
  ///
  /// A single server plans each statement once, with index look-ups only, even while a table is small: it will grow.
  ///
  /// - Parameter connection: The connection over which the layout was read.
  func setUp(_ layout: LaneLayout, _ connection: PostgresConnection) throws(PostgresFailure) {
    setUp(layout.cluster)
    connection.lanes = layout.cluster.map { LaneStatements($0, columns) }
    try connection.execute(state.withLock { $0.settings })
  }

  /// Applies the settings for an engine to all further connections.
  ///
  /// - Parameter cluster: The distributed engine; nil for a single server.
  func setUp(_ cluster: Cluster?) {
    state.withLock {
      $0.cluster = cluster
      $0.settings =
        cluster == nil
        ? [
          "SET plan_cache_mode = force_generic_plan", "SET enable_seqscan = off", "SET enable_hashjoin = off",
          "SET enable_mergejoin = off",
        ] : Cluster.settings
    }
  }

  /// Takes an idle connection, if there is one.
  func takeIdle() -> PostgresConnection? { state.withLock { $0.idle.popLast() } }

  func take() throws(PostgresFailure) -> PostgresConnection {
    if let idle = takeIdle() { return idle }
    return try open()
  }

  /// Takes a connection for writing; while a server refuses writes, each writer looks for another server.
  ///
  /// Readers keep their connections.
  func takeForWriting() throws(PostgresFailure) -> PostgresConnection {
    if state.withLock({ $0.refusedWrites }) { return try open() }
    return try take()
  }

  func open() throws(PostgresFailure) -> PostgresConnection {
    let generation = state.withLock { $0.generation }
    let connection = try PostgresConnection(target)
    connection.generation = generation
    leaveReadOnlyServer(for: connection)
    let (settings, cluster) = state.withLock { ($0.settings, $0.cluster) }
    connection.lanes = cluster.map { LaneStatements($0, columns) }
    if !settings.isEmpty { try connection.execute(settings) }
    // The connection may lead to a promoted server, to a database restored from a backup, or to a server that has lost
    // rows in a crash, which no other connection has noticed yet. Others that open meanwhile wait until all is
    // forgotten.
    state.withLock { state in
      if state.wasLost || state.serverRun != connection.serverRun { memory.forgetAll() }
      (state.wasOpen, state.wasLost, state.serverRun) = (true, false, connection.serverRun)
    }
    return connection
  }

  /// Closes readers' connections to the old server after its name leads to a writable one.
  private func leaveReadOnlyServer(for connection: PostgresConnection) {
    guard !connection.isReadOnly else { return }
    state.withLock { state in
      guard state.refusedWrites else { return }
      state.refusedWrites = false
      state.nextGeneration()
      connection.generation = state.generation
    }
  }

  func giveBack(_ connection: PostgresConnection) {
    connection.isNew = false
    let isCurrent = state.withLock { $0.generation == connection.generation }
    if !isCurrent { connection.close() }
    guard connection.isOpen else {
      state.withLock { $0.wasLost = true }
      // Another thread may have reconnected before the loss was detected.
      memory.forgetAll()
      return
    }
    let isKept = state.withLock { state in
      if !state.isClosed { state.idle.append(connection) }
      return !state.isClosed
    }
    if !isKept { connection.close() }
  }

  /// Closes idle connections: after the loss of one, the others are most likely lost too.
  func dropIdle() {
    state.withLock { state in
      state.idle.removeAll()
      state.wasLost = true
    }
  }

  /// Closes a connection over which the server refused a write; if it is not new, also all earlier connections.
  ///
  /// After a failover the server's name may lead to another server, which only a new connection reaches.
  func leaveReadOnlyServer(_ connection: PostgresConnection) {
    connection.close()
    state.withLock { state in
      state.refusedWrites = true
      if !connection.isNew { state.nextGeneration() }
    }
  }

  func close() {
    state.withLock { state in
      state.isClosed = true
      state.idle.removeAll()
    }
  }
}
#endif
