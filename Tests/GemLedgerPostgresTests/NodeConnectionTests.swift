#if PostgreSQL
import Foundation
import GemLedger
@testable import GemLedgerPostgres
import GemTestSupport
import PostgresTestSupport
import XCTest

/// Groups of one lane over connections to the node that holds the lane.
final class NodeConnectionTests: XCTestCase {
  private let gem = 100 as Int64

  private func spend(_ ledger: Ledger, _ customer: CustomerID, _ amount: Int64 = 1) throws {
    try ledger.spend([Make.amount("GEM", amount)], customer: customer)
  }

  private func balance(_ customer: CustomerID, _ ledger: Ledger) throws -> Int64 {
    try ledger.balance(of: CurrencyCode("GEM"), customer: customer).balance
  }

  /// Makes a cluster with lane 1 on the node, and opens its ledger with customers.
  private func open(
    _ parameters: String = "nodes=direct", resolvesLostAnswers: Bool = true
  ) throws -> (NodeCluster, Ledger, PostgresStorage, [[CustomerID]]) {
    let cluster = try NodeCluster()
    let (maker, _) = try cluster.open("nodes=coordinator")
    let customers = try cluster.customers(maker)
    maker.close()
    try cluster.place([1], on: cluster.node.port)
    let (ledger, storage) = try cluster.open(parameters, resolvesLostAnswers: resolvesLostAnswers)
    return (cluster, ledger, storage, customers)
  }

  /// Books once in lane 1, and asserts over which connection.
  private func assertSpends(
    _ cluster: NodeCluster, _ ledger: Ledger, _ customer: CustomerID, overNode: Bool, line: UInt = #line
  ) throws {
    let before = (cluster.coordinator.commitCount, cluster.node.commitCount)
    try spend(ledger, customer)
    let counts = [cluster.coordinator.commitCount - before.0, cluster.node.commitCount - before.1]
    XCTAssertEqual(counts, overNode ? [0, 1] : [1, 0], "commits over the coordinator and the node", line: line)
  }

  // MARK: Which groups

  func testGroupsOfALaneUseItsNode() throws {
    let (cluster, ledger, storage, customers) = try open()
    // A command's only group does not connect to the node, and no caller waits for it.
    try assertSpends(cluster, ledger, customers[1][0], overNode: false)
    storage.nodes?.finishTries()
    XCTAssertEqual(cluster.node.connectionCount, 0)
    try assertSpends(cluster, ledger, customers[1][0], overNode: false)
    storage.nodes?.finishTries()
    for customer in customers[1] { try assertSpends(cluster, ledger, customer, overNode: true) }
    for lane in [0, 2, 3] { try assertSpends(cluster, ledger, customers[lane][0], overNode: false) }
    let newcomers = try (0..<40).map { try Make.customer("new \($0)") }
    let before = cluster.node.commitCount
    for customer in newcomers { try ledger.grant([Make.amount("GEM", 1)], customer: customer) }
    XCTAssertGreaterThan(cluster.node.commitCount, before)

    // Several lanes, and readers.
    let roundTrips = cluster.node.roundTripCount
    try ledger.merge(from: customers[1][1], into: customers[2][0])
    XCTAssertEqual(try balance(customers[1][0], ledger), gem - 3)
    XCTAssertEqual(try ledger.wholeHistory(of: customers[1][0]).count, 4)
    try assertBooksAddUp(ledger)
    XCTAssertEqual(cluster.node.roundTripCount, roundTrips)
    XCTAssertEqual(cluster.node.connectionCount, 1)
    ledger.close()
    cluster.close()
  }

  func testWithoutTheParameterTheCoordinatorIsUsed() throws {
    for parameters in ["lanes=2", "nodes=coordinator"] {
      let (cluster, ledger, storage, customers) = try open(parameters)
      XCTAssertNil(storage.nodes)
      for _ in 0..<3 { try assertSpends(cluster, ledger, customers[1][0], overNode: false) }
      XCTAssertEqual(cluster.node.connectionCount, 0)
      ledger.close()
      cluster.close()
    }
  }

