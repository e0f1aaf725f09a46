#if PostgreSQL
import Dispatch
import GemLedger
@testable import GemLedgerPostgres
import GemTestSupport
import PostgresTestSupport
import XCTest

/// The statements of a ledger that is spread over a distributed engine, checked with a stand-in for the engine.
///
/// The rules give the same results. No statement is among those that such an engine refuses or runs slowly.
final class DistributedLedgerTests: XCTestCase {
  // MARK: The same rules

  /// Runs contracts; the quick tier plays one in eight of their steps, since the rules are those of one machine.
  private func check(_ run: (SpreadSchemas) throws -> Void) throws {
    let schemas = try SpreadSchemas()
    try ContractRun.$quickDivisor.withValue(8) { try run(schemas) }
    try assertAccepted(schemas.takeStatements())
  }

  func testMeetsTheStorageContract() throws {
    try check { schemas in try StorageContract { try schemas.create(clock: $0) }.runAll() }
  }

  func testRefundsMeetTheContract() throws {
    try check { schemas in try RefundContract { try schemas.create(clock: $0) }.runAll() }
  }

  func testMergesMeetTheContract() throws {
    try check { schemas in try MergeContract { try schemas.create(clock: $0) }.runAll() }
  }

  func testOrdersMeetTheContract() throws {
    try check { schemas in
      try OrderContract(make: { try schemas.create(clock: $0) }, reopen: { try schemas.reopen($0, clock: $1) })
        .runAll()
    }
  }

  func testHoldsMeetTheContract() throws {
    try check { schemas in try HoldContract { try schemas.create(clock: $0) }.runAll() }
  }

  func testReversalsMeetTheContract() throws {
    try check { schemas in try ReversalContract { try schemas.create(clock: $0) }.runAll() }
  }

  func testBasketsMeetTheContract() throws {
    try check { schemas in try BasketContract { try schemas.create(clock: $0) }.runAll() }
  }

  func testLineagesMeetTheContract() throws {
    try check { schemas in try LineageContract { try schemas.create(clock: $0) }.runAll() }
  }

  func testPoliciesMeetTheContract() throws {
    try check { schemas in try PolicyContract { try schemas.create(clock: $0) }.runAll() }
  }

  func testJournalEventsMeetTheContract() throws {
    try check { schemas in try JournalEventContract { try schemas.create(clock: $0) }.runAll() }
  }

  func testErasuresMeetTheContract() throws {
    try check { schemas in try ErasureContract { try schemas.create(clock: $0) }.runAll() }
  }

  func testDocumentsMeetTheContract() throws {
    try check { schemas in
      try DocumentContract(
        make: { try schemas.create(clock: $0) }, reopen: { try schemas.reopen($0, clock: $1) },
        join: { try Ledger.openPostgres(at: schemas.current, clock: $1) }
      ).runAll()
      let ledger = try schemas.create()
      try ledger.documents.save("lease", content: "1", replacing: nil)
      try ledger.documents.save("lease", content: "2", replacing: 1)
      XCTAssertEqual(try ledger.documents.page(withPrefix: "le").map(\.content), ["2"])
      try ledger.documents.remove("lease", version: 2)
      ledger.close()
    }
  }

  func testTheFeedSkipsNothing() async throws {
    let schemas = try SpreadSchemas()
    try await ContractRun.$quickDivisor.withValue(8) { try await FeedContract { try schemas.create() }.runAll() }
    try assertAccepted(schemas.takeStatements())
  }

  func testTheModelIsFollowed() throws {
    let schemas = try SpreadSchemas()
    var model = try ModelContract(
      generator: SeededRandom(), hasManyLanes: true, reopen: { try schemas.reopen($0, clock: $1) },
      make: { try schemas.create(clock: $0) })
    _ = try model.run(Tier.current.length(100, thorough: 600))
    try assertAccepted(schemas.takeStatements())
  }

  // MARK: Half a commit

