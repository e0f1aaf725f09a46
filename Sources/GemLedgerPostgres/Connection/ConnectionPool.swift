#if PostgreSQL
internal import Dispatch
internal import Synchronization

/// Connections that are open and not in use.
///
/// A connection that was taken out belongs to its taker.
///
/// A process has at most one for each lane that commits, four for readers, and one for a command over several lanes.
final class ConnectionPool: Sendable {
  static let readerCount = 4

  /// Readers wait here for their turn.
  let readers = DispatchSemaphore(value: readerCount)
  private let target: PostgresTarget
  private let memory: StorageCache
  private let state = Mutex(State())

  // Unchecked: the mutex guards the list, and a connection taken out of it belongs to one thread.
  private struct State: @unchecked Sendable {
    var idle: [PostgresConnection] = []
    var isClosed = false
    var wasOpen = false
    /// One was lost since the last was opened.
    var wasLost = false
    /// Connections of earlier generations are closed when they are given back.
    var generation = 0
    /// A server refused writes since one was opened that takes them.
    var refusedWrites = false
    /// Statements that each new connection begins with.
    var settings: [String] = []
    /// The layout, where it is that of a distributed engine.
    var spread: LaneLayout?

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

  /// Whether a connection was ever made.
  var wasOpen: Bool { state.withLock { $0.wasOpen } }

  /// A distributed engine plans each statement for its values, since they say which shard it goes to.
  ///
  /// A single server plans each once, and every look-up by its index: also while a table is small and will not stay
  /// so.
  ///
  /// - Parameter connection: The one that told the layout.
  func setUp(_ layout: LaneLayout, _ connection: PostgresConnection) throws(PostgresFailure) {
    state.withLock {
      $0.spread = layout.isDistributed ? layout : nil
      // One connection a node, so that all reads of a node in one transaction see one snapshot.
      $0.settings =
        layout.isDistributed
        ? ["SET citus.max_adaptive_executor_pool_size = 1"]
        : [
          "SET plan_cache_mode = force_generic_plan", "SET enable_seqscan = off", "SET enable_hashjoin = off",
          "SET enable_mergejoin = off",
        ]
    }
    connection.lanes = layout.isDistributed ? LaneStatements(layout) : nil
    try connection.execute(state.withLock { $0.settings })
  }

  func take() throws(PostgresFailure) -> PostgresConnection {
    if let idle = state.withLock({ $0.idle.popLast() }) { return idle }
    return try open()
  }

  /// While a server refuses writes, each writer looks for one that takes them, and readers keep their connections.
  func takeForWriting() throws(PostgresFailure) -> PostgresConnection {
    if state.withLock({ $0.refusedWrites }) { return try open() }
    return try take()
  }

  func open() throws(PostgresFailure) -> PostgresConnection {
    let generation = state.withLock { $0.generation }
    let connection = try PostgresConnection(target)
    connection.generation = generation
    leaveReadOnlyServer(for: connection)
    let (settings, spread) = state.withLock { ($0.settings, $0.spread) }
    connection.lanes = spread.map(LaneStatements.init)
    if !settings.isEmpty { try connection.execute(settings) }
    let wasLost = state.withLock { state in
      defer { (state.wasOpen, state.wasLost) = (true, false) }
      return state.wasLost
    }
    // It may lead to a server that was promoted, or to a database restored from a backup.
    if wasLost { memory.forgetAll() }
    return connection
  }

  /// The name of the server leads to another one than before, which takes writes: no reader stays on the old one.
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
      // Another thread may have reconnected already, before the loss was known.
      memory.forgetAll()
      return
    }
    let isKept = state.withLock { state in
      if !state.isClosed { state.idle.append(connection) }
      return !state.isClosed
    }
    if !isKept { connection.close() }
  }

  /// Where one was lost, the others are most likely lost as well.
  func dropIdle() {
    state.withLock { state in
      state.idle.removeAll()
      state.wasLost = true
    }
  }

  /// Closes a connection over which the server refused a write, and if it is not new, all opened before.
  ///
  /// After a failover the name of the server may lead to another one, which only a new connection finds.
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
