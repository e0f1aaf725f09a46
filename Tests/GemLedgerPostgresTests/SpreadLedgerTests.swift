#if PostgreSQL
import Foundation
import GemLedger
@testable import GemLedgerPostgres
import GemLedgerSQLite
import GemTestSupport
import PostgresTestSupport
import XCTest

/// What is done to a ledger that is spread over a distributed engine: copies, rights, further steps of the schema.
final class SpreadLedgerTests: XCTestCase {
  func testALedgerIsCopiedIntoASpreadOneAndBack() throws {
    let directory = try TemporaryDirectory()
    let (from, back) = (directory.path("from.sqlite"), directory.path("back.sqlite"))
    let schemas = try SpreadSchemas()
    let url = schemas.database
    try CopyContract(
      make: { try .createSQLite(at: from, clock: $0) }, open: { try .openSQLite(at: from, clock: $0) },
      openCopy: { (project, source) in
        if let empty = try? PostgresStorage.create(url: url, project: project) {
          empty.close()
          XCTAssertTrue(try LaneChange(url: url).distribute(shards: SpreadSchemas.shards).isChanged)
        }
        return try PostgresStorage.openCopy(url: url, project: project, source: source)
      }, openResult: { try .openPostgres(at: url, clock: $0) }
    ).runAll()
    try assertAccepted(schemas.takeStatements())
    let ledger = try Ledger.openPostgres(at: url)
    let state = try LedgerState(ledger)
    try CopyContract.copy(ledger) { try SQLiteStorage.openCopy(path: back, project: $0, source: $1) }
    let copy = try Ledger.openSQLite(at: back)
    XCTAssertEqual(try LedgerState(copy), state)
    for ledger in [ledger, copy] {
      try assertBooksAddUp(ledger)
      ledger.close()
    }
  }

  /// A role runs a spread ledger whether it got its rights before or after.
  func testARoleRunsASpreadLedger() throws {
    let schemas = try SpreadSchemas()
    let superuser = try XCTUnwrap(schemas.server.superuserURL())
    try schemas.server.execute("CREATE ROLE service LOGIN PASSWORD 'service'", on: superuser)
    for isBefore in [true, false] {
      let schema = isBefore ? "before" : "after"
      let url = "\(schemas.database)?schema=\(schema)"
      var parts = try XCTUnwrap(URLComponents(string: url))
      (parts.user, parts.password) = ("service", "service")
      let serviceURL = try XCTUnwrap(parts.string)
      try Ledger.createPostgres(at: url).close()
      if isBefore { try SchemaRights(url: url).grant(to: "service") }
      XCTAssertTrue(try LaneChange(url: url).distribute(shards: SpreadSchemas.shards).isChanged)
      if !isBefore { try SchemaRights(url: url).grant(to: "service") }
      let ledger = try Ledger.openPostgres(at: serviceURL)
      try ledger.apply(Make.catalog())
      try ledger.creditPurchase(Make.purchase("t"), customer: Make.customer("alice"))
      try ledger.refund(Make.refund("t"))
      try ledger.grant([Make.amount("GEM", 1)], customer: Make.customer("bob"))
      try ledger.merge(from: Make.customer("bob"), into: Make.customer("alice"))
      try ledger.erase(Make.customer("alice"))
      try assertBooksAddUp(ledger)
      ledger.close()
      let service = String(serviceURL.prefix { $0 != "?" })
      for statement in ["DELETE FROM \(schema).entries", "UPDATE \(schema).entries SET lane = 1"] {
        XCTAssertThrowsError(try schemas.server.execute(statement, on: service)) {
          XCTAssertTrue("\($0)".contains("permission denied"), "\($0)")
        }
      }
    }
  }

  /// A step that makes a table of the list spreads it, with the lane first.
  func testAFurtherTableIsSpreadByLane() throws {
    let schemas = try SpreadSchemas()
    try schemas.create().close()
    let schema = String(schemas.current.split(separator: "=").last ?? "")
    // As if the program before this one had not known the table.
    try schemas.server.execute("DROP TABLE \(schema).owned_items", on: schemas.database)
    try schemas.server.execute(
      "DELETE FROM pg_dist_partition p WHERE NOT EXISTS (SELECT FROM pg_class WHERE oid = p.logicalrelid)",
      on: schemas.database)
    let step = PostgresMigration(
      name: "9999-items",
      sql: [
        "CREATE TABLE owned_items (customer bigint NOT NULL, item text COLLATE \"C\" NOT NULL, "
          + "quantity bigint NOT NULL, PRIMARY KEY (customer, item))"
      ])
    try PostgresStorage(url: schemas.current, steps: PostgresMigration.all + [step]).close()
    let keys = try schemas.server.execute(
      "SELECT indexdef FROM pg_indexes WHERE schemaname = '\(schema)' AND tablename = 'owned_items'",
      on: schemas.database)
    XCTAssertEqual(keys.count, 1)
    XCTAssertTrue(keys[0].hasSuffix("(lane, customer, item)"), "\(keys)")
  }

  /// A ledger that an earlier version spread by customer is refused, with the way on, and nothing of it changes.
  func testALedgerThatIsSpreadByCustomerIsRefused() throws {
    let schemas = try SpreadSchemas()
    let url = schemas.database
    try Ledger.createPostgres(at: url).close()
    try schemas.server.execute("UPDATE gemledger.project SET is_distributed = true", on: url)
    for attempt in [
      { try PostgresStorage(url: url).close() }, { _ = try LaneChange(url: url).distribute(shards: nil) },
    ] {
      XCTAssertThrowsError(try attempt()) { error in
        XCTAssertEqual((error as? LedgerError)?.code, .storageUnavailable)
        XCTAssertTrue("\(error)".contains("gemctl storage copy"), "\(error)")
      }
    }
    XCTAssertEqual(
      try schemas.server.execute(
        "SELECT count(*) FROM information_schema.columns WHERE table_schema = 'gemledger' AND column_name = 'lane'",
        on: url), ["1"])
  }
}
#endif
