#if PostgreSQL
import Foundation
import GemLedger
@testable import GemLedgerPostgres
import GemTestSupport
import PostgresTestSupport
import XCTest

/// Addresses of nodes that lead to other rows than those of the ledger.
final class NodeIdentityTests: XCTestCase {
  /// A distributed ledger with all lanes on a node whose address leads to another server with the same rows.
  private struct Pair {
    let (first, second): (PostgresServer, PostgresServer)
    let url: String
    let storage: PostgresStorage
    let ledger: Ledger

    /// - Parameter isPromoted: Whether the second server takes writes, and no longer follows the first.
    init(isPromoted: Bool) throws {
      first = try PostgresServer()
      url = try first.createDatabase()
      try first.standInForAnEngine(in: url)
      let maker = try Ledger.createPostgres(at: url)
      try maker.apply(Make.catalog())
      maker.close()
      XCTAssertTrue(try LaneChange(url: url).distribute(shards: 2).isChanged)
      let booking = try Ledger.openPostgres(at: url)
      try booking.grant([Make.amount("GEM", 100)], customer: Make.customer("alice"))
      booking.close()
      second = try first.standby()
      let superuser = first.superuserURL(database: String(url.split(separator: "/").last ?? ""))
      let port = try XCTUnwrap(URLComponents(string: second.url)?.port)
      try first.execute("INSERT INTO pg_dist_node (nodename, nodeport) VALUES ('127.0.0.1', \(port))", on: superuser)
      try first.execute("UPDATE pg_dist_placement SET groupid = 1", on: superuser)
      let end = try first.execute("SELECT pg_current_wal_lsn()", on: first.superuserURL())[0]
      while try second.execute("SELECT pg_last_wal_replay_lsn() >= '\(end)'", on: second.superuserURL()) != ["t"] {
        usleep(10_000)
      }
      if isPromoted { try second.execute("SELECT pg_promote()", on: second.superuserURL()) }
      storage = try PostgresStorage(url: url + "?nodes=direct")
      ledger = Ledger(storage: storage)
    }

    var superuserOfSecond: String? {
      second.superuserURL(database: String(url.split(separator: "/").last ?? ""))
    }

    /// The lanes of the second server with all that a lock or a write changes.
    func lanesOfSecond() throws -> [String] {
      try second.execute(
        "SELECT concat(xmin, ' ', xmax, ' ', ctid, ' ', l) FROM gemledger.lanes l ORDER BY customer",
        on: superuserOfSecond)
    }

    func spend() throws {
      for _ in 0..<3 {
        try ledger.spend([Make.amount("GEM", 1)], customer: Make.customer("alice"))
        storage.nodes?.finishTries()
      }
    }

    func assertNodeIsUnused(line: UInt = #line) throws {
      for lane in 0..<2 { XCTAssertNil(storage.nodes?.take(lane), line: line) }
      XCTAssertEqual(storage.nodes?.proven.count, 0, line: line)
      XCTAssertEqual(
        try ledger.balance(of: CurrencyCode("GEM"), customer: Make.customer("alice")).balance, 97, line: line)
      try assertBooksAddUp(ledger)
    }

    func remove() {
      ledger.close()
      first.remove()
      second.remove()
    }
  }

  /// A numeric address, of the URL or of the environment, is the coordinator's and not a node's.
  func testTheCoordinatorsNumericAddressIsNotTheNodes() throws {
    let cluster = try NodeCluster()
    setenv("PGHOSTADDR", "127.0.0.99", 1)
    defer { unsetenv("PGHOSTADDR") }
    for parameters in ["", "&hostaddr=127.0.0.98"] {
      let target = try PostgresTarget(url: cluster.schemas.current + parameters)
      let node = NodeAddress(host: "127.0.0.1", port: Int(cluster.node.port))
      let connection = try PostgresConnection(target.at(node))
      XCTAssertEqual(try connection.ask(PostgresRequest("SELECT 1")).integer(0, 0), 1)
      connection.close()
    }
    cluster.close()
  }

  func testACopyIsNeverWrittenTo() throws {
    let pair = try Pair(isPromoted: true)
    let before = try pair.lanesOfSecond()
    try pair.spend()
    try pair.assertNodeIsUnused()
    XCTAssertEqual(try pair.lanesOfSecond(), before)
    // The copy would take the group.
    let copy = try Ledger.openPostgres(at: pair.second.url(database: String(pair.url.split(separator: "/").last ?? "")))
    try copy.spend([Make.amount("GEM", 1)], customer: Make.customer("alice"))
    copy.close()
    XCTAssertNotEqual(try pair.lanesOfSecond(), before)
    pair.remove()
  }

  func testAStandbyIsNotUsed() throws {
    let pair = try Pair(isPromoted: false)
    try pair.spend()
    try pair.assertNodeIsUnused()
    pair.remove()
  }

  // MARK: The proof

  /// Returns whether a schema `node` of the server is proven to be the ledger's.
  ///
  /// - Parameters:
  ///   - statements: The statements that make its tables.
  ///   - isLocked: Whether somebody else holds its lanes.
  private func proves(_ statements: [String], isLocked: Bool = false) throws -> Bool {
    let cluster = try NodeCluster()
    defer { cluster.close() }
    let (ledger, storage) = try cluster.open()
    defer { ledger.close() }
    let schema = try PostgresTarget(url: cluster.schemas.current).schema
    func execute(_ statement: String) throws -> [String] {
      try cluster.server.execute(statement.replacing("ledger", with: schema), on: cluster.schemas.database)
    }
    for statement in ["CREATE SCHEMA node"] + statements { _ = try execute(statement) }
    let target = try PostgresTarget(url: "\(cluster.schemas.database)?schema=node")
    let holder = try PostgresConnection(target)
    if isLocked { try holder.execute(["BEGIN", "SELECT FROM lanes FOR UPDATE"]) }
    let node = try PostgresConnection(target)
    try node.execute(["SET lock_timeout = '200ms'"])
    node.lanes = storage.layout.cluster.map { LaneStatements($0, QueryColumns()) }
    let isProven = try NodeProof(storage.connections, head: storage.layout.heads[1]).holds(for: node)
    XCTAssertEqual(try execute("SELECT count(*) FROM ledger.commit_tokens WHERE customer = -2"), ["0"])
    try holder.execute(["ROLLBACK"])
    return isProven
  }

  private let lanes = "CREATE VIEW node.lanes AS TABLE ledger.lanes"
  private let otherLanes = "CREATE TABLE node.lanes AS TABLE ledger.lanes"
  private let tokens = "CREATE VIEW node.commit_tokens AS TABLE ledger.commit_tokens"
  private let otherTokens = "CREATE TABLE node.commit_tokens AS TABLE ledger.commit_tokens"

  func testTheSameRowsAreProven() throws { XCTAssertTrue(try proves([lanes, tokens])) }

  /// As a copy whose lane somebody else holds at that moment.
  func testATokenThatTheNodeLacksIsNoProof() throws {
    XCTAssertFalse(try proves([lanes, otherTokens]))
    XCTAssertFalse(try proves([otherLanes, otherTokens], isLocked: true))
  }

  /// As a replica that takes writes.
  func testALockThatTheNodeLacksIsNoProof() throws { XCTAssertFalse(try proves([otherLanes, tokens])) }

  /// As a replica on which somebody else holds the lane.
  func testALockThatStaysIsNoProof() throws { XCTAssertFalse(try proves([otherLanes, tokens], isLocked: true)) }
}
#endif
