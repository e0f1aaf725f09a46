#if PostgreSQL
import GemLedger
@testable import GemLedgerPostgres
import GemTestSupport
import PostgresTestSupport
import Synchronization
import XCTest

/// A distributed ledger whose coordinator and nodes are one server, each behind a proxy that counts what it is asked.
final class NodeCluster {
  let server: PostgresServer
  let schemas: SpreadSchemas
  /// The proxy that the ledger's URL names.
  let coordinator: CuttingProxy
  /// The proxy that the engine's list of nodes names, for the lanes of ``place(_:on:)``.
  let node: CuttingProxy
  let time = ManualTime()
  private var nodeCount: Int32 = 0

  init() throws {
    schemas = try SpreadSchemas()
    server = schemas.server
    let ledger = try schemas.create()
    try ledger.apply(Make.catalog())
    ledger.close()
    coordinator = try CuttingProxy(before: schemas.current)
    node = try CuttingProxy(before: schemas.current)
  }

  /// Opens the newest ledger over the coordinator.
  func open(_ parameters: String = "nodes=direct", resolvesLostAnswers: Bool = true) throws -> (Ledger, PostgresStorage)
  {
    var recovery = PostgresRecovery(resolvesLostAnswers: resolvesLostAnswers)
    recovery.now = { [time] in time.now }
    let storage = try PostgresStorage(url: "\(coordinator.url)&\(parameters)", recovery: recovery)
    return (Ledger(storage: storage), storage)
  }

  /// Makes another ledger, with all lanes on the node and connections to it.
  func createOnNodes(clock: LedgerClock) throws -> Ledger {
    try schemas.create(clock: clock).close()
    try place(Array(0..<SpreadSchemas.shards), on: node.port)
    let storage = try PostgresStorage(url: "\(schemas.current)&nodes=direct&sslmode=disable&gssencmode=disable")
    Self.connect(storage)
    return Ledger(storage: storage, clock: clock)
  }

  /// The URL of the ledger's database as the superuser.
  var superuser: String? {
    server.superuserURL(database: String(schemas.database.split(separator: "/").last ?? ""))
  }

  /// Gives the shards of lanes to a node at a port of this machine.
  func place(_ lanes: [Int], on port: UInt16, host: String = "127.0.0.1") throws {
    nodeCount += 1
    try server.execute(
      "INSERT INTO pg_dist_node (groupid, nodename, nodeport) VALUES (\(nodeCount), '\(host)', \(port))", on: superuser)
    let schema = try PostgresTarget(url: schemas.current).schema
    for lane in lanes {
      try server.execute(
        """
        UPDATE pg_dist_placement SET groupid = \(nodeCount) WHERE shardid IN (
          SELECT get_shard_id_for_distribution_column('\(schema).lanes', lane) FROM \(schema).lanes
          WHERE customer = \(-1 - lane))
        """, on: superuser)
    }
  }

  /// Waits until each lane has a connection to its node, if that can be used.
  static func connect(_ storage: PostgresStorage) {
    // A lane's first group opens no connection.
    for _ in 0..<2 { for lane in 0..<storage.layout.count { XCTAssertNil(storage.nodes?.take(lane)) } }
    storage.nodes?.finishTries()
  }

  /// Makes customers with 100 GEM each, and returns two of each lane.
  func customers(_ ledger: Ledger) throws -> [[CustomerID]] {
    let all = try (0..<80).map { try Make.customer("customer \($0)") }
    for answer in ledger.submit(try all.map { .grant([try Make.amount("GEM", 100)], customer: $0) }) {
      _ = try answer.get()
    }
    let lanes = try ledger.storage.lanes(of: all.map { try .spend([Make.amount("GEM", 1)], customer: $0) })
    return (0..<SpreadSchemas.shards).map { lane in
      Array(zip(all, lanes).filter { $1 == [lane] }.map(\.0).prefix(2))
    }
  }

  func close() {
    coordinator.close()
    node.close()
  }
}

/// The time of the pauses between tries, which passes only on request.
final class ManualTime: Sendable {
  private let instant = Mutex(ContinuousClock.now)

  var now: ContinuousClock.Instant { instant.withLock { $0 } }

  func pass(_ duration: Duration) { instant.withLock { $0 += duration } }
}
#endif
