#if PostgreSQL
internal import Dispatch
internal import Synchronization

/// The syncs of the server's log that answers without a commit wait for.
///
/// Each sync uses a transaction id. So a process runs one sync at a time, and those who came before it began share it,
/// and its failure.
final class LogSync: Sendable {
  /// A sync and its waiters.
  private final class Round: Sendable {
    let isDone = DispatchGroup()
    let failure = Mutex<PostgresFailure?>(nil)

    init() { isDone.enter() }
  }

  /// Writes a record to the server's log, so that the commit of its transaction waits for a sync of the log up to it.
  static let record = "pg_logical_emit_message(true, 'gemledger', '') IS NOT NULL"

  private let connections: ConnectionPool
  /// The sync that has not begun yet.
  private let next = Mutex<Round?>(nil)
  /// Held by the running sync.
  private let turn = DispatchSemaphore(value: 1)
  /// The commits that released lanes early and were visible to the last sync.
  private let covered = Mutex<[Int64]>([])
  /// The number of syncs, including failed ones.
  let syncCount = Atomic(0)

  init(_ connections: ConnectionPool) { self.connections = connections }

  /// Waits until the server's log is on disk up to this moment.
  ///
  /// It uses another connection than its callers, whose snapshots stay open. The connection may lead to another server.
  func wait() throws(PostgresFailure) {
    let (round, isFirst) = next.withLock { next in
      if let next { return (next, false) }
      let round = Round()
      next = round
      return (round, true)
    }
    if isFirst { run(round) } else { round.isDone.wait() }
    if let failure = round.failure.withLock({ $0 }) { throw failure }
  }

  private func run(_ round: Round) {
    turn.wait()
    // Later callers need a later sync.
    next.withLock { $0 = nil }
    do throws(PostgresFailure) { try sync() } catch { round.failure.withLock { $0 = error } }
    turn.signal()
    round.isDone.leave()
  }

  private func sync() throws(PostgresFailure) {
    syncCount.add(1, ordering: .relaxed)
    let known = covered.withLock { covered in
      defer { covered = [] }
      return covered
    }
    let connection = try connections.take()
    defer { connections.giveBack(connection) }
    do throws(PostgresFailure) {
      let clearing = known.isEmpty ? [] : [EarlyRelease.clearing(known)]
      let answers = try connection.ask(
        [PostgresRequest("BEGIN")] + clearing + [EarlyRelease.marks, Self.request, PostgresRequest("COMMIT")])
      let marks = answers[1 + clearing.count]
      covered.withLock { $0 = (0..<marks.count).map { marks.integer($0, 0) } }
    } catch {
      // The transaction may still be open.
      if connection.isOpen {
        do throws(PostgresFailure) { try connection.execute(["ROLLBACK"]) } catch { connection.close() }
      }
      throw error
    }
  }

  private static let request = PostgresRequest("SELECT \(record)")
}
#endif
