#if PostgreSQL
import Foundation
import GemLedger
import GemLedgerPostgres
import GemTestSupport
import PostgresTestSupport
import XCTest

/// The rights of roles on the schema, and its layout.
final class SchemaTests: XCTestCase {
  /// The schema after a step never changes once the step is shipped: a new need is a new step.
  func testStepsAreFrozen() throws {
    for (index, step) in PostgresMigration.all.enumerated() {
      let text = step.sql.joined(separator: ";\n\n") + ";\n"
      let fixture = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().appendingPathComponent("Fixtures/schema-postgres-000\(index + 1).sql")
      if !FileManager.default.fileExists(atPath: fixture.path) {
        try text.write(to: fixture, atomically: true, encoding: .utf8)
        XCTFail("\(fixture.path) was missing; it is written now: look at it and commit it")
      }
      XCTAssertEqual(try String(contentsOf: fixture, encoding: .utf8), text)
    }
  }

  /// The list says of each table how its rows lie and which triggers refuse their change.
  func testTheListOfTablesIsThatOfTheSchema() throws {
    let server = try PostgresServer.shared()
    let url = try server.createDatabase()
    try Ledger.createPostgres(at: url).close()
    let tables = try server.execute(
      "SELECT tablename FROM pg_tables WHERE schemaname = 'gemledger' ORDER BY 1", on: url)
    XCTAssertEqual(SchemaTable.all.map(\.name).sorted(), tables)
    // A table that others lie with comes before them.
    var known: Set<String> = []
    for table in SchemaTable.all {
      if case .byValue(_, let other?) = table.distribution { XCTAssertTrue(known.contains(other), table.name) }
      known.insert(table.name)
      guard let column = table.ownerColumn else { continue }
      // A unique column must be unique on each node by itself.
      let keys = try server.execute(
        """
        SELECT count(*) FROM pg_index i JOIN pg_attribute a ON a.attrelid = i.indrelid
        WHERE i.indrelid = 'gemledger.\(table.name)'::regclass AND i.indisunique AND a.attname = '\(column)'
          AND NOT a.attnum = ANY (i.indkey)
        """, on: url)
      XCTAssertEqual(keys, ["0"], table.name)
      let columns = try server.execute(
        """
        SELECT count(*) FROM information_schema.columns
        WHERE table_schema = 'gemledger' AND table_name = '\(table.name)' AND column_name = '\(column)'
        """, on: url)
      XCTAssertEqual(columns, ["1"], table.name)
    }
    let kept = try server.execute(
      """
      SELECT c.relname FROM pg_trigger t JOIN pg_class c ON c.oid = t.tgrelid
      WHERE NOT t.tgisinternal AND t.tgname LIKE '%_refuse_change' AND t.tgtype & 8 <> 0 ORDER BY 1
      """, on: url)
    XCTAssertEqual(SchemaTable.appendOnly.sorted(), kept)
  }

  func testNotEvenTheOwnerChangesTheJournal() throws {
    let server = try PostgresServer.shared()
    let url = try server.createDatabase()
    let ledger = try Ledger.createPostgres(at: url)
    try ledger.apply(Make.catalog())
    try ledger.creditPurchase(Make.purchase("t"), customer: Make.customer("alice"))
    for table in ["transactions", "entries", "purchases", "catalog_versions"] {
      for statement in ["DELETE FROM", "TRUNCATE"] {
        XCTAssertThrowsError(try server.execute("\(statement) gemledger.\(table)", on: url)) {
          XCTAssertTrue("\($0)".contains("append-only"), "\($0)")
        }
      }
    }
    try assertBooksAddUp(ledger)
    ledger.close()
  }