  /// New customers' ids lie on other machines than the customers: each must be written in a form of which the engine
  /// notes that it wrote there.
  func testNewCustomersAreWrittenInFormsThatAreNoted() throws {
    let schemas = try SpreadSchemas()
    let ledger = try schemas.create()
    try ledger.apply(Make.catalog())
    _ = try schemas.takeStatements()
    let newcomers = try (0..<600).map {
      try LedgerCommand.grant([Make.amount("GEM", 5)], customer: Make.customer("new \($0)"), key: Make.key("k"))
    }
    for answer in ledger.submit(newcomers) { XCTAssertFalse(try answer.get().isReplayed) }
    try ledger.createAlias(Make.customer("also 1"), of: Make.customer("new 1"))
    let statements = try schemas.takeStatements()
    try assertAccepted(statements)
    let inserts = statements.filter { $0.sql.hasPrefix("INSERT INTO aliases ") }
    XCTAssertFalse(inserts.isEmpty)
    XCTAssertEqual(inserts.filter { !$0.sql.contains(" VALUES ($1, $2)") }.map(\.sql), [])
    // The customers' own rows go to the shard of their lane, whose row the group updates.
    let customers = statements.filter { $0.sql.hasPrefix("INSERT INTO customers ") }
    XCTAssertTrue(customers.contains { $0.sql.contains(" FROM unnest(") }, "\(Set(customers.map(\.sql)))")
    // The insert comes after the reads of its group and before the group's commit.
    let group = try XCTUnwrap(inserts.first?.session)
    let order = statements.filter { $0.session == group }.map { String($0.sql.prefix(19)) }
    let insert = try XCTUnwrap(order.firstIndex { $0.hasPrefix("INSERT INTO aliases") })
    XCTAssertTrue(order[..<insert].contains { $0.hasPrefix("SELECT") }, "\(order)")
    XCTAssertTrue(order[insert...].contains("COMMIT"), "\(order)")
    for number in [0, 1, 599] {
      XCTAssertTrue(try ledger.book(newcomers[number]).isReplayed)
    }
    XCTAssertEqual(
      try ledger.balance(of: CurrencyCode("GEM"), customer: Make.customer("also 1")).balance, 5)
    try assertBooksAddUp(ledger)
    ledger.close()
  }

  /// Control: the check finds the form of INSERT that the engine does not note, after the reads of a group, and rows of
  /// a lane in a group that does not update that lane.
  func testTheFormThatIsNotNotedIsFound() {
    let lost = "INSERT INTO aliases (id, customer) SELECT unnest($1), unnest($2)"
    let read = "SELECT id, customer FROM aliases WHERE id = ANY($1)"
    func found(_ writes: String...) -> [String] {
      let group = ["BEGIN", read] + writes + ["COMMIT"]
      return AskedStatement.losableWrites(in: group.map { AskedStatement($0, session: "1") }).map(\.sql)
    }
    XCTAssertEqual(found(lost), [lost])
    XCTAssertEqual(found("INSERT INTO aliases (id, customer) VALUES ($1, $2)"), [])
    XCTAssertEqual(found(lost + " ON CONFLICT DO NOTHING"), [])
    let rows = "INSERT INTO keys (lane, customer) SELECT $2, u.* FROM unnest($1) u"
    func foundInLane(_ updated: Int) -> Int {
      let group = [
        ("BEGIN", ""), (read, ""), (rows, "$1 = '{5}', $2 = '7'"),
        ("UPDATE lanes SET last = $1 WHERE lane = $3 AND customer = $2", "$1 = '9', $2 = '-1', $3 = '\(updated)'"),
        ("COMMIT", ""),
      ]
      return AskedStatement.losableWrites(in: group.map { AskedStatement($0.0, $0.1, session: "1") }).count
    }
    XCTAssertEqual(foundInLane(7), 0)
    XCTAssertEqual(foundInLane(8), 1)
    let apart = [("1", "BEGIN"), ("1", read), ("2", "BEGIN"), ("2", lost), ("2", "COMMIT"), ("1", lost)]
    XCTAssertEqual(
      AskedStatement.losableWrites(in: apart.map { AskedStatement($0.1, session: $0.0) }).map(\.session), ["1"])
  }

  /// A second command under an id finds the first customer, even if no process knew of the id before the write.
  func testAnIDThatIsThereIsStillFoundOut() throws {
    let schemas = try SpreadSchemas()
    let ledger = try schemas.create()
    try ledger.apply(Make.catalog())
    let others = try (0..<4).map { _ in try Ledger.openPostgres(at: schemas.current) }
    let ids = try (0..<40).map { try Make.customer("shared \($0)") }
    DispatchQueue.concurrentPerform(iterations: others.count) { address in
      for id in ids {
        do { try others[address].grant([Make.amount("GEM", 1)], customer: id) } catch { XCTFail("\(error)") }
      }
    }
    for id in ids {
      XCTAssertEqual(try ledger.balance(of: CurrencyCode("GEM"), customer: id).balance, Int64(others.count))
    }
    try assertAccepted(schemas.takeStatements())
    try assertBooksAddUp(ledger)
    for other in others { other.close() }
    ledger.close()
  }

  // MARK: Where statements go

