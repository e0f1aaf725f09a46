#if PostgreSQL
import Foundation
import GemLedger
import GemLedgerAudit
import GemLedgerPostgres
import GemTestSupport
import PostgresTestSupport
import XCTest

/// A schema that lacks a step gets it when it is opened, all or nothing.
///
/// The last step is made up here.
final class PostgresMigrationTests: XCTestCase {
  /// A column and a table that this program neither reads nor writes, filled from rows that are there.
  private static let madeUp = PostgresMigration(
    name: "9999-count-entries",
    sql: [
      // Groups of programs without the step end.
      "UPDATE lanes SET layout = layout + 1",
      "ALTER TABLE customers ADD COLUMN region text NOT NULL DEFAULT 'none'",
      "CREATE TABLE entry_counts (customer bigint PRIMARY KEY, entries bigint NOT NULL)",
      "INSERT INTO entry_counts SELECT customer, count(*) FROM entries GROUP BY customer",
      "CREATE TABLE last_of_step (number bigint PRIMARY KEY)",
    ])
  private static let steps = PostgresMigration.all + [madeUp]

  private let time = ManualClock()
  private var url = ""

  override func setUpWithError() throws { url = try PostgresServer.shared().createDatabase() }

  func testAMissingStepIsApplied() throws {
    let before = try makeReleasedVersion()
    let layout = try ask("SELECT max(layout) FROM gemledger.lanes")
    let first = try Ledger.openPostgres(at: url, clock: time.clock)
    let ledger = try open()
    XCTAssertEqual(try LedgerState(ledger), before)
    XCTAssertNotEqual(try ask("SELECT max(layout) FROM gemledger.lanes"), layout)
    // A process without the step that has the ledger open books nothing any more.
    let zoe = try Make.customer("zoe")
    assertRefused(.storageUnavailable) { try first.grant([Make.amount("GEM", 1)], customer: zoe) }
    first.close()
    XCTAssertEqual(try ask("SELECT name FROM gemledger.migrations ORDER BY name"), Self.steps.map(\.name))
    XCTAssertEqual(try ask("SELECT DISTINCT region FROM gemledger.customers"), ["none"])
    let counts = "SELECT customer, count(*) FROM gemledger.entries GROUP BY customer"
    XCTAssertEqual(try ask("SELECT count(*) FROM (\(counts) EXCEPT TABLE gemledger.entry_counts) rows"), ["0"])
    // Keys, holds and refunds are unchanged.
    XCTAssertTrue(try ledger.creditPurchase(Make.purchase("t"), customer: zoe, key: Make.key("k")).isReplayed)
    let holds = try ledger.holds(of: zoe).map(\.id)
    XCTAssertEqual(holds.count, 3)
    try ledger.capture(holds[0], amounts: [Make.amount("GEM", 4)], keepsOpen: true)
    try ledger.extend(holds[1], for: .seconds(172_800))
    for hold in holds { try ledger.release(hold) }
    try ledger.spend([Make.amount("GEM", 1300)], customer: zoe)
    XCTAssertTrue(try ledger.refund(Make.refund("v")).isReplayed)
    XCTAssertEqual(try ledger.reverseRefund(Make.reversal("v", signedAt: 1_000_000)).entries.map(\.amount), [1200])
    XCTAssertEqual(try ledger.refund(Make.refund("u")).entries.map(\.kind), [.refund])
    try assertBooksAddUp(ledger)
    ledger.close()
  }

  /// A step that fails leaves the schema as the step before it did.
  func testAFailedStepLeavesNothing() throws {
    let before = try makeReleasedVersion()
    // The last table that the step makes is in its way.
    try PostgresServer.shared().execute("CREATE TABLE gemledger.last_of_step (in_the_way bigint)", on: url)
    let columns = """
      SELECT table_name || '.' || column_name FROM information_schema.columns WHERE table_schema = 'gemledger'
      ORDER BY 1
      """
    let shape = try ask(columns)
    for _ in 0..<2 { XCTAssertThrowsError(try open()) }
    XCTAssertEqual(try ask(columns), shape)
    XCTAssertEqual(try ask("SELECT name FROM gemledger.migrations"), PostgresMigration.all.map(\.name))
    try PostgresServer.shared().execute("DROP TABLE gemledger.last_of_step", on: url)
    let ledger = try open()
    XCTAssertEqual(try LedgerState(ledger), before)
    try assertBooksAddUp(ledger)
    ledger.close()
  }

  /// Several services are started anew at the same moment: one applies the step, and all go on.
  func testTenMayOpenItAtOnce() throws {
    _ = try makeReleasedVersion()
    let before = try Ledger.openPostgres(at: url, clock: time.clock)
    let transactions = try before.verify().transactions
    before.close()
    let url = url
    let group = DispatchGroup()
    for number in 0..<10 {
      DispatchQueue(label: "\(number)").async(group: group) {
        do {
          let ledger = Ledger(storage: try PostgresStorage(url: url, steps: Self.steps))
          try ledger.grant([Make.amount("GEM", 1)], customer: Make.customer("of all"))
          ledger.close()
        } catch { XCTFail("\(error)") }
      }
    }
    group.wait()
    XCTAssertEqual(try ask("SELECT count(*) FROM gemledger.migrations"), ["\(Self.steps.count)"])
    let ledger = try open()
    XCTAssertEqual(
      try ledger.balance(of: CurrencyCode("GEM"), customer: Make.customer("of all")).balance, 10)
    XCTAssertEqual(try ledger.verify().transactions, transactions + 10)
    try assertBooksAddUp(ledger)
    ledger.close()
  }

