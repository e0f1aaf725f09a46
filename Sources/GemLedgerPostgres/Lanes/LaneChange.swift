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
      try session.lay((0..<count).map { CustomerNumber(-1 - $0) }, after: before, isDistributed: false)
      return Outcome(lanes: count, isChanged: true)
    }
  }

  /// Spreads the tables over the nodes of a Citus cluster, by customer, and gives each shard a lane.
  ///
  /// Rows that the engine copied to the shards are removed where they were, also those that an earlier call left.
  ///
  /// - Parameter shards: How many, 1 to 64; nil for 32, or as many as there are.
  /// - Throws: `LedgerError` with, in order of precedence, `storage_unavailable` (no such extension too),
  ///   `storage_foreign`, `unexpected` (the engine spreads otherwise than this version knows).
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
      if before.isDistributed { return Outcome(lanes: before.laneCount, isChanged: false) }
      try session.distributeTables(shards: shards ?? Self.shardCountByDefault)
      let count = try session.shardCount()
      guard (1...Numbering.laneCountMax).contains(count) else {
        throw .invalid("There are \(count) shards already; a ledger has 1 to \(Numbering.laneCountMax) lanes.")
      }
      let heads = (0..<count).map { LaneLayout.head(ofShard: $0, count: count) }
      try session.checkHash(heads)
      try session.lay(heads, after: before, isDistributed: true)
      return Outcome(lanes: count, isChanged: true)
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

extension LaneLayout {
  /// The number nearest below 0 that lies in the shard.
  static func head(ofShard shard: Int, count: Int) -> CustomerNumber {
    var number: CustomerNumber = -1
    while ShardHash.shard(of: number, count: count) != shard { number -= 1 }
    return number
  }
}
#endif