  /// A role with these rights does all that a ledger does, and can only append to the journal.
  func testARoleWithoutMoreRightsRunsTheLedger() throws {
    let server = try PostgresServer()
    let superuser = try XCTUnwrap(server.superuserURL())
    try server.execute("CREATE ROLE \"gem service\" LOGIN PASSWORD 'service'", on: superuser)
    let url = try server.createDatabase()
    var parts = try XCTUnwrap(URLComponents(string: url))
    parts.user = "gem service"
    parts.password = "service"
    let serviceURL = try XCTUnwrap(parts.string)
    var count = 0
    let make: (LedgerClock) throws -> Ledger = { clock in
      count += 1
      try Ledger.createPostgres(at: "\(url)?schema=s\(count)&lanes=2", clock: clock, salt: 1).close()
      try SchemaRights(url: "\(url)?schema=s\(count)").grant(to: "gem service")
      return try .openPostgres(at: "\(serviceURL)?schema=s\(count)", clock: clock)
    }
    try ContractRun.$quickDivisor.withValue(8) {
      try RefundContract(make: make).runAll()
      try OrderContract(make: make).runAll()
      try DocumentContract(make: make).runAll()
      try JournalEventContract(make: make).runAll()
    }
    try ErasureContract(make: make).runAll()
    let ledger = try make(.system)
    try ledger.apply(Make.catalog())
    try ledger.creditPurchase(Make.purchase("t"), customer: Make.customer("alice"))
    try ledger.grant([Make.amount("GEM", 1)], customer: Make.customer("bob"))
    try ledger.merge(from: Make.customer("bob"), into: Make.customer("alice"))
    for table in SchemaTable.appendOnly {
      for statement in ["DELETE FROM s\(count).\(table)", "TRUNCATE s\(count).\(table)"] {
        XCTAssertThrowsError(try server.execute(statement, on: serviceURL)) {
          XCTAssertTrue("\($0)".contains("permission denied"), "\($0)")
        }
      }
    }
    for refused in [
      "UPDATE s\(count).entries SET amount = 1", "UPDATE s\(count).keys SET request_digest = 1",
      "DELETE FROM s\(count).migrations",
    ] {
      XCTAssertThrowsError(try server.execute(refused, on: serviceURL)) {
        XCTAssertTrue("\($0)".contains("permission denied"), "\($0)")
      }
    }
    for allowed in ["DELETE FROM s\(count).keys WHERE false", "UPDATE s\(count).counters SET value = value"] {
      XCTAssertNoThrow(try server.execute(allowed, on: serviceURL), allowed)
    }
    try assertBooksAddUp(ledger)
    ledger.close()
  }

  func testGrantNamesWhatIsMissing() throws {
    let url = try PostgresServer.shared().createDatabase()
    assertRefused(.storageForeign) { try SchemaRights(url: url).grant(to: "somebody") }
    try Ledger.createPostgres(at: url).close()
    assertRefused(.invalidRequest) { try SchemaRights(url: url).grant(to: "nobody\"there") }
    assertRefused(.invalidRequest) { try SchemaRights(url: url).grant(to: "") }
  }

  // MARK: Lanes

  func testLanesAreLaidAnewBetweenGroups() throws {
    let url = try PostgresServer.shared().createDatabase()
    let alice = try Make.customer("alice")
    let old = try Ledger.createPostgres(at: "\(url)?lanes=5")
    try old.apply(Make.catalog())
    try old.grant([Make.amount("GEM", 10)], customer: alice)
    XCTAssertTrue(try LaneChange(url: url).setLanes(2).isChanged)
    XCTAssertFalse(try LaneChange(url: url).setLanes(2).isChanged)
    assertRefused(.storageUnavailable) { try old.grant([Make.amount("GEM", 1)], customer: alice) }
    old.close()
    let ledger = try Ledger.openPostgres(at: url)
    for number in 0..<20 { try ledger.grant([Make.amount("GEM", 1)], customer: Make.customer("c\(number)")) }
    try ledger.grant([Make.amount("GEM", 1)], customer: alice)
    XCTAssertEqual(try ledger.balance(of: CurrencyCode("GEM"), customer: alice).balance, 11)
    try assertBooksAddUp(ledger)
    ledger.close()
  }

  func testDistributingNeedsItsExtensionAndChangesNothingWithoutIt() throws {
    let url = try PostgresServer.shared().createDatabase()
    let ledger = try Ledger.createPostgres(at: url)
    try ledger.apply(Make.catalog())
    XCTAssertThrowsError(try LaneChange(url: url).distribute(shards: 4)) { error in
      XCTAssertEqual((error as? LedgerError)?.code, .storageUnavailable)
      XCTAssertTrue("\(error)".contains("CREATE EXTENSION citus"), "\(error)")
    }
    try ledger.grant([Make.amount("GEM", 1)], customer: Make.customer("alice"))
    try assertBooksAddUp(ledger)
    ledger.close()
  }
}
#endif