  /// A program that does not know the step refuses the schema.
  func testASchemaWithAFurtherStepIsNewer() throws {
    let before = try makeReleasedVersion()
    try open().close()
    for _ in 0..<2 { assertRefused(.storageNewer) { try Ledger.openPostgres(at: url) } }
    assertRefused(.alreadyExists) { try Ledger.createPostgres(at: url) }
    let ledger = try open()
    XCTAssertEqual(try LedgerState(ledger), before)
    ledger.close()
  }

  /// A role that may run the ledger has the rights that it needs on the new tables too, and no more.
  func testRolesKeepTheirRights() throws {
    let server = try PostgresServer()
    let superuser = try XCTUnwrap(server.superuserURL())
    try server.execute("CREATE ROLE \"gem service\" LOGIN PASSWORD 'service'", on: superuser)
    url = try server.createDatabase()
    try Ledger.createPostgres(at: url, clock: time.clock).close()
    try SchemaRights(url: url).grant(to: "gem service")
    let owner = try server.execute("SELECT tableowner FROM pg_tables WHERE tablename = 'entries'", on: url)
    // A role other than the owner applies the step; the new tables belong to the owner all the same.
    var parts = try XCTUnwrap(URLComponents(string: url))
    let database = String(parts.path.dropFirst())
    let administrator = try XCTUnwrap(server.superuserURL(database: database))
    try PostgresStorage(url: administrator, steps: Self.steps).close()
    XCTAssertEqual(
      try server.execute("SELECT DISTINCT tableowner FROM pg_tables WHERE schemaname = 'gemledger'", on: url), owner)
    parts.user = "gem service"
    parts.password = "service"
    let service = try XCTUnwrap(parts.string)
    let ledger = Ledger(storage: try PostgresStorage(url: service, steps: Self.steps), clock: time.clock)
    try ledger.apply(Make.catalog())
    try ledger.grant([Make.amount("GEM", 1)], customer: Make.customer("alice"))
    ledger.close()
    for allowed in [
      "INSERT INTO gemledger.last_of_step VALUES (1)", "DELETE FROM gemledger.last_of_step",
      "UPDATE gemledger.entry_counts SET entries = 0", "SELECT count(*) FROM gemledger.journal_events",
      "INSERT INTO gemledger.open_holds VALUES (1, 2, 3)", "DELETE FROM gemledger.open_holds",
      "DELETE FROM gemledger.counters", "DELETE FROM gemledger.keys WHERE false",
    ] { XCTAssertNoThrow(try server.execute(allowed, on: service), allowed) }
    for refused in ["DELETE FROM gemledger.journal_events", "UPDATE gemledger.keys SET request_digest = 1"] {
      XCTAssertThrowsError(try server.execute(refused, on: service)) {
        XCTAssertTrue("\($0)".contains("permission denied"), "\($0)")
      }
    }
  }

  /// Removed sums of a lane are reported as missing: opening does not count the present rows as if they were right.
  func testSumsThatWereTakenAwayStayMissing() throws {
    let server = try PostgresServer()
    let url = try server.createDatabase()
    let ledger = try Ledger.createPostgres(at: url)
    try ledger.apply(Make.catalog())
    try ledger.grant([Make.amount("GEM", 1)], customer: Make.customer("alice"))
    ledger.close()
    try server.execute("UPDATE gemledger.lanes SET sums = NULL WHERE lane = 0", on: url)
    for round in 0..<2 {
      let ledger = try Ledger.openPostgres(at: url)
      try ledger.grant([Make.amount("GEM", 1)], customer: Make.customer("bob\(round)"))
      XCTAssertEqual(
        try ledger.verify().problems.map(\.description), ["records_are_complete: the sums of all rows are missing"])
      ledger.close()
    }
  }

  // MARK: Helpers

  private func open() throws -> Ledger {
    Ledger(storage: try PostgresStorage(url: url, steps: Self.steps), clock: time.clock)
  }

  private func ask(_ sql: String) throws -> [String] { try PostgresServer.shared().execute(sql, on: url) }

  /// A ledger of the first step, with the rows of a random run and of some rarely used commands.
  private func makeReleasedVersion() throws -> LedgerState {
    let url = url
    var model = try ModelContract(generator: SeededRandom(), hasManyLanes: true) {
      try Ledger.createPostgres(at: url, clock: $0, salt: 1)
    }
    _ = try model.run(200)
    let ledger = try Ledger.openPostgres(at: url, clock: time.clock)
    let (zoe, yan) = (try Make.customer("zoe"), try Make.customer("yan"))
    try ledger.creditPurchase(Make.purchase("t"), customer: zoe, key: Make.key("k"))
    try ledger.creditPurchase(Make.purchase("u"), customer: yan)
    try ledger.merge(from: yan, into: zoe)
    try ledger.creditPurchase(Make.purchase("v"), customer: zoe)
    try ledger.refund(Make.refund("v"))
    for _ in 0..<3 { try ledger.hold([Make.amount("GEM", 10)], customer: zoe, for: .seconds(86_400)) }
    defer { ledger.close() }
    return try LedgerState(ledger)
  }
}
#endif
