#if PostgreSQL
internal import Dispatch
internal import GemLedger
internal import Synchronization

/// Connections to the nodes of a distributed engine that hold lanes, for groups of one lane.
///
/// Such a node executes most statements of the group itself. Any node routes all statements, so a group is also right
/// on a node that its lane has left. That ends when the node is removed from the cluster, since it is told of no later
/// move. So the coordinator is asked every few seconds which node holds a lane that has groups.
///
/// Each connection is opened and proven in the background, when a group of a lane finds none. Until then the group uses
/// the coordinator, so no caller waits for a node. A lane has one group at a time, so a process has at most one
/// connection for each lane. A process that ends after one group, such as a command, opens none.
final class NodeConnections: Sendable {
  /// A node with the connections that are proven to lead to it.
  fileprivate final class Node: Sendable {
    let pool: ConnectionPool
    /// Whether a connection to it was ever proven.
    let isProven = Atomic(false)
    let schedule = Mutex(RetrySchedule())

    init(_ pool: ConnectionPool) { self.pool = pool }

    func isDue(_ now: ContinuousClock.Instant) -> Bool { schedule.withLock { $0.isDue(at: now) } }
    func rest(_ now: ContinuousClock.Instant) { schedule.withLock { $0.fail(at: now) } }
  }

  /// A connection that one group uses.
  struct Loan {
    let connection: PostgresConnection
    let pool: ConnectionPool
    fileprivate let node: Node
  }

  private struct Lane {
    var hadGroup = false
    /// The node that held the lane when it was last read.
    private(set) var node: Node?
    private var readAt: ContinuousClock.Instant?
    /// The schedule while no other node can be used for the lane.
    var schedule = RetrySchedule()
    var isBeingTried = false

    /// Returns the node, if it was read a short time ago.
    func node(at now: ContinuousClock.Instant) -> Node? {
      readAt.flatMap { now < $0 + NodeConnections.validity ? node : nil }
    }

    /// Whether the node is to be read again, before it is too old to be used.
    func isAging(at now: ContinuousClock.Instant) -> Bool {
      readAt.map { now >= $0 + NodeConnections.validity / 2 } ?? false
    }

    mutating func set(_ node: Node?, readAt: ContinuousClock.Instant) { (self.node, self.readAt) = (node, readAt) }
  }

  /// How long a node is used without asking again which node holds the lane.
  static let validity = Duration.seconds(5)

  private struct State {
    var lanes: [Lane]
    var nodes: [NodeAddress: Node] = [:]
    var isClosed = false
  }

  private let target: PostgresTarget
  private let coordinator: ConnectionPool
  private let memory: StorageCache
  private let cluster: Cluster
  private let heads: [CustomerNumber]
  private let now: @Sendable () -> ContinuousClock.Instant
  private let state: Mutex<State>
  private let queue = DispatchQueue(label: "GemLedgerPostgres.NodeConnections", qos: .utility)
  /// A separate queue: a node that hangs does not delay the reads for lanes of other nodes.
  private let openings = DispatchQueue(label: "GemLedgerPostgres.NodeConnections.openings", qos: .utility)

  /// - Parameters:
  ///   - heads: The lanes, as the numbers of their rows.
  ///   - now: The time for the pauses between tries.
  init(
    _ target: PostgresTarget, _ coordinator: ConnectionPool, _ memory: StorageCache, _ cluster: Cluster,
    heads: [CustomerNumber], now: @escaping @Sendable () -> ContinuousClock.Instant
  ) {
    self.target = target
    self.coordinator = coordinator
    self.memory = memory
    self.cluster = cluster
    self.heads = heads
    self.now = now
    state = Mutex(State(lanes: [Lane](repeating: Lane(), count: heads.count)))
  }

  // MARK: Groups

  /// Takes a connection to the node of a lane; nil if none is ready, and then tries to open one for later groups.
  func take(_ lane: Int) -> Loan? {
    let now = now()
    let (node, isAging) = state.withLock { ($0.lanes[lane].node(at: now), $0.lanes[lane].isAging(at: now)) }
    let connection = node?.pool.takeIdle()
    let opens = connection == nil
    if opens || isAging, beginTry(lane, now) { queue.async { self.tryNode(of: lane, opens: opens) } }
    guard let node, let connection else { return nil }
    return Loan(connection: connection, pool: node.pool, node: node)
  }

