#if PostgreSQL
internal import Dispatch
internal import GemLedger
internal import Synchronization

/// Makes a distributed engine complete the prepared transactions of interrupted two-phase commits.
///
/// Such a transaction holds its lanes on one node until the engine's daemon completes it, by default once a minute. So
/// a group that has waited for its lane for a second requests it now, and so does one that misses a part of its commit.
/// The engine skips active transactions. The request is open to superusers and to roles with the right to execute the
/// function.
final class PreparedTransactions: Sendable {
  private struct State {
    var isAsking = false
    /// Whether the engine does not allow it, or has no such function.
    var isRefused = false
  }

  private let connections: ConnectionPool
  private let state = Mutex(State())
  private let queue = DispatchQueue(label: "GemLedgerPostgres.PreparedTransactions", qos: .utility)

  init(_ connections: ConnectionPool) { self.connections = connections }

  /// Sends the request without waiting for it: the engine may wait for an unreachable node.
  func recover() {
    let isFirst = state.withLock { state in
      defer { state.isAsking = true }
      return !state.isAsking && !state.isRefused
    }
    if isFirst { queue.async { self.ask() } }
  }

  private func ask() {
    var isRefused = false
    // A group that still waits repeats the request.
    if let connection = try? connections.take() {
      do throws(PostgresFailure) {
        try connection.execute(["SELECT recover_prepared_transactions()"])
      } catch {
        isRefused = error.isOfMissingRight || error.isMissingFunction
      }
      connections.giveBack(connection)
    }
    state.withLock { $0 = State(isRefused: isRefused) }
  }
}
#endif
