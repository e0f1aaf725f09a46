#if PostgreSQL
import GemLedger
import GemLedgerPostgres
import GemTestSupport
import PostgresTestSupport
import XCTest

/// A schema that the version before the evidence of stores wrote.
final class EarlierSchemaTests: XCTestCase {
  func testAnEarlierSchemaBooksNothingAgain() throws {
    let server = try PostgresServer.shared()
    let url = try server.createDatabase()
    try server.execute(EarlierLedger.fixture("earlier-postgres.sql"), on: url)
    XCTAssertEqual(try server.execute("SELECT name FROM gemledger.migrations", on: url), ["0001-create-ledger"])
    let purchases = try server.execute("SELECT count(*) FROM gemledger.purchases", on: url)
    let earlier = try EarlierLedger { try Ledger.openPostgres(at: url, clock: $0) }
    XCTAssertEqual(
      try server.execute("SELECT count(*) FROM gemledger.evidence WHERE kind = 7", on: url), purchases)
    try earlier.check()
  }

  /// The step is taken on a spread schema too, and the new table lies with the one that it belongs to.
  func testAnEarlierSpreadSchemaBooksNothingAgain() throws {
    let schemas = try SpreadSchemas()
    let story = EarlierStory()
    let ledger = try schemas.create(clock: story.time.clock)
    try story.fill(ledger)
    ledger.close()
    let schema = String(schemas.current.split(separator: "=").last ?? "")
    // As the version before left it: with a table of notices in the place of that of evidence.
    let distributed = "pg_dist_partition WHERE logicalrelid = '\(schema).evidence'::regclass"
    for statement in [
      """
      CREATE TABLE \(schema).refund_evidence (
        store_transaction text COLLATE "C" NOT NULL, environment bigint NOT NULL, store smallint NOT NULL,
        kind smallint NOT NULL, revoked_at bigint NOT NULL, signed_at bigint NOT NULL, extent_kind smallint NOT NULL,
        extent bigint NOT NULL, PRIMARY KEY (store_transaction, environment, store, kind, revoked_at))
      """,
      """
      SELECT create_distributed_table(
        '\(schema).refund_evidence', 'store_transaction', NULL, '\(schema).store_transactions')
      """,
      """
      INSERT INTO \(schema).refund_evidence
      SELECT store_transaction, environment, store, kind, revoked_at, signed_at, extent_kind, extent
      FROM \(schema).evidence WHERE kind <= 3
      """,
      "DELETE FROM \(distributed)", "DROP TABLE \(schema).evidence", "ALTER TABLE \(schema).lanes DROP COLUMN early",
      "DELETE FROM \(schema).migrations WHERE name <> '0001-create-ledger'",
    ] { try schemas.server.execute(statement, on: schemas.database) }
    let earlier = try EarlierLedger { try Ledger.openPostgres(at: schemas.current, clock: $0) }
    XCTAssertEqual(
      try schemas.server.execute("SELECT partkey FROM \(distributed)", on: schemas.database), ["store_transaction"])
    try earlier.check()
  }
}
#endif