  func testALedgerOnOneServerHasNoNodes() throws {
    let url = try PostgresServer.shared().createDatabase()
    try Ledger.createPostgres(at: url).close()
    let storage = try PostgresStorage(url: "\(url)?nodes=direct")
    XCTAssertNil(storage.nodes)
    storage.close()
  }

  func testOtherValuesAreRefused() throws {
    for value in ["", "Direct", "workers", "direct,coordinator"] {
      let error = assertRefused(.invalidRequest) { try Ledger.openPostgres(at: "postgres://db/shop?nodes=\(value)") }
      XCTAssertEqual(error?.message.contains("nodes=\(value) "), true, "\(error?.message ?? "")")
    }
  }

  func testANodeThatCannotRouteIsNotUsed() throws {
    let states = [
      "hasmetadata = false", "metadatasynced = false", "isactive = false", "noderole = 'secondary'",
    ]
    for state in states {
      let (cluster, ledger, storage, customers) = try open()
      try cluster.server.execute("UPDATE pg_dist_node SET \(state)", on: cluster.superuser)
      for _ in 0..<3 {
        try assertSpends(cluster, ledger, customers[1][0], overNode: false)
        storage.nodes?.finishTries()
      }
      XCTAssertEqual(cluster.node.connectionCount, 0, state)
      ledger.close()
      cluster.close()
    }
  }

  // MARK: Losses

  func testACommandIsBookedOnceWhereverTheNodeIsCut() throws {
    let (cluster, ledger, storage, customers) = try open()
    let alice = customers[1][0]
    for cut in [CuttingProxy.Cut.afterCommit, .beforeCommit] {
      NodeCluster.connect(storage)
      let start = try balance(alice, ledger)
      let count = try ledger.wholeHistory(of: alice).count
      cluster.node.arm(cut)
      let booking = try ledger.spend([Make.amount("GEM", 7)], customer: alice)
      XCTAssertFalse(booking.isReplayed, "\(cut)")
      XCTAssertEqual(booking.entries.map(\.balance), [start - 7], "\(cut)")
      XCTAssertEqual(try balance(alice, ledger), start - 7, "\(cut)")
      XCTAssertEqual(try ledger.wholeHistory(of: alice).count, count + 1, "\(cut)")
      // A node that was lost is left alone for a while.
      try assertSpends(cluster, ledger, alice, overNode: false)
      storage.nodes?.finishTries()
      try assertSpends(cluster, ledger, alice, overNode: false)
      cluster.time.pass(.seconds(1))
      try assertSpends(cluster, ledger, alice, overNode: false)
      storage.nodes?.finishTries()
      try assertSpends(cluster, ledger, alice, overNode: true)
      try assertBooksAddUp(ledger)
      while storage.nodes?.take(1) != nil {}
    }
    XCTAssertEqual(cluster.node.cutCount, 2)
    ledger.close()
    cluster.close()
  }

  /// Control: a storage that does not look up the outcome of its commit books it twice.
  func testAStorageThatDoesNotAskBooksTwice() throws {
    let (cluster, ledger, storage, customers) = try open(resolvesLostAnswers: false)
    NodeCluster.connect(storage)
    cluster.node.arm(.afterCommit)
    try spend(ledger, customers[1][0], 7)
    XCTAssertEqual(try balance(customers[1][0], ledger), gem - 14)
    ledger.close()
    cluster.close()
  }

  /// The node is lost in the first round trip of a group; what was cached of it is forgotten.
  func testAGroupIsRepeatedOverTheCoordinator() throws {
    let (cluster, ledger, storage, customers) = try open()
    NodeCluster.connect(storage)
    try assertSpends(cluster, ledger, customers[1][0], overNode: true)
    XCTAssertNotNil(storage.memory.directory.addresses(of: [customers[1][0]])[0])
    cluster.node.arm(.beforeCommit, atRoundTrip: 1)
    try spend(ledger, customers[1][1])
    XCTAssertEqual(cluster.node.roundTripsLeft, 0)
    XCTAssertNil(storage.memory.directory.addresses(of: [customers[1][0]])[0])
    XCTAssertEqual(try customers[1].map { try balance($0, ledger) }, [gem - 1, gem - 1])
    try assertBooksAddUp(ledger)
    ledger.close()
    cluster.close()
  }

