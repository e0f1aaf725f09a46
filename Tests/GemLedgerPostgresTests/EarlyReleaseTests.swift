#if PostgreSQL
import Foundation
import GemLedger
@testable import GemLedgerPostgres
import GemTestSupport
import PostgresTestSupport
import Synchronization
import XCTest

/// Groups that release their lanes before their commits are on disk, because another process writes too.
final class EarlyReleaseTests: XCTestCase {
  private var ledgers: [Ledger] = []
  private var storages: [PostgresStorage] = []
  private var server: PostgresServer?
  private var alice: CustomerID { get throws { try Make.customer("alice") } }

  override func tearDownWithError() throws {
    try ledgers.last.map { try assertBooksAddUp($0) }
    for ledger in ledgers { ledger.close() }
    (ledgers, storages) = ([], [])
    server = nil
  }

  /// A server that writes its log to its files only for commits and readers that wait for it.
  private func lazyServer() throws -> PostgresServer {
    try PostgresServer(settings: ["wal_writer_delay": "10s", "autovacuum": "off"])
  }

  private func make(_ server: PostgresServer) throws -> String {
    self.server = server
    let url = try server.createDatabase()
    let maker = try Ledger.createPostgres(at: url + "?lanes=2")
    try maker.apply(Make.catalog())
    try maker.grant([Make.amount("GEM", 1000)], customer: alice, key: Make.key("grant"))
    maker.close()
    return url
  }

  private func open(_ url: String, recovery: PostgresRecovery = PostgresRecovery()) throws -> Ledger {
    let storage = try PostgresStorage(url: url, recovery: recovery)
    let ledger = Ledger(storage: storage)
    storages.append(storage)
    ledgers.append(ledger)
    return ledger
  }

  @discardableResult
  private func spend(_ ledger: Ledger, key: String? = nil) throws -> Booking {
    try ledger.spend([Make.amount("GEM", 1)], customer: alice, key: key.map { try Make.key($0) })
  }

  /// Two processes that met each other, so that they release their lanes early.
  private func twoThatReleaseEarly(_ server: PostgresServer, _ url: String) throws -> [Ledger] {
    let both = [try open(url), try open(url)]
    for ledger in both + both { try spend(ledger) }
    XCTAssertTrue(try isEarly(server, url))
    return both
  }

  /// Whether the last group of a lane released it early.
  private func isEarly(_ server: PostgresServer, _ url: String) throws -> Bool {
    try server.execute("SELECT bool_or(early) FROM gemledger.lanes", on: url) == ["t"]
  }

  private func balance(_ ledger: Ledger) throws -> Int64 {
    try ledger.balance(of: CurrencyCode("GEM"), customer: alice).balance
  }

  // MARK: When

  func testOnlyGroupsAmongThoseOfOtherProcessesReleaseEarly() throws {
    let server = try PostgresServer.shared()
    let url = try make(server)
    let first = try open(url)
    for _ in 0..<3 { try spend(first) }
    XCTAssertFalse(try isEarly(server, url), "one process writes")
    let second = try open(url)
    try spend(second)
    XCTAssertFalse(try isEarly(server, url), "the second process has seen no other group yet")
    try spend(first)
    XCTAssertTrue(try isEarly(server, url))
    for _ in 0..<63 { try spend(first) }
    XCTAssertTrue(try isEarly(server, url))
    try spend(first)
    XCTAssertFalse(try isEarly(server, url), "the other process has stopped")
    XCTAssertEqual(try balance(second), 1000 - 69)
  }

  /// There, a sync on this server alone is not sufficient.
  func testWithSynchronousStandbysNoGroupReleasesEarly() throws {
    let server = try PostgresServer()
    let standby = try server.standby()
    let url = try make(server)
    let both = try twoThatReleaseEarly(server, url)
    try server.execute("ALTER SYSTEM SET synchronous_standby_names = '*'", on: server.superuserURL())
    try server.execute("SELECT pg_reload_conf()", on: server.superuserURL())
    while try server.execute("SHOW synchronous_standby_names") == [""] { usleep(10_000) }
    for ledger in both + both { try spend(ledger) }
    XCTAssertFalse(try isEarly(server, url))
    XCTAssertEqual(try balance(both[0]), 1000 - 8)
    withExtendedLifetime(standby) {}
  }

