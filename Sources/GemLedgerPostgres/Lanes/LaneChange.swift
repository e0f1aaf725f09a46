#if PostgreSQL
package import GemLedger

/// Spreads the customers over lanes anew: over another number of them, or over the shards of a distributed engine.
///
/// The whole change is one transaction that holds every lane: no group is in between, and a killed process leaves the
/// ledger unchanged. Processes that have the ledger open are told to open it again.
package struct LaneChange {
  private let target: PostgresTarget

  /// - Parameter url: The ledger, as its owner.
  package init(url: String) throws(LedgerError) { target = try PostgresTarget(url: url) }

  static let shardCountByDefault = 32

  /// The outcome of a change.
  package struct Outcome: Hashable, Sendable {
    /// How many lanes there are.
    package let lanes: Int
    /// False where everything was so already.
    package let isChanged: Bool
    /// Tables with old rows that the engine would not remove from the coordinator; an erasure does not reach those.
    package var leftovers: [String] = []
  }

  /// Gives the ledger another number of lanes.
  ///
  /// - Parameter count: 1 to 64.
  /// - Throws: `LedgerError` with, in order of precedence, `storage_unavailable`, `storage_foreign`,
  ///   `invalid_request` (one over shards has a lane each).
  package func setLanes(_ count: Int) throws(LedgerError) -> Outcome {
    try changing { (session) throws(LedgerError) in
      let before = try session.state()
      guard !before.isDistributed else {
        throw .invalid("\(target.description) is spread over shards, and has a lane for each of them.")
      }
      guard before.laneCount != count else { return Outcome(lanes: count, isChanged: false) }
      try session.lay((0..<Int32(count)).map(\.self), after: before, isDistributed: false)
      return Outcome(lanes: count, isChanged: true)
    }
  }

  /// Spreads the tables over the nodes of a Citus cluster, by the lanes of customers: each shard has one lane.
  ///
  /// Rows that the engine copied to the shards are removed where they were, also those that an earlier call left.
  ///
  /// - Parameter shards: How many, 1 to 64; nil for 32, or as many as there are.
  /// - Throws: `LedgerError` with, in order of precedence, `storage_unavailable` (no such extension too),
  ///   `storage_foreign`, `unexpected` (the engine gives a shard no lane).
  package func distribute(shards: Int?) throws(LedgerError) -> Outcome {
    var outcome = try changing { (session) throws(LedgerError) in
      guard try session.hasExtension() else {
        throw LedgerError(
          .storageUnavailable,
          "\(target.description): the database has no extension citus. Install Citus on every node, add citus to "
            + "shared_preload_libraries, restart, and CREATE EXTENSION citus in this database; then ask again.",
          details: [.init(name: "storage", value: .text(target.description))])
      }
      let before = try session.state()
      if before.isDistributed {
        guard before.hasLaneColumns else { throw .spreadByCustomer(target.description) }
        return Outcome(lanes: before.laneCount, isChanged: false)
      }
      let lanes = try session.distributeTables(shards: shards ?? Self.shardCountByDefault)
      try session.lay(lanes, after: before, isDistributed: true)
      return Outcome(lanes: lanes.count, isChanged: true)
    }
    outcome.leftovers = try LocalRows(connect(), target).remove()
    return outcome
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
  /// Refuses a ledger whose rows lie on the shards of their customers.
  static func spreadByCustomer(_ storageName: String) -> LedgerError {
    LedgerError(
      .storageUnavailable,
      "\(storageName) is spread over a cluster by customer, as earlier versions did; this one spreads by lane. With "
        + "the version that spread it, copy it into a file or another schema (gemctl storage copy); then spread the "
        + "copy with this one (gemctl storage distribute).",
      details: [.init(name: "storage", value: .text(storageName))])
  }
}
#endif