  private func beginTry(_ lane: Int, _ now: ContinuousClock.Instant) -> Bool {
    state.withLock { state in
      let known = state.lanes[lane]
      state.lanes[lane].hadGroup = true
      guard !state.isClosed, known.hadGroup, !known.isBeingTried else { return false }
      guard known.schedule.isDue(at: now), known.node?.isDue(now) ?? true else { return false }
      state.lanes[lane].isBeingTried = true
      return true
    }
  }

  /// Records the end of a group that answered.
  func noteEnd(of loan: Loan) {
    guard loan.connection.isOpen else { return loan.node.rest(now()) }
    loan.node.schedule.withLock { $0 = RetrySchedule() }
  }

  /// Leaves a node alone for a while, unless the failure would also have happened on the coordinator.
  func noteFailure(_ failure: PostgresFailure, of loan: Loan) {
    guard !failure.isTransient, !failure.isTimeout else { return }
    leave(loan)
    // A promoted standby may lack rows that were read. The next group uses an open connection to the coordinator.
    if failure.isConnectionLost { memory.forgetAll() }
  }

  /// Leaves a node alone for a while.
  func leave(_ loan: Loan) {
    loan.node.rest(now())
    loan.pool.dropIdle()
  }

  func close() {
    let nodes = state.withLock { state in
      state.isClosed = true
      return state.nodes.values
    }
    for node in nodes { node.pool.close() }
  }

  /// The connections of nodes that groups have used, or may have.
  var proven: [ConnectionPool] {
    state.withLock { $0.nodes.values.filter { $0.isProven.load(ordering: .relaxed) }.map(\.pool) }
  }

  /// Waits until the tries that have begun are over.
  func finishTries() {
    queue.sync {}
    openings.sync {}
  }

  // MARK: Tries

  /// Reads which node holds a lane.
  ///
  /// - Parameter opens: Whether a group found no connection to the node.
  private func tryNode(of lane: Int, opens: Bool) {
    let readAt = now()
    let node: Node?
    do throws(PostgresFailure) { node = try self.node(of: lane) } catch {
      // The node that was read before is used until it is too old.
      state.withLock { $0.lanes[lane].schedule.fail(at: now()) }
      return endTry(lane)
    }
    let unused = state.withLock { state in
      let former = state.lanes[lane].node
      state.lanes[lane].set(node, readAt: readAt)
      if node == nil {
        state.lanes[lane].schedule.fail(at: now())
      } else {
        state.lanes[lane].schedule = RetrySchedule()
      }
      return state.lanes.contains { $0.node === former } ? nil : former
    }
    unused?.pool.dropIdle()
    guard opens, let node, node.isDue(now()) else { return endTry(lane) }
    openings.async {
      if let connection = node.pool.takeIdle() {
        node.pool.giveBack(connection)
      } else {
        self.connect(to: node, for: lane)
      }
      self.endTry(lane)
    }
  }

  private func endTry(_ lane: Int) { state.withLock { $0.lanes[lane].isBeingTried = false } }

  private func connect(to node: Node, for lane: Int) {
    do throws(PostgresFailure) {
      let connection = try node.pool.open()
      let proof = NodeProof(coordinator, head: heads[lane])
      guard !connection.isReadOnly, try proof.holds(for: connection) else {
        connection.close()
        return node.rest(now())
      }
      node.isProven.store(true, ordering: .relaxed)
      node.pool.giveBack(connection)
    } catch {
      node.rest(now())
    }
  }

  /// Returns the node that holds a lane; nil if it is the node of the URL, or if it cannot route statements.
  private func node(of lane: Int) throws(PostgresFailure) -> Node? {
    let connection = try coordinator.take()
    defer { coordinator.giveBack(connection) }
    guard let address = try NodeAddress.holding(cluster.keys[lane], in: target.schema, connection) else { return nil }
    return state.withLock { state in
      if let node = state.nodes[address] { return node }
      let pool = ConnectionPool(target.at(address), memory)
      pool.setUp(cluster)
      if state.isClosed { pool.close() }
      let node = Node(pool)
      state.nodes[address] = node
      return node
    }
  }
}
#endif