  // MARK: Durability

  func testAnAnsweredCommandOutlivesACrash() throws {
    let server = try lazyServer()
    let url = try make(server)
    let (first, second) = (try open(url), try open(url))
    try spend(first)
    for number in 1...3 {
      try spend(second)
      try spend(first, key: "\(number)")
      XCTAssertTrue(try isEarly(server, url))
      try server.stop(immediate: true)
      try server.start()
      XCTAssertEqual(try balance(first), Int64(999 - 2 * number))
      XCTAssertTrue(try spend(second, key: "\(number)").isReplayed)
    }
  }

  /// The position up to which the log must be on disk, after a commit that released the lanes early.
  ///
  /// - Returns: nil if the server happened to write its log just then.
  private func commitEarly(_ server: PostgresServer, _ url: String, isMarked: Bool = true) throws -> String? {
    try server.execute(
      "SET synchronous_commit = off; UPDATE gemledger.lanes SET early = \(isMarked)", on: url)
    let position = try XCTUnwrap(server.execute("SELECT pg_current_wal_insert_lsn()").first)
    return try isOnDisk(server, position) ? nil : position
  }

  private func isOnDisk(_ server: PostgresServer, _ position: String) throws -> Bool {
    try server.execute("SELECT pg_current_wal_flush_lsn() >= '\(position)'") == ["t"]
  }

  /// Runs the body after such a commit; returns whether the commit is on disk then.
  private func isOnDisk(
    after body: () throws -> Void, _ server: PostgresServer, _ url: String, isMarked: Bool = true
  ) throws -> Bool {
    for _ in 0..<5 {
      guard let position = try commitEarly(server, url, isMarked: isMarked) else { continue }
      try body()
      return try isOnDisk(server, position)
    }
    throw XCTSkip("SKIPPED, nothing was tested: the server writes its log at once")
  }

  func testAnswersWithoutACommitWaitForCommitsThatReleasedEarly() throws {
    let server = try lazyServer()
    let url = try make(server)
    let ledger = try open(url)
    for _ in 0..<3 { XCTAssertTrue(try isOnDisk(after: { _ = try balance(ledger) }, server, url), "a read") }
    let stranger = try Make.customer("stranger")
    let refusal = { self.assertNotFound(ledger, stranger) }
    XCTAssertTrue(try isOnDisk(after: refusal, server, url), "a refusal")
    let refusedRead = { () throws -> Void in
      assertRefused(.unknownCurrency) { try ledger.balance(of: CurrencyCode("NONE"), customer: self.alice) }
    }
    XCTAssertTrue(try isOnDisk(after: refusedRead, server, url), "a refused read")
    let replay = { () throws -> Void in
      let key = try Make.key("grant")
      XCTAssertTrue(try ledger.grant([Make.amount("GEM", 1000)], customer: self.alice, key: key).isReplayed)
    }
    XCTAssertTrue(try isOnDisk(after: replay, server, url), "a replay")
    XCTAssertFalse(
      try isOnDisk(after: { _ = try balance(ledger) }, server, url, isMarked: false),
      "a read does not wait for other records of the log")
  }

  /// A refusal may also be thrown out of a group.
  func testARefusalThatEndsAGroupWaits() throws {
    let server = try lazyServer()
    let url = try make(server)
    _ = try open(url)
    let refusal = { () throws -> Void in
      assertRefused(.keyConflict) {
        try self.storages[0].commit(lanes: [0]) { (session) throws(LedgerError) in
          _ = try session.sequences()
          throw LedgerError(.keyConflict, "The test refuses.")
        }
      }
    }
    XCTAssertTrue(try isOnDisk(after: refusal, server, url))
  }

