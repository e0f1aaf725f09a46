#if PostgreSQL
package import GemLedger

/// Redistributes the customers over another number of lanes, or over the shards of a distributed engine.
///
/// The whole change is one transaction that holds every lane: no group runs in between, and a killed process leaves the
/// ledger unchanged. Processes with an open ledger must open it again.
package struct LaneChange {
  private let target: PostgresTarget

  /// - Parameter url: The URL of the ledger, as its owner.
  package init(url: String) throws(LedgerError) { target = try PostgresTarget(url: url) }

  /// The number of shards for each node with shards, if no number is requested.
  ///
  /// More lanes leave each group with fewer commands, and a group costs far more than its commands. The engine cannot
  /// be asked for the processors of its nodes.
  static let shardsPerNodeByDefault = 2

  /// The outcome of a change.
  package struct Outcome: Hashable, Sendable {
    /// The number of lanes.
    package let lanes: Int
    /// Whether the lanes were changed.
    package let isChanged: Bool
    /// Whether the function that writes the rows of a group was created.
    package var isFunctionNew = false
    /// Why that function could not be created; the ledger works without it.
    package var functionProblem: String?
    /// The number of nodes that determined the number of lanes; nil if the caller did, or nothing was changed.
    package var nodes: Int?
    /// Tables with old rows that the engine could not remove from the coordinator; an erasure does not reach these
    /// rows.
    package var leftovers: [String] = []
  }

  /// Gives the ledger another number of lanes.
  ///
  /// - Parameter count: The number of lanes, 1 to 64.
  /// - Throws: `LedgerError` with, in order of precedence, `storage_unavailable`, `storage_foreign`,
  ///   `invalid_request` (a distributed ledger has one lane per shard).
  package func setLanes(_ count: Int) throws(LedgerError) -> Outcome {
    try changing { (session) throws(LedgerError) in
      let before = try session.state()
      guard !before.isDistributed else {
        throw .invalid("\(target.description) is distributed over shards, and has one lane for each of them.")
      }
      guard before.laneCount != count else { return Outcome(lanes: count, isChanged: false) }
      try session.lay((0..<Int32(count)).map(\.self), after: before, isDistributed: false)
      return Outcome(lanes: count, isChanged: true)
    }
  }

  /// Distributes the tables over the nodes of a Citus cluster: each shard has the customers of one lane.
  ///
  /// Then it creates ``WriteFunction``, also for a ledger that an earlier version distributed. Rows that the engine
  /// copied to the shards are removed from the coordinator, including leftovers of an earlier call.
  ///
  /// - Parameter shards: The number of shards, 1 to 64; nil for two for each node with shards, or the existing number.
  /// - Throws: `LedgerError` with, in order of precedence, `storage_unavailable` (also for a missing extension),
  ///   `storage_foreign`, `unexpected` (the engine gives a shard no lane).
  package func distribute(shards: Int?) throws(LedgerError) -> Outcome {
    var outcome = try changing { (session) throws(LedgerError) in
      guard try session.hasExtension() else {
        throw LedgerError(
          .storageUnavailable,
          "\(target.description): the database has no extension citus. Install Citus on every node, add citus to "
            + "shared_preload_libraries, restart, and CREATE EXTENSION citus in this database; then try again.",
          of: target.description)
      }
      let before = try session.state()
      if before.isDistributed {
        guard before.hasLaneColumns else { throw .spreadByCustomer(target.description) }
        return Outcome(lanes: before.laneCount, isChanged: false)
      }
      let nodes = shards == nil ? try session.nodesWithShards() : nil
      let count = shards ?? Self.shardsByDefault(onNodes: nodes ?? 1)
      let lanes = try session.distributeTables(shards: count)
      try session.lay(lanes, after: before, isDistributed: true)
      return Outcome(lanes: lanes.count, isChanged: true, nodes: nodes)
    }
    let connection = try connect()
    outcome.leftovers = try LocalRows(connection, target).remove()
    do throws(PostgresFailure) {
      outcome.isFunctionNew = try WriteFunction(connection, schema: target.schema).createIfMissing()
    } catch {
      outcome.functionProblem = error.message
    }
    return outcome
  }

  private static func shardsByDefault(onNodes nodes: Int) -> Int {
    min(nodes * shardsPerNodeByDefault, Numbering.laneCountMax)
  }

  private func connect() throws(LedgerError) -> PostgresConnection {
    try PostgresStorage.translating(target) { () throws(PostgresFailure) in try PostgresConnection(target) }
  }

  private func changing(
    _ body: (LaneChangeSession) throws(LedgerError) -> Outcome
  ) throws(LedgerError) -> Outcome {
    let connection = try connect()
    connection.waitsForLong = true
    let session = LaneChangeSession(connection, target)
    try session.begin()
    do throws(LedgerError) {
      let outcome = try body(session)
      try session.run([outcome.isChanged ? "COMMIT" : "ROLLBACK"])
      return outcome
    } catch {
      // The server rolls back the transaction of a lost connection; otherwise this does.
      if connection.isOpen { _ = try? connection.execute(["ROLLBACK"]) }
      throw error
    }
  }
}

extension LedgerError {
  /// The error for a ledger that is distributed by customer.
  static func spreadByCustomer(_ storageName: String) -> LedgerError {
    LedgerError(
      .storageUnavailable,
      "\(storageName) is distributed over a cluster by customer, as in earlier versions; this version distributes by "
        + "lane. With the old version, copy it into a file or another schema (gemctl storage copy); then distribute "
        + "the copy with this version (gemctl storage distribute).", of: storageName)
  }
}
#endif