  /// The daily work of services names the lane in every statement, so each statement goes to one machine.
  func testDailyWorkGoesToOneShardEach() throws {
    let schemas = try SpreadSchemas()
    let ledger = try schemas.create()
    try ledger.apply(Make.catalog())
    let (alice, bob) = (try Make.customer("alice"), try Make.customer("bob"))
    for customer in [alice, bob] { try ledger.grant([Make.amount("GEM", 100)], customer: customer) }
    _ = try schemas.takeStatements()
    try ledger.creditPurchase(Make.purchase("t"), customer: alice)
    let spend = try ledger.spend([Make.amount("GEM", 50)], customer: alice, key: Make.key("k"))
    try ledger.spend([Make.amount("GEM", 1250)], customer: alice)
    let hold = try ledger.hold([Make.amount("GEM", 5)], customer: bob, for: .seconds(60))
    try ledger.capture(XCTUnwrap(hold.hold?.id))
    _ = try ledger.balances(of: alice)
    _ = try ledger.history(of: alice, limit: 10)
    let statements = try schemas.takeStatements()
    try assertAccepted(statements)
    XCTAssertEqual(Set(statements.filter { $0.isOfLedger && $0.isOfAllShards }.map(\.sql)), [])
    XCTAssertEqual(Set(AskedStatement.strayStatements(in: statements).map(\.sql)), [])
    // Control: without the lane in the journal's reads and writes the check finds each of them.
    let withoutLane = statements.map { statement in
      statement.sql.contains(" lanes ")
        ? statement
        : AskedStatement(
          statement.sql.replacing(/lane = \$\d+ AND |lane, |, lane\b/, with: ""), statement.parameters,
          session: statement.session)
    }
    let stray = AskedStatement.strayStatements(in: withoutLane)
    for table in ["customers", "keys", "entries", "accounts", "lots", "open_holds", "commit_tokens"] {
      XCTAssertTrue(stray.contains { $0.sql.contains(" \(table) ") }, table)
    }
    // The customer of a transaction that no process remembers is asked of the lane that drew its number.
    try ledger.reverse(XCTUnwrap(spend.transactionID))
    let others = try schemas.takeStatements()
    try assertAccepted(others)
    XCTAssertEqual(Set(others.filter { $0.isOfLedger && $0.isOfAllShards }.map(\.sql)), [])
    try assertBooksAddUp(ledger)
    ledger.close()
  }

  /// A ledger that has rows is spread with them, once; one that was spread stays so.
  func testAFilledLedgerIsSpreadAndStaysWhole() throws {
    let server = try PostgresServer()
    let url = try server.createDatabase()
    try server.standInForAnEngine(in: url)
    let ledger = try Ledger.createPostgres(at: url)
    try ledger.apply(Make.catalog())
    var spends: [TransactionID] = []
    for number in 0..<40 {
      try ledger.grant(
        [Make.amount("GEM", 10)], customer: Make.customer("customer \(number)"), key: Make.key("k"),
        reason: Reason("welcome"))
      let spend = try ledger.spend([Make.amount("GEM", 5)], customer: Make.customer("customer \(number)"))
      spends.append(try XCTUnwrap(spend.transactionID))
      try ledger.creditPurchase(Make.purchase("t\(number)"), customer: Make.customer("customer \(number)"))
    }
    let outcome = try LaneChange(url: url).distribute(shards: 8)
    XCTAssertEqual(outcome, LaneChange.Outcome(lanes: 8, isChanged: true, isFunctionNew: true))
    try assertLocalRowsWereRemoved(server, url)
    try assertRowsHaveTheirLane(server, url)
    XCTAssertFalse(try LaneChange(url: url).distribute(shards: 8).isChanged)
    assertRefused(.storageUnavailable) { try ledger.grant([Make.amount("GEM", 1)], customer: Make.customer("x")) }
    ledger.close()
    let tables = try server.execute("SELECT tablename FROM pg_tables WHERE schemaname = 'gemledger'", on: url)
    let spread = try server.execute(
      "SELECT relname FROM pg_dist_partition p JOIN pg_class c ON c.oid = p.logicalrelid", on: url)
    XCTAssertEqual(Set(spread), Set(tables))
    let again = try Ledger.openPostgres(at: url)
    try again.merge(from: Make.customer("customer 1"), into: Make.customer("customer 2"))
    for number in 3..<40 {
      try again.spend([Make.amount("GEM", 5)], customer: Make.customer("customer \(number)"))
    }
    // Their numbers were drawn by other lanes than those of their customers now.
    for spend in spends { try again.reverse(spend) }
    try assertBooksAddUp(again)
    again.close()
  }