  /// A body may pass on rows before it ends.
  func testAReaderWaitsBeforeItsFirstRow() throws {
    let server = try lazyServer()
    let url = try make(server)
    _ = try open(url)
    for isScan in [false, true] {
      var wasOnDisk: [Bool] = []
      for _ in 0..<5 where wasOnDisk.isEmpty {
        guard let position = try commitEarly(server, url) else { continue }
        wasOnDisk = try storages[0].read { (snapshot) throws(LedgerError) in
          if isScan { XCTAssertEqual(try snapshot.scan().page(after: nil as TransactionRow?, limit: 1).count, 1) }
          XCTAssertGreaterThan(try snapshot.catalogVersion(), 0)
          return [(try? self.isOnDisk(server, position)) ?? false]
        }
      }
      try XCTSkipIf(wasOnDisk.isEmpty, "SKIPPED, nothing was tested: the server writes its log at once")
      XCTAssertEqual(wasOnDisk, [true], "scan: \(isScan)")
    }
  }

  /// A standby has no position of its own log, and rows on it are on the primary's disk.
  func testAStandbyAnswersAfterAnEarlyRelease() throws {
    let server = try PostgresServer()
    let standby = try server.standby()
    let url = try make(server)
    _ = try twoThatReleaseEarly(server, url)
    let copy = standby.url(database: try XCTUnwrap(URL(string: url)).lastPathComponent)
    let position = try XCTUnwrap(server.execute("SELECT pg_current_wal_insert_lsn()").first)
    while try standby.execute("SELECT pg_last_wal_replay_lsn() >= '\(position)'") != ["t"] { usleep(10_000) }
    XCTAssertEqual(try balance(open(copy)), 1000 - 4)
    ledgers.removeLast().close()
  }

  /// Each sync uses a transaction id.
  func testReadersThatWaitAtOnceShareASync() throws {
    let server = try PostgresServer(settings: ["fsync": "off"])
    let url = try make(server)
    _ = try open(url)
    let sync = storages[0].logSync
    // The first sync opens a connection, and the others come meanwhile.
    let held = try (0..<2).map { _ in try storages[0].connect() }
    let right = try RightToSync(server, url)
    for isAllowed in [true, false] {
      if !isAllowed { try right.revoke() }
      let countBefore = syncCount
      let failureCount = Atomic(0)
      let waiters = DispatchGroup()
      for _ in 0..<16 {
        waiters.enter()
        Thread.detachNewThread {
          do { try sync.wait() } catch { failureCount.add(1, ordering: .relaxed) }
          waiters.leave()
        }
      }
      waiters.wait()
      XCTAssertEqual(failureCount.load(ordering: .relaxed), isAllowed ? 0 : 16)
      let count = syncCount
      XCTAssertTrue((1..<16).contains(count - countBefore), "\(count - countBefore) syncs, allowed: \(isAllowed)")
      _ = try? sync.wait()
      XCTAssertEqual(syncCount, count + 1, "a later waiter shares none of them")
    }
    withExtendedLifetime(held) {}
  }

  private var syncCount: Int { storages[0].logSync.syncCount.load(ordering: .relaxed) }

  /// The server syncs by itself at intervals, and with each commit of others.
  func testAReaderWithoutTheRightToSyncWaitsForASyncOfOthers() throws {
    let server = try lazyServer()
    let url = try make(server)
    let ledger = try open(url)
    let right = try RightToSync(server, url)
    try right.revoke()
    let answer = { () throws -> Void in
      let synced = DispatchGroup()
      synced.enter()
      Thread.detachNewThread {
        usleep(300_000)
        _ = try? server.execute("SELECT pg_logical_emit_message(true, 'other', '')", on: right.url)
        synced.leave()
      }
      _ = try self.balance(ledger)
      synced.wait()
    }
    XCTAssertTrue(try isOnDisk(after: answer, server, url))
    let noAnswer = { () throws -> Void in assertRefused(.storageUnavailable) { try self.balance(ledger) } }
    XCTAssertFalse(try isOnDisk(after: noAnswer, server, url))
    try right.restore()
    XCTAssertEqual(try balance(ledger), 1000)
  }

