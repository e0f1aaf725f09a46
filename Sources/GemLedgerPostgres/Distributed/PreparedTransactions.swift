#if PostgreSQL
internal import Dispatch
internal import GemLedger
internal import Synchronization

/// Makes a distributed engine complete the prepared transactions of interrupted two-phase commits.
///
/// Such a transaction holds its lanes on one node until the engine's daemon completes it, by default once a minute. So
/// a group that has waited for its lane for a second requests it now, and so does one that misses a part of its commit.
/// The engine skips active transactions. The request is open to superusers and to roles with the right to execute the
/// function. A node completes the commits that it coordinated, so each node that groups used is asked.
final class PreparedTransactions: Sendable {
  private struct State {
    var isAsking = false
    /// The nodes that do not allow it, or have no such function.
    var refusing: Set<ObjectIdentifier> = []
  }

  private let connections: ConnectionPool
  private let nodes: NodeConnections?
  private let state = Mutex(State())
  private let queue = DispatchQueue(label: "GemLedgerPostgres.PreparedTransactions", qos: .utility)

  init(_ connections: ConnectionPool, _ nodes: NodeConnections?) {
    self.connections = connections
    self.nodes = nodes
  }

  /// Sends the request without waiting for it: the engine may wait for an unreachable node.
  func recover() {
    let isFirst = state.withLock { state in
      defer { state.isAsking = true }
      return !state.isAsking
    }
    if isFirst { queue.async { self.askAll() } }
  }

  private func askAll() {
    var refusing = state.withLock { $0.refusing }
    for pool in [connections] + (nodes?.proven ?? []) where !refusing.contains(ObjectIdentifier(pool)) {
      if isRefused(by: pool) { refusing.insert(ObjectIdentifier(pool)) }
    }
    state.withLock { $0 = State(refusing: refusing) }
  }

  private func isRefused(by pool: ConnectionPool) -> Bool {
    // A group that still waits repeats the request.
    guard let connection = try? pool === connections ? pool.take() : pool.open() else { return false }
    // Groups use only proven connections of nodes.
    defer { if pool === connections { pool.giveBack(connection) } }
    do throws(PostgresFailure) {
      try connection.execute(["SELECT recover_prepared_transactions()"])
      return false
    } catch {
      return error.isOfMissingRight || error.isMissingFunction
    }
  }
}
#endif