  /// The loss of a node leaves the connections to the coordinator open.
  func testTheCoordinatorsConnectionsStay() throws {
    let (cluster, ledger, storage, customers) = try open()
    NodeCluster.connect(storage)
    try spend(ledger, customers[0][0])
    let idle = try storage.connect()
    storage.connections.giveBack(idle)
    cluster.node.arm(.afterCommit)
    try spend(ledger, customers[1][0])
    XCTAssertEqual(cluster.node.cutCount, 1)
    let kept = (0..<10).compactMap { _ in storage.connections.takeIdle() }
    XCTAssertTrue(kept.contains { $0 === idle })
    ledger.close()
    cluster.close()
  }

  /// A failure that the coordinator would not have, such as a missing right, does not reach the caller.
  func testAFailureOfTheNodeIsRepeatedOverTheCoordinator() throws {
    let (cluster, ledger, storage, customers) = try open()
    let schema = try PostgresTarget(url: cluster.schemas.current).schema
    try cluster.server.execute(
      """
      CREATE FUNCTION \(schema).fail() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        IF current_setting('test.fails', true) = 'on' THEN
          RAISE EXCEPTION 'permission denied' USING ERRCODE = '42501';
        END IF;
        RETURN NULL;
      END $$;
      CREATE TRIGGER fails AFTER INSERT ON \(schema).entries FOR EACH ROW EXECUTE FUNCTION \(schema).fail();
      """, on: cluster.schemas.database)
    NodeCluster.connect(storage)
    let loan = try XCTUnwrap(storage.nodes?.take(1))
    try loan.connection.execute(["SET test.fails = 'on'"])
    loan.pool.giveBack(loan.connection)
    for _ in 0..<2 { try spend(ledger, customers[1][0]) }
    XCTAssertEqual(cluster.node.commitCount, 1, "it failed at its commit, and was left alone then")
    XCTAssertEqual(try balance(customers[1][0], ledger), gem - 2)
    cluster.time.pass(.seconds(1))
    try spend(ledger, customers[1][0])
    storage.nodes?.finishTries()
    try assertSpends(cluster, ledger, customers[1][0], overNode: true)
    try assertBooksAddUp(ledger)
    ledger.close()
    cluster.close()
  }

  func testAMovedLaneIsFoundWhenItsNodeIsTriedAgain() throws {
    let (cluster, ledger, storage, customers) = try open()
    NodeCluster.connect(storage)
    let other = try CuttingProxy(before: cluster.schemas.current)
    try cluster.place([1], on: other.port)
    try assertSpends(cluster, ledger, customers[1][0], overNode: true)
    cluster.node.refuseAll(true)
    try assertSpends(cluster, ledger, customers[1][0], overNode: false)
    cluster.time.pass(.seconds(1))
    try assertSpends(cluster, ledger, customers[1][0], overNode: false)
    storage.nodes?.finishTries()
    try spend(ledger, customers[1][0])
    XCTAssertEqual(other.commitCount, 1)
    try assertBooksAddUp(ledger)
    ledger.close()
    cluster.close()
    other.close()
  }

  /// A removed node is told of no later move, so it may write rows that the cluster does not have.
  func testANodeIsLeftSoonAfterItsLaneMoved() throws {
    let (cluster, ledger, storage, customers) = try open()
    NodeCluster.connect(storage)
    try assertSpends(cluster, ledger, customers[1][0], overNode: true)
    try cluster.server.execute("UPDATE pg_dist_placement SET groupid = 0", on: cluster.superuser)
    try cluster.server.execute("DELETE FROM pg_dist_node", on: cluster.superuser)
    cluster.time.pass(NodeConnections.validity - .milliseconds(1))
    try assertSpends(cluster, ledger, customers[1][0], overNode: true)
    cluster.time.pass(.milliseconds(1))
    for _ in 0..<3 {
      try assertSpends(cluster, ledger, customers[1][0], overNode: false)
      storage.nodes?.finishTries()
      cluster.time.pass(.seconds(3600))
    }
    try assertBooksAddUp(ledger)
    ledger.close()
    cluster.close()
  }