  /// The last group of a lane marks it, and no other group may follow.
  func testAMarkThatNoGroupClearsCostsEachProcessTwoSyncs() throws {
    let server = try lazyServer()
    let url = try make(server)
    let ledger = try open(url)
    try server.execute("SET synchronous_commit = off; UPDATE gemledger.lanes SET early = true", on: url)
    for _ in 0..<20 {
      _ = try balance(ledger)
      try server.execute(
        "SET synchronous_commit = off; SELECT pg_logical_emit_message(true, 'other', '')", on: url)
    }
    XCTAssertFalse(try isEarly(server, url))
    XCTAssertEqual(syncCount, 2)
  }

  /// A sync covers the groups before it only.
  func testASyncDoesNotClearTheMarkOfALaterGroup() throws {
    let server = try lazyServer()
    let url = try make(server)
    let ledger = try open(url)
    for _ in 0..<3 {
      XCTAssertTrue(try isOnDisk(after: { _ = try balance(ledger) }, server, url))
      XCTAssertTrue(try isEarly(server, url))
    }
  }

  private func assertNotFound(_ ledger: Ledger, _ customer: CustomerID) {
    assertRefused(.customerNotFound) { try ledger.spend([Make.amount("GEM", 1)], customer: customer) }
  }

  // MARK: Lost answers

  func testACommandIsBookedOnceWhereverItsConnectionIsCut() throws {
    let server = try PostgresServer.shared()
    let url = try make(server)
    let proxy = try CuttingProxy(before: url)
    let (cut, other) = (try open(proxy.url), try open(url))
    for (number, kind) in [CuttingProxy.Cut.afterCommit, .beforeCommit, .afterCommit].enumerated() {
      try spend(other)
      try spend(cut)
      try spend(other)
      proxy.arm(kind)
      XCTAssertFalse(try spend(cut).isReplayed)
      XCTAssertTrue(try isEarly(server, url))
      XCTAssertEqual(try balance(other), Int64(1000 - 4 * (number + 1)))
    }
    XCTAssertEqual(proxy.cutCount, 3)
    proxy.close()
  }

  /// The group is committed, and it is unknown whether that is on disk.
  func testAFailedSyncAfterTheCommitIsNoRefusal() throws {
    let server = try lazyServer()
    let url = try make(server)
    let recovery = PostgresRecovery(retryPolicy: .milliseconds(100))
    let (first, second) = (try open(url, recovery: recovery), try open(url))
    for ledger in [first, second, first] { try spend(ledger) }
    let right = try RightToSync(server, url)
    try right.revokeWithNextGroup()
    assertRefused(.outcomeUnknown) { try self.spend(first, key: "once") }
    // It was booked, so the next attempt must not say otherwise.
    XCTAssertThrowsError(try spend(second, key: "once")) { error in
      let error = error as? LedgerError
      XCTAssertEqual(error?.code, .storageUnavailable)
      XCTAssertEqual(error?.message.contains("Nothing was booked"), false)
      XCTAssertEqual(error?.message.contains("with the same key"), true)
    }
    try right.restore()
    XCTAssertTrue(try spend(first, key: "once").isReplayed)
    XCTAssertEqual(try balance(second), 1000 - 4)
  }

  func testWithoutTheRightToSyncNoGroupReleasesEarly() throws {
    let server = try PostgresServer(settings: ["fsync": "off"])
    let url = try make(server)
    let right = try RightToSync(server, url)
    try right.revoke()
    let both = [try open(url), try open(url)]
    for ledger in both + both { try spend(ledger) }
    let epochs = storages.map(\.memory.directory.epoch)
    for ledger in both + both { try spend(ledger) }
    XCTAssertFalse(try isEarly(server, url))
    // A group whose sync failed would look its outcome up over a new connection, and forget what it knew.
    XCTAssertEqual(storages.map(\.memory.directory.epoch), epochs)
    try right.restore()
    let others = [try open(url), try open(url)]
    for ledger in others + others { try spend(ledger) }
    XCTAssertTrue(try isEarly(server, url))
  }

