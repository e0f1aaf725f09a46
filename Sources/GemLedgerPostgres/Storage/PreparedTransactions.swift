#if PostgreSQL
internal import Dispatch
internal import GemLedger
internal import Synchronization

/// Has a distributed engine complete the prepared transactions of commits that were cut between their two phases.
///
/// Such a transaction holds its lanes on one node until the engine's own daemon completes it, by default once a minute.
/// So a group that waits for its lane for a second asks the engine to do so now. The engine leaves out transactions
/// that are still under way. It allows that to superusers and to roles with the right to execute the function.
final class PreparedTransactions: Sendable {
  private struct State {
    var isAsking = false
    /// The engine does not allow it, or has no such function.
    var isRefused = false
  }

  private let connections: ConnectionPool
  private let state = Mutex(State())
  private let queue = DispatchQueue(label: "GemLedgerPostgres.PreparedTransactions", qos: .utility)

  init(_ connections: ConnectionPool) { self.connections = connections }

  /// Asks the engine, and does not wait for it: it may itself wait for a node that is away.
  func recover() {
    let isFirst = state.withLock { state in
      defer { state.isAsking = true }
      return !state.isAsking && !state.isRefused
    }
    if isFirst { queue.async { self.ask() } }
  }

  private func ask() {
    var isRefused = false
    // Whoever waits asks again after a second.
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