  /// A lane that stays is read again now and then, over the same connection to its node.
  func testANodeThatKeepsItsLaneStaysInUse() throws {
    let (cluster, ledger, storage, customers) = try open()
    NodeCluster.connect(storage)
    let connections = cluster.node.connectionCount
    for _ in 0..<5 {
      try assertSpends(cluster, ledger, customers[1][0], overNode: true)
      storage.nodes?.finishTries()
      cluster.time.pass(NodeConnections.validity / 2)
    }
    // After a longer pause the coordinator is asked before the node is used.
    cluster.time.pass(NodeConnections.validity)
    try assertSpends(cluster, ledger, customers[1][0], overNode: false)
    storage.nodes?.finishTries()
    try assertSpends(cluster, ledger, customers[1][0], overNode: true)
    XCTAssertEqual(cluster.node.connectionCount, connections)
    ledger.close()
    cluster.close()
  }

  /// Without the rows of its lane a node would refuse all commands of the lane.
  func testANodeWithoutTheLaneIsLeft() throws {
    let (cluster, ledger, storage, customers) = try open()
    NodeCluster.connect(storage)
    let loan = try XCTUnwrap(storage.nodes?.take(1))
    try loan.connection.execute(["CREATE TEMPORARY TABLE lanes (LIKE lanes)"])
    loan.pool.giveBack(loan.connection)
    try assertSpends(cluster, ledger, customers[1][0], overNode: false)
    XCTAssertNil(storage.nodes?.take(1))
    ledger.close()
    cluster.close()
  }

  // MARK: Nodes away

  func testANodeThatIsAwayIsTriedAgainAfterPauses() throws {
    let (cluster, ledger, storage, customers) = try open()
    // Nothing listens there.
    cluster.node.close()
    for _ in 0..<3 {
      try assertSpends(cluster, ledger, customers[1][0], overNode: false)
      storage.nodes?.finishTries()
    }
    let back = try CuttingProxy(before: cluster.schemas.current)
    try cluster.place([1], on: back.port)
    for duration in [Duration.milliseconds(900), .milliseconds(200)] {
      XCTAssertEqual(back.connectionCount, 0)
      cluster.time.pass(duration)
      try spend(ledger, customers[1][0])
      storage.nodes?.finishTries()
    }
    try spend(ledger, customers[1][0])
    XCTAssertEqual(back.commitCount, 1)
    ledger.close()
    back.close()
    cluster.close()
  }

  /// A node that accepts connections and never responds, as a machine that hangs.
  func testCallersDoNotWaitForANodeThatHangs() throws {
    let silent = try SilentServer()
    let (cluster, ledger, storage, customers) = try open()
    try cluster.place([1], on: silent.port)
    let start = ContinuousClock.now
    for _ in 0..<10 { try assertSpends(cluster, ledger, customers[1][0], overNode: false) }
    XCTAssertLessThan(ContinuousClock.now - start, .seconds(2))
    storage.nodes?.finishTries()
    XCTAssertGreaterThan(ContinuousClock.now - start, .seconds(2), "it was tried meanwhile")
    silent.close()
    ledger.close()
    cluster.close()
  }

  func testThePausesGrow() {
    XCTAssertEqual(
      (1...9).map { RetrySchedule.pause(afterFailures: $0) }, [1, 2, 4, 8, 16, 32, 64, 64, 64].map { .seconds($0) })
    let start = ContinuousClock.now
    var schedule = RetrySchedule()
    XCTAssertTrue(schedule.isDue(at: start))
    for _ in 0..<2 { schedule.fail(at: start) }
    XCTAssertFalse(schedule.isDue(at: start + .milliseconds(1_999)))
    XCTAssertTrue(schedule.isDue(at: start + .seconds(2)))
  }

  // MARK: Recovery