  /// Without a request there are two lanes for each node that takes shards, at most 64.
  func testTheNumberOfLanesFollowsFromTheNodes() throws {
    let server = try PostgresServer()
    for (nodes, taking, lanes) in [(0, 1, 2), (3, 2, 4), (41, 40, 64)] {
      let url = try server.createDatabase()
      try server.standInForAnEngine(in: url)
      let superuser = try XCTUnwrap(server.superuserURL(database: String(url.split(separator: "/").last ?? "")))
      // The coordinator is a node too, and usually takes no shards.
      try server.execute(
        "INSERT INTO pg_dist_node (shouldhaveshards) SELECT n > 1 FROM generate_series(1, \(nodes)) n", on: superuser)
      try server.execute(
        "INSERT INTO pg_dist_node (noderole, isactive) VALUES ('secondary', true), ('primary', false)", on: superuser)
      try Ledger.createPostgres(at: url).close()
      XCTAssertEqual(
        try LaneChange(url: url).distribute(shards: nil),
        LaneChange.Outcome(lanes: lanes, isChanged: true, isFunctionNew: true, nodes: taking))
      XCTAssertEqual(
        try LaneChange(url: url).distribute(shards: nil), LaneChange.Outcome(lanes: lanes, isChanged: false))
    }
  }

  /// Each lane has a shard of its own, each row the lane of its customer, and each index begins with the lane.
  private func assertRowsHaveTheirLane(_ server: PostgresServer, _ url: String) throws {
    let storage = try PostgresStorage(url: url)
    defer { storage.close() }
    let cluster = try XCTUnwrap(storage.layout.cluster)
    XCTAssertEqual(cluster.keys.count, 8)
    let shards = try cluster.keys.map { lane in
      try server.execute("SELECT get_shard_id_for_distribution_column('gemledger.lanes', \(lane))", on: url)
    }
    XCTAssertEqual(Set(shards).count, 8)
    for table in SchemaTable.all where table.distribution == .byCustomer {
      for row in try server.execute("SELECT DISTINCT customer || ' ' || lane FROM gemledger.\(table.name)", on: url) {
        let numbers = row.split(separator: " ").compactMap { Int64($0) }
        XCTAssertEqual(numbers[1], Int64(cluster.key(of: numbers[0])), "\(table.name) \(row)")
      }
    }
    let others = try server.execute(
      "SELECT indexdef FROM pg_indexes WHERE schemaname = 'gemledger' AND indexdef LIKE '%(customer%'", on: url)
    XCTAssertEqual(others, [])
    let lanes = try server.execute("SELECT DISTINCT lane FROM gemledger.accounts", on: url)
    XCTAssertGreaterThan(lanes.count, 5, "40 customers whose numbers came from two lanes")
  }

  /// Every table that had rows was emptied on the coordinator, and the journal keeps its rows as before.
  private func assertLocalRowsWereRemoved(_ server: PostgresServer, _ url: String) throws {
    let emptied = try tablesEmptied(server, url)
    for table in ["aliases", "customers", "keys", "notes", "entries", "transactions", "purchases", "catalog"] {
      XCTAssertTrue(emptied.contains(table), "\(table) of \(emptied)")
    }
    XCTAssertFalse(emptied.contains("merges"), "which has no rows")
    let asleep = try server.execute("SELECT tgname FROM pg_trigger WHERE tgenabled = 'D'", on: url)
    XCTAssertEqual(asleep, [])
    XCTAssertThrowsError(try server.execute("DELETE FROM gemledger.entries", on: url))
    XCTAssertThrowsError(try server.execute("TRUNCATE gemledger.keys", on: url))
  }

  /// Rows that the engine does not remove are named; the ledger is still spread, and the next call tries again.
  func testRowsThatTheEngineKeepsAreNamed() throws {
    let server = try PostgresServer()
    let url = try server.createDatabase()
    try server.standInForAnEngine(in: url)
    let ledger = try Ledger.createPostgres(at: url)
    try ledger.apply(Make.catalog())
    try ledger.grant([Make.amount("GEM", 10)], customer: Make.customer("alice"), key: Make.key("k"))
    ledger.close()
    let superuser = try XCTUnwrap(server.superuserURL(database: String(url.split(separator: "/").last ?? "")))
    let refusing = "ALTER FUNCTION truncate_local_data_after_distributing_table(regclass) RENAME TO "
    try server.execute(refusing + "put_aside", on: superuser)
    let outcome = try LaneChange(url: url).distribute(shards: 4)
    XCTAssertTrue(outcome.isChanged)
    XCTAssertTrue(outcome.leftovers.contains("aliases"), "\(outcome.leftovers)")
    try server.execute(
      "ALTER FUNCTION put_aside(regclass) RENAME TO truncate_local_data_after_distributing_table", on: superuser)
    XCTAssertEqual(
      try LaneChange(url: url).distribute(shards: 4), LaneChange.Outcome(lanes: 4, isChanged: false))
    XCTAssertTrue(try tablesEmptied(server, url).contains("aliases"))
    let again = try Ledger.openPostgres(at: url)
    try assertBooksAddUp(again)
    again.close()
  }

  private func tablesEmptied(_ server: PostgresServer, _ url: String) throws -> Set<String> {
    Set(try server.execute("SELECT relname FROM stand_in_emptied JOIN pg_class ON oid = emptied", on: url))
  }
}
#endif