  /// A cached customer that was not on disk is created again, and another customer may get its number.
  func testTheFirstConnectionAfterACrashForgetsLostCustomers() throws {
    let server = try lazyServer()
    let url = try make(server)
    let recovery = PostgresRecovery(retryPolicy: .milliseconds(100))
    let (first, second, other) = (try open(url, recovery: recovery), try open(url, recovery: recovery), try open(url))
    for ledger in [first, second, first, second] { try spend(ledger) }
    let right = try RightToSync(server, url)
    try right.revokeWithNextGroup()
    let (bob, carol) = (try Make.customer("bob"), try Make.customer("carol"))
    let grant = { (ledger: Ledger, id: CustomerID) throws -> Void in
      _ = try ledger.grant([Make.amount("GEM", 5)], customer: id)
    }
    assertRefused(.outcomeUnknown) { try grant(first, bob) }
    let position = try XCTUnwrap(server.execute("SELECT pg_current_wal_insert_lsn()").first)
    try XCTSkipIf(isOnDisk(server, position), "SKIPPED, nothing was tested: the server writes its log at once")
    // Its connections are in use while the server crashes, so that the next one is new.
    var held = try (0..<8).map { _ in try storages[2].connect() }
    _ = try storages[2].lanes(of: [.adjust([Make.amount("GEM", 5)], customer: bob)])
    held.append(try storages[2].connect())
    XCTAssertNotNil(storages[2].memory.directory.addresses(of: [bob])[0])
    XCTAssertFalse(try isOnDisk(server, position))
    try server.stop(immediate: true)
    try server.start()
    try right.restore()
    held.append(try storages[2].connect())
    XCTAssertNil(storages[2].memory.directory.addresses(of: [bob])[0])
    for ledger in [first, second] { _ = try? balance(ledger) }
    try grant(first, carol)
    try grant(second, Make.customer("dave"))
    try grant(other, bob)
    for id in [bob, carol] {
      XCTAssertEqual(try other.balance(of: CurrencyCode("GEM"), customer: id).balance, 5, "\(id)")
    }
    withExtendedLifetime(held) {}
  }
}

/// The right of roles to write a record to the server's log.
private struct RightToSync {
  let server: PostgresServer
  let url: String?
  /// The function, whose parameters depend on the server's version.
  let function: String

  init(_ server: PostgresServer, _ url: String) throws {
    self.server = server
    self.url = server.superuserURL(database: try XCTUnwrap(URL(string: url)).lastPathComponent)
    let functions = try server.execute(
      """
      SELECT oid::regprocedure FROM pg_proc
      WHERE proname = 'pg_logical_emit_message' AND proargtypes[2] = 'text'::regtype
      """)
    function = try XCTUnwrap(functions.first)
  }

  func revoke() throws { try server.execute("REVOKE EXECUTE ON FUNCTION \(function) FROM PUBLIC", on: url) }

  /// Revokes it by the next group's transaction, after that has found the right.
  func revokeWithNextGroup() throws {
    try server.execute(
      """
      CREATE FUNCTION gemledger.revoke_right() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$
      BEGIN REVOKE EXECUTE ON FUNCTION \(function) FROM PUBLIC; RETURN NULL; END $$
      """, on: url)
    try server.execute(
      """
      CREATE TRIGGER revoke_right AFTER INSERT ON gemledger.transactions
      FOR EACH STATEMENT EXECUTE FUNCTION gemledger.revoke_right()
      """, on: url)
  }

  func restore() throws {
    try server.execute("DROP TRIGGER IF EXISTS revoke_right ON gemledger.transactions", on: url)
    try server.execute("DROP FUNCTION IF EXISTS gemledger.revoke_right()", on: url)
    try server.execute("GRANT EXECUTE ON FUNCTION \(function) TO PUBLIC", on: url)
  }
}
#endif