  /// A node completes the two-phase commits that it coordinated.
  func testNodesAreAskedToRecoverPreparedTransactions() throws {
    let (cluster, ledger, storage, customers) = try open()
    try cluster.server.execute(
      "GRANT EXECUTE ON FUNCTION recover_prepared_transactions() TO gem", on: cluster.superuser)
    NodeCluster.connect(storage)
    let holder = try PostgresConnection(PostgresTarget(url: cluster.schemas.current))
    try holder.execute(["BEGIN", "SELECT FROM lanes FOR UPDATE"])
    let caller = DispatchGroup()
    DispatchQueue.global().async(group: caller) {
      do { try ledger.spend([Make.amount("GEM", 1)], customer: customers[1][0]) } catch { XCTFail("\(error)") }
    }
    let count = "SELECT count(*) FROM stand_in_recoveries"
    while try Int(cluster.server.execute(count, on: cluster.superuser)[0]) ?? 0 < 2 { usleep(20_000) }
    try holder.execute(["ROLLBACK"])
    caller.wait()
    XCTAssertEqual(cluster.node.connectionCount, 2)
    XCTAssertEqual(cluster.node.commitCount, 1)
    ledger.close()
    cluster.close()
  }

  /// A commit that is lost may have prepared a part on another node; the group's next try would wait for its rows.
  func testALostCommitHasPreparedTransactionsRecovered() throws {
    let (cluster, ledger, storage, customers) = try open()
    try cluster.server.execute(
      "GRANT EXECUTE ON FUNCTION recover_prepared_transactions() TO gem", on: cluster.superuser)
    NodeCluster.connect(storage)
    cluster.node.arm(.beforeCommit)
    try spend(ledger, customers[1][0])
    let count = "SELECT count(*) FROM stand_in_recoveries"
    let deadline = ContinuousClock.now + .seconds(10)
    while try cluster.server.execute(count, on: cluster.superuser) != ["2"], ContinuousClock.now < deadline {
      usleep(10_000)
    }
    XCTAssertEqual(try cluster.server.execute(count, on: cluster.superuser), ["2"], "the coordinator and the node")
    ledger.close()
    cluster.close()
  }

  // MARK: Load

  /// Callers of many threads, whose node is cut at several commits, and then at about every fortieth.
  func testNothingIsLostOrDoubledUnderLoad() throws {
    let (cluster, ledger, storage, customers) = try open()
    NodeCluster.connect(storage)
    cluster.node.arm(.afterCommit, .beforeCommit, .afterCommit, .beforeCommit)
    cluster.node.cutNowAndThen(true)
    let (results, time) = (DispatchGroup(), cluster.time)
    let rounds = Tier.current.length(150, thorough: 1_000)
    for lane in [0, 1] {
      for customer in customers[lane] {
        DispatchQueue(label: "caller").async(group: results) {
          do {
            for _ in 0..<rounds {
              try ledger.grant([Make.amount("GEM", 1)], customer: customer)
              // The pauses end within some bookings, and so does the use of a node without asking again.
              time.pass(.milliseconds(300))
            }
          } catch { XCTFail("\(error)") }
        }
      }
    }
    results.wait()
    XCTAssertGreaterThan(cluster.node.commitCount, cluster.node.cutCount)
    XCTAssertGreaterThanOrEqual(cluster.node.cutCount, 4)
    for customer in customers[0] + customers[1] { XCTAssertEqual(try balance(customer, ledger), gem + Int64(rounds)) }
    try assertBooksAddUp(ledger)
    ledger.close()
    cluster.close()
  }
}

/// Accepts connections and never responds.
private final class SilentServer {
  private let listener: Int32
  let port: UInt16

  init() throws {
    #if canImport(Glibc) || canImport(Musl)
    listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    #else
    listener = socket(AF_INET, SOCK_STREAM, 0)
    #endif
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    let listener = listener
    let isListening = withUnsafeMutablePointer(to: &address) { address in
      address.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
        bind(listener, address, size) == 0 && listen(listener, 8) == 0 && getsockname(listener, address, &size) == 0
      }
    }
    guard isListening else { throw POSIXError(.EADDRNOTAVAIL) }
    port = UInt16(bigEndian: address.sin_port)
  }

  func close() { Foundation.close(listener) }
}
#endif
